// Each access to the table is locked, but the look and the insertion are two: a connection is opened twice.
// expect: assertion; other path; decision 15
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex mutex;
static std::map<std::string, int> connections;
static int opened;

static bool isKnown(const std::string& name) {
  std::lock_guard lock(mutex);
  return connections.count(name) != 0;
}
static void open(const std::string& name) {
  std::lock_guard lock(mutex);
  connections[name] = ++opened;
}

static void connect() {
  if (!isKnown("database")) open("database");
}

int main() {
  std::thread one(connect), two(connect);
  one.join();
  two.join();
  assert(opened == int(connections.size()));
}

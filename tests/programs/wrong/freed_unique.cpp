// A raw pointer that was taken out of a unique_ptr is used when the owner has been given another object.
// expect: signal 11; order violation on settings; lines 14 21; dsp 8
#include <memory>
#include <thread>

struct Settings {
  int level = 1;
};
static std::unique_ptr<Settings> owner;
static int seen;

static void reader() {
  const Settings* settings = owner.get();
  seen = settings->level;
}

int main() {
  owner = std::make_unique<Settings>();
  Settings* fresh = new Settings;
  std::thread thread(reader);
  owner.reset(fresh);
  thread.join();
  return 0;
}

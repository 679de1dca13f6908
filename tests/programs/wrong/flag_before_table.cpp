// A table is made by whoever needs it first; that it is there is said before it is filled.
// expect: signal 11; multi-variable inconsistency on made and table.row; lines 30; dsp 6
// or: multi-variable inconsistency on made and table.width
// or: order violation on table.row
// or: order violation on table.width
// hint: Set made after table
#include <cassert>
#include <mutex>
#include <thread>

static struct {
  int width;
  int* row;
} table;
static std::mutex lock;
static bool made;

static void need() {
  if (made) return;
  std::lock_guard<std::mutex> guard(lock);
  if (made) return;
  made = true;
  table.width = 4;
  table.row = new int[4]();
}

static void use() {
  need();
  assert(table.width == 4);
  ++table.row[1];
}

int main() {
  std::thread one(use), two(use);
  one.join();
  two.join();
}

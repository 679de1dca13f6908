// A thread keeps what get() returned instead of the shared_ptr; the owner lets go of the last reference.
// expect: signal 11; order violation on page; lines 11 18; dsp 8
#include <memory>
#include <thread>

struct Page {
  long number = 3;
};
static long seen;
static void reader(const Page* page) {
  seen = page->number;
}

int main() {
  std::shared_ptr<Page> page(new Page);
  const Page* raw = page.get();
  std::thread thread(reader, raw);
  page.reset();
  thread.join();
  return 0;
}

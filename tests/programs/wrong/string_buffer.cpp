// A buffer is asked for its length and then for its characters; each is locked, both together are not.
// expect: assertion; atomicity violation on this->length; lines 35 40; dsp 6
//
// After the StringBuffer of Java 1.4. The text moves when it grows: pointers and indices come from shared memory.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

class StringBuffer {
public:
  explicit StringBuffer(const char* text) {
    while (*text) put(*text++);
  }
  ~StringBuffer() { std::free(text); }

  void put(char c) {
    std::lock_guard guard(mutex);
    if (length == capacity) {
      char* larger = static_cast<char*>(std::malloc(size_t(capacity) * 2 + 4));
      for (int i = 0; i < length; ++i) larger[i] = text[i];
      std::free(text);
      text = larger;
      capacity = capacity * 2 + 4;
    }
    text[length] = c;
    length = length + 1;
  }
  int size() {
    std::lock_guard guard(mutex);
    return length;
  }
  void copyTo(StringBuffer* other, int end) {
    std::lock_guard guard(mutex);
    assert(end <= length);
    for (int i = 0; i < end; ++i) other->put(text[i]);
  }
  void clear() {
    std::lock_guard guard(mutex);
    length = 0;
  }
  void append(StringBuffer* other) {
    const int end = other->size();
    other->copyTo(this, end);
  }

private:
  std::mutex mutex;
  char* text = nullptr;
  int length = 0, capacity = 0;
};

static StringBuffer* lines[2];

int main() {
  lines[0] = new StringBuffer("first");
  lines[1] = new StringBuffer("second");
  std::thread eraser([] {
    lines[0]->put('!');
    lines[0]->clear();
  });
  lines[1]->append(lines[0]);
  eraser.join();
  delete lines[0];
  delete lines[1];
  return 0;
}

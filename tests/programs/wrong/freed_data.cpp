// The text of a std::string is looked at through data(), while another thread appends to it.
// expect: signal 11; order violation on text; lines 11 19; dsp 8
#include <string>
#include <thread>

static std::string* shared;
static char seen;

static void reader() {
  const char* text = shared->data();
  seen = text[0];
}

int main() {
  static const char more[] = "and so much more that the first block is too small";
  std::string text = "a text that is too long to stand in the string itself";
  shared = &text;
  std::thread thread(reader);
  text.append(more);
  thread.join();
  return 0;
}

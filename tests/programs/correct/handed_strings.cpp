// Blocks that libraries allocate, move and free, handed from thread to thread in order; and an address that is printed when
// its block is gone.
// expect: pass
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::unique_ptr<std::string>> box;

static void writer(int from) {
  for (int i = from; i < from + 3; ++i) {
    auto message = std::make_unique<std::string>("message number " + std::to_string(i));
    *message += " of all those messages that are too long to be short";
    const std::lock_guard<std::mutex> guard(lock);
    box.push_back(std::move(message));
  }
}

static size_t lengthOfLines() {
  static char lines[] = "one\nand a second line that is much longer than the first one was\nthree\n";
  FILE* input = fmemopen(lines, sizeof lines - 1, "r");
  char* line = nullptr;
  size_t size = 0, all = 0;
  for (ssize_t length; (length = getline(&line, &size, input)) > 0;) all += size_t(length);
  free(line);
  fclose(input);
  return all;
}

int main() {
  void* aligned = nullptr;
  if (posix_memalign(&aligned, 64, 200)) return 1;
  memset(aligned, 1, 200);
  std::thread one(writer, 0), two(writer, 10);
  char* copy = strdup("a copy");
  const size_t length = lengthOfLines() + strlen(copy);
  free(copy);
  char text[40];
  snprintf(text, sizeof text, "%p", static_cast<void*>(copy));
  one.join();
  two.join();
  free(aligned);
  size_t all = 0;
  for (const auto& message : box) all += message->size();
  return all > 100 && length > 10 && text[0] ? 0 : 1;
}

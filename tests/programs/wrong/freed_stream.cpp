// A stream is written to when it has been deleted; what writes is in libstdc++.
// expect: signal 11; order violation on old; lines 11 20; dsp 6
#include <sstream>
#include <thread>

static std::ostringstream* current;

static void writer() {
  std::ostringstream* mine = current;
  if (!mine) return;
  *mine << "a line of the log";
}

int main() {
  current = new std::ostringstream;
  std::thread thread(writer);
  std::ostringstream* old = current;
  current = nullptr;
  if (old)
    delete old;
  thread.join();
}

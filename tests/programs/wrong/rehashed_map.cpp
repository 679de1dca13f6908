// A thread looks numbers up in a map that another one lets grow: its buckets are moved.
// expect: signal 11; order violation on squares; lines 12 19; dsp 8
// not at: path addresses
#include <thread>
#include <unordered_map>

static std::unordered_map<int, int> squares;
static int found;

static void reader() {
  for (int i = 0; i < 6; ++i) {
    auto at = squares.find(i);
    if (at != squares.end()) found += at->second;
  }
}
int main() {
  for (int i = 0; i < 10; ++i) squares[i] = i * i;
  std::thread thread(reader);
  for (int i = 10; i < 40; ++i) squares[i] = i * i;
  thread.join();
  return 0;
}

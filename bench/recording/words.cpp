// Counts the words of a generated text: a map of strings per thread, joined at the end.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using Counts = std::unordered_map<std::string, unsigned long>;
std::string text;
std::mutex lock;
Counts all;

void count(size_t from, size_t to) {
  Counts mine;
  std::string word;
  for (size_t i = from; i < to; ++i) {
    if (text[i] != ' ') {
      word += text[i];
    } else if (!word.empty()) {
      ++mine[word];
      word.clear();
    }
  }
  std::lock_guard<std::mutex> hold(lock);
  for (const auto& [key, number] : mine) all[key] += number;
}

} // namespace

int main(int argc, char** argv) {
  const size_t size = argc > 1 ? size_t(std::atol(argv[1])) : 12000000;
  unsigned state = 7;
  while (text.size() < size) {
    state = state * 1664525u + 1013904223u;
    for (unsigned letters = 1 + (state >> 28); letters > 0; --letters)
      text += char('a' + (state >> (letters + 6)) % 9);
    text += ' ';
  }
  constexpr size_t kThreads = 4;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back(count, size * i / kThreads, size * (i + 1) / kThreads);
  for (std::thread& thread : threads) thread.join();
  unsigned long total = 0;
  for (const auto& entry : all) total += entry.second;
  std::printf("%zu %lu\n", all.size(), total);
}

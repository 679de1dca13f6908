// Containers of the standard library: trees, lists, hash tables, heaps, and algorithms over them.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>
#include <variant>
#include <vector>

static uint32_t mixed = 5;
static void mix(uint32_t value) { mixed = mixed * 16777619u ^ value; }

uint32_t compute() {
  std::vector<uint32_t> numbers(40);
  uint32_t next = 12345;
  for (uint32_t& number : numbers) number = (next = next * 1103515245u + 12345u) >> 16;
  std::map<uint32_t, uint32_t> counts;
  std::unordered_map<uint32_t, uint32_t> hashed;
  std::set<uint32_t> unique(numbers.begin(), numbers.end());
  std::list<uint32_t> chain;
  std::deque<uint32_t> ends;
  std::priority_queue<uint32_t> heap;
  for (uint32_t number : numbers) {
    ++counts[number % 11];
    hashed[number % 7] += number;
    if (number % 2)
      chain.push_front(number);
    else
      chain.push_back(number);
    ends.push_front(number);
    if (ends.size() > 9) ends.pop_back();
    heap.push(number % 100);
  }
  for (const auto& [key, count] : counts) mix(key * 100 + count);
  for (uint32_t key = 0; key < 7; ++key) mix(hashed[key]);
  counts.erase(counts.begin(), counts.find(5));
  for (auto at = unique.begin(); at != unique.end();) at = *at % 3 == 0 ? unique.erase(at) : std::next(at);
  mix(uint32_t(unique.size()));
  chain.sort();
  chain.unique([](uint32_t a, uint32_t b) { return a / 1000 == b / 1000; });
  for (uint32_t value : chain) mix(value);
  std::stable_sort(numbers.begin(), numbers.end(), [](uint32_t a, uint32_t b) { return a % 10 < b % 10; });
  mix(std::accumulate(numbers.begin(), numbers.begin() + 10, 0u));
  std::nth_element(ends.begin(), ends.begin() + 3, ends.end());
  mix(ends[3]);
  while (heap.size() > 30) mix(heap.top()), heap.pop();
  std::vector<std::variant<uint32_t, std::vector<uint32_t>>> mixture{1u, std::vector<uint32_t>{1, 2, 3}, 4u};
  for (const auto& item : mixture)
    mix(std::visit(
        [](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, uint32_t>)
            return value;
          else
            return uint32_t(value.size());
        },
        item));
  std::optional<uint32_t> last;
  if (!counts.empty()) last = counts.rbegin()->first;
  mix(last.value_or(0));
  return mixed;
}

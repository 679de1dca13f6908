#include "breakpoints/patch.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {
namespace {

using Lines = std::vector<std::string>;

Lines linesOf(const std::string& text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Lines [oldBegin, oldEnd) become [newBegin, newEnd).
struct Change {
  size_t oldBegin = 0, oldEnd = 0, newBegin = 0, newEnd = 0;
};

// How far both go on until they have a line in common again; the fewest lines in all.
Change changeAt(const Lines& before, const Lines& after, size_t i, size_t j) {
  const size_t most = before.size() - i + after.size() - j;
  for (size_t sum = 1; sum <= most; ++sum)
    for (size_t skipped = 0; skipped <= sum; ++skipped) {
      const size_t a = i + skipped, b = j + sum - skipped;
      if (a < before.size() && b < after.size() && before[a] == after[b]) return {i, a, j, b};
    }
  return {i, before.size(), j, after.size()};
}

std::vector<Change> changesOf(const Lines& before, const Lines& after) {
  std::vector<Change> changes;
  size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      ++i, ++j;
      continue;
    }
    changes.push_back(changeAt(before, after, i, j));
    i = changes.back().oldEnd;
    j = changes.back().newEnd;
  }
  return changes;
}

constexpr size_t kContext = 3;

// The changes first..last, near enough to share their context, with the lines around them.
std::string hunk(const Lines& before, const Lines& after, const std::vector<Change>& changes, size_t first,
                 size_t last) {
  const size_t begin = changes[first].oldBegin - std::min(kContext, changes[first].oldBegin);
  const size_t end = std::min(before.size(), changes[last].oldEnd + kContext);
  std::string body;
  size_t at = begin, added = 0;
  for (size_t c = first; c <= last; ++c) {
    for (; at < changes[c].oldBegin; ++at) body += " " + before[at] + "\n";
    for (; at < changes[c].oldEnd; ++at) body += "-" + before[at] + "\n";
    for (size_t j = changes[c].newBegin; j < changes[c].newEnd; ++j) body += "+" + after[j] + "\n";
    added += changes[c].newEnd - changes[c].newBegin;
    added -= changes[c].oldEnd - changes[c].oldBegin;
  }
  for (; at < end; ++at) body += " " + before[at] + "\n";
  const size_t newBegin = changes[first].newBegin - (changes[first].oldBegin - begin);
  return fmt::format("@@ -{},{} +{},{} @@\n", begin + 1, end - begin, newBegin + 1, end - begin + added) + body;
}

} // namespace

std::string unifiedDiff(const std::string& before, const std::string& after, const std::string& from,
                        const std::string& to) {
  const Lines a = linesOf(before), b = linesOf(after);
  const std::vector<Change> changes = changesOf(a, b);
  if (changes.empty()) return {};
  std::string text = fmt::format("--- {}\n+++ {}\n", from, to);
  for (size_t first = 0, last = 0; first < changes.size(); first = last = last + 1) {
    while (last + 1 < changes.size() && changes[last + 1].oldBegin <= changes[last].oldEnd + 2 * kContext) ++last;
    text += hunk(a, b, changes, first, last);
  }
  return text;
}

} // namespace symbiosis

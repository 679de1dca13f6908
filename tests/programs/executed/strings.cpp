// Strings: short and long ones, growth, search, comparison, conversion, views.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

static uint32_t mixed = 9;
static void mix(uint32_t value) { mixed = (mixed ^ value) * 0x01000193u; }
static void mix(std::string_view text) {
  for (char c : text) mix(uint32_t(uint8_t(c)));
}

uint32_t compute() {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += char('a' + i % 7);
    if (i % 10 == 9) text += " and ";
    mix(text.substr(text.size() / 2));
  }
  text.insert(3, "inserted");
  text.replace(text.find("and"), 3, "or else");
  text.erase(text.begin() + 1, text.begin() + 4);
  mix(text);
  std::vector<std::string> words;
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(' ', from), text.size());
    words.emplace_back(text, from, to - from);
    from = to + 1;
  }
  std::sort(words.begin(), words.end());
  for (const std::string& word : words) mix(word), mix(uint32_t(word.compare("else") < 0));
  mix(uint32_t(std::stoi("-472") + int(std::stoul("19", nullptr, 16))));
  mix(std::to_string(mixed % 1000));
  char buffer[64];
  std::strcpy(buffer, "libc ");
  std::strcat(buffer, words.front().substr(0, 10).c_str());
  mix(uint32_t(std::strlen(buffer)));
  mix(uint32_t(std::strcmp(buffer, "libb") > 0));
  mix(uint32_t(std::memcmp(buffer, "libc", 4) == 0));
  mix(uint32_t(std::strchr(buffer, 'c') - buffer));
  const std::string copy = std::move(words.back());
  mix(copy);
  mix(uint32_t(words.back().size()));
  return mixed;
}

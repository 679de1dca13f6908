#include "profiler/driver/response_files.h"
#include "support/files.h"
#include <cctype>
#include <string_view>

namespace symbiosis {
namespace {

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false; // a word, perhaps an empty one in quotes
  char quote = 0;
  auto finish = [&] {
    if (inside) words.push_back(word);
    word.clear();
    inside = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      finish();
    } else {
      word += c;
      inside = true;
    }
  }
  finish();
  return words;
}

Result<void> expand(const std::vector<std::string>& arguments, unsigned depth, std::vector<std::string>& out) {
  if (depth > 20) return badInput("symbiosis cc: response files that name each other more than 20 deep");
  for (const std::string& argument : arguments) {
    Result<std::string> text =
        argument.size() > 1 && argument[0] == '@' ? readFile(argument.substr(1)) : badInput("not a response file");
    if (!text) {
      out.push_back(argument);
      continue;
    }
    if (Result<void> done = expand(wordsOf(*text), depth + 1, out); !done) return done;
  }
  return {};
}

} // namespace

Result<std::vector<std::string>> expandResponseFiles(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  if (Result<void> done = expand(arguments, 0, out); !done) return done.error();
  return out;
}

} // namespace symbiosis

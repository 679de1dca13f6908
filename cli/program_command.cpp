#include "cli/program_command.h"
#include <algorithm>

namespace symbiosis {

namespace {

constexpr const char* kName = "command";
// In front of each word of the command while CLI11 has it: no word then begins like a list or an option.
constexpr char kMark = '=';

bool isOption(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// Whether the value of this option is the next word, not part of this one.
bool takesNextWord(const CLI::App& verb, const std::string& word) {
  const bool isLong = word.starts_with("--");
  if (isLong ? word.find('=') != std::string::npos : word.size() > 2) return false;
  const CLI::Option* option = verb.get_option_no_throw(word);
  return option && option->get_items_expected_max() > 0;
}

// Where the command begins among the words behind the verb.
std::vector<std::string>::iterator beginOfCommand(const CLI::App& verb, std::vector<std::string>& words) {
  auto word = words.begin() + 1;
  for (; word != words.end() && isOption(*word) && *word != "--"; ++word)
    if (takesNextWord(verb, *word) && word + 1 != words.end()) ++word;
  return word;
}

} // namespace

void addProgramCommand(CLI::App& verb, std::vector<std::string>& command) {
  verb.add_option(kName, command, "The program and its arguments")
      ->required()
      ->transform([](const std::string& word) { return word.substr(1); }, "");
  verb.positionals_at_end();
}

std::vector<std::string> protectProgramCommand(const CLI::App& app, std::vector<std::string> words) {
  const std::vector<const CLI::App*> asked = app.get_subcommands([&](const CLI::App* verb) {
    return !words.empty() && verb->get_name() == words[0] && verb->get_option_no_throw(kName);
  });
  if (asked.empty()) return words;
  auto begin = beginOfCommand(*asked[0], words);
  if (begin == words.end()) return words;
  if (*begin == "--")
    ++begin;
  else
    begin = words.insert(begin, "--") + 1;
  std::for_each(begin, words.end(), [](std::string& word) { word.insert(word.begin(), kMark); });
  return words;
}

} // namespace symbiosis

#include "tests/reference/tiny_program.h"
#include <algorithm>
#include <cstdlib>
#include <optional>

namespace symbiosis::reference {

namespace {

using Words = std::vector<std::string>;

Words wordsOf(std::string_view line) {
  Words words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (const char c : line.substr(0, line.find('#')))
    if (c == ' ' || c == '\t' || c == '\r') {
      finish();
    } else {
      word += c;
    }
  finish();
  return words;
}

std::optional<int> numberIn(const std::string& word) {
  char* end = nullptr;
  const long number = std::strtol(word.c_str(), &end, 10);
  if (word.empty() || *end != 0 || number < -1000 || number > 1000) return std::nullopt;
  return int(number);
}

std::optional<uint8_t> registerIn(const std::string& word) {
  if (word.size() != 2 || word[0] != 'r' || word[1] < '0' || word[1] >= char('0' + kRegisters))
    return std::nullopt;
  return uint8_t(word[1] - '0');
}

std::optional<uint8_t> indexIn(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return uint8_t(found - names.begin());
}

std::optional<Comparison> comparisonIn(const std::string& word) {
  constexpr const char* kTexts[] = {"==", "!=", "<", "<=", ">", ">="};
  for (size_t i = 0; i < std::size(kTexts); ++i)
    if (word == kTexts[i]) return Comparison(i);
  return std::nullopt;
}

// Reads the text once, line by line. What is wrong with it is noted with its line, and ends the reading.
class Parser {
public:
  explicit Parser(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(wordsOf(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Result<TinyProgram> parse() {
    while (ok() && at_ < lines_.size()) {
      const Words& words = lines_[at_++];
      if (!words.empty() && !declaration(words))
        fail("not a declaration, 'thread' or 'final': '" + words[0] + "'");
    }
    if (ok() && program_.threads.empty()) fail("no thread");
    if (!ok()) return badInput(problem_);
    return std::move(program_);
  }

private:
  bool ok() const { return problem_.empty(); }
  void fail(const std::string& what) {
    if (ok()) problem_ = "line " + std::to_string(at_) + ": " + what;
  }

  bool declaration(const Words& words) {
    if (words[0] == "shared") {
      named(words, program_.variables, [&](int value) { program_.initial.push_back(value); });
    } else if (words[0] == "mutex") {
      named(words, program_.mutexes, [](int) {});
    } else if (words[0] == "condition") {
      named(words, program_.conditions, [](int) {});
    } else if (words[0] == "semaphore") {
      named(words, program_.semaphores, [&](int value) { program_.tokens.push_back(unsigned(value)); });
    } else if (words[0] == "thread") {
      thread();
    } else if (words[0] == "final") {
      finalCheck(words);
    } else {
      return false;
    }
    return true;
  }

  // "kind a b=1"
  template <typename Take> void named(const Words& words, std::vector<std::string>& names, Take take) {
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      const std::optional<int> value =
          equals == std::string::npos ? std::optional<int>(0) : numberIn(words[i].substr(equals + 1));
      if (!value) return fail("not a small number: '" + words[i] + "'");
      names.push_back(words[i].substr(0, equals));
      take(*value);
    }
    if (names.size() > kMostObjects) fail("more than " + std::to_string(kMostObjects) + " of one kind");
  }

  void thread() {
    if (program_.threads.size() == kMostThreads)
      return fail("more than " + std::to_string(kMostThreads) + " threads");
    code_.clear();
    while (ok() && at_ < lines_.size()) {
      const Words& words = lines_[at_];
      if (!words.empty() && (words[0] == "thread" || words[0] == "final")) break;
      ++at_;
      if (!words.empty()) statement(words, nullptr);
    }
    add(OpKind::end);
    program_.threads.push_back(code_);
  }

  // Statements up to the `end`, or `else`, that belongs to them; which of both it was.
  std::string block(std::vector<size_t>* leaves) {
    while (ok() && at_ < lines_.size()) {
      const Words& words = lines_[at_++];
      if (words.empty()) continue;
      if (words[0] == "end" || words[0] == "else") return words[0];
      statement(words, leaves);
    }
    fail("'end' is missing");
    return {};
  }

  // `leaves`: the jumps that leave the loop around it, which do not know yet where it ends; null: no loop.
  void statement(const Words& words, std::vector<size_t>* leaves) {
    if (words[0] == "if") return conditional(words, leaves);
    if (words[0] == "loop") return loop(words);
    if (words[0] == "leave") return leave(words, leaves);
    if (words.size() >= 3 && words[1] == "=") return assignment(words);
    simple(words);
  }

  void conditional(const Words& words, std::vector<size_t>* leaves) {
    const size_t branch = condition(OpKind::branch, words);
    const std::string ending = block(leaves);
    if (ending == "else") {
      const size_t skip = add(OpKind::jump);
      code_[branch].jump = here();
      if (block(leaves) == "else") fail("two 'else' for one 'if'");
      code_[skip].jump = here();
    } else {
      code_[branch].jump = here();
    }
  }

  void loop(const Words& words) {
    const std::optional<int> times = words.size() == 2 ? numberIn(words[1]) : std::nullopt;
    if (!times || *times < 1 || *times > 3) return fail("'loop' needs a number from 1 to 3");
    std::vector<size_t> leaves;
    const size_t body = at_;
    for (int i = 0; ok() && i < *times; ++i) {
      at_ = body;
      if (block(&leaves) == "else") fail("'else' without 'if'");
    }
    for (const size_t jump : leaves) code_[jump].jump = here();
  }

  // Goes on behind itself, over the jump, if the condition does not hold.
  void leave(const Words& words, std::vector<size_t>* leaves) {
    if (!leaves) return fail("'leave' outside of a loop");
    const size_t branch = condition(OpKind::branch, words);
    leaves->push_back(add(OpKind::jump));
    code_[branch].jump = here();
  }

  void assignment(const Words& words) {
    if (const std::optional<uint8_t> target = registerIn(words[0])) return intoRegister(*target, words);
    const size_t op = add(OpKind::write);
    code_[op].object = object(program_.variables, words[0]);
    code_[op].operand = operand(words, 2);
  }

  void intoRegister(uint8_t target, const Words& words) {
    static const std::pair<const char*, OpKind> kAtomic[] = {
        {"add", OpKind::add}, {"exchange", OpKind::exchange}, {"replace", OpKind::replace}};
    for (const auto& [word, kind] : kAtomic)
      if (words[2] == word) return atomic(kind, target, words);
    OpKind kind = OpKind::read;
    const std::vector<std::string>* names = &program_.variables;
    if (words[2] == "trylock") kind = OpKind::tryLock, names = &program_.mutexes;
    if (words[2] == "trytake") kind = OpKind::tryTake, names = &program_.semaphores;
    if (kind == OpKind::read && !indexIn(*names, words[2])) kind = OpKind::compute;
    const size_t op = add(kind);
    code_[op].target = target;
    if (kind == OpKind::compute) {
      code_[op].operand = operand(words, 2);
    } else if (words.size() != (kind == OpKind::read ? 3u : 4u)) {
      fail("'" + words[2] + "' is followed by something else than one name");
    } else {
      code_[op].object = object(*names, words.back());
    }
  }

  void atomic(OpKind kind, uint8_t target, const Words& words) {
    if (words.size() != (kind == OpKind::replace ? 6u : 5u))
      return fail("'" + words[2] + "' needs a name and values");
    const size_t op = add(kind);
    code_[op].target = target;
    code_[op].object = object(program_.variables, words[3]);
    code_[op].operand = value(words[4]);
    if (kind == OpKind::replace) code_[op].second = value(words[5]);
  }

  void simple(const Words& words) {
    if (words[0] == "assert") {
      condition(OpKind::assertion, words);
    } else if (words[0] == "exit") {
      const size_t op = add(OpKind::exit);
      code_[op].operand = operand(words, 1);
    } else {
      sync(words);
    }
  }

  void sync(const Words& words) {
    struct Form {
      const char* word;
      OpKind kind;
      const std::vector<std::string>& names;
    };
    const Form forms[] = {{"lock", OpKind::lock, program_.mutexes},
                          {"unlock", OpKind::unlock, program_.mutexes},
                          {"wait", OpKind::wait, program_.conditions},
                          {"signal", OpKind::signal, program_.conditions},
                          {"broadcast", OpKind::broadcast, program_.conditions},
                          {"post", OpKind::post, program_.semaphores},
                          {"take", OpKind::take, program_.semaphores}};
    for (const Form& form : forms) {
      if (words[0] != form.word) continue;
      if (words.size() != (form.kind == OpKind::wait ? 3u : 2u)) return fail("'" + words[0] + "' needs its names");
      const size_t op = add(form.kind);
      code_[op].object = object(form.names, words[1]);
      if (form.kind == OpKind::wait) code_[op].mutex = object(program_.mutexes, words[2]);
      return;
    }
    fail("not a statement: '" + words[0] + "'");
  }

  // "word r0 == r1 + 2"
  size_t condition(OpKind kind, const Words& words) {
    const size_t op = add(kind);
    const std::optional<uint8_t> left = words.size() > 3 ? registerIn(words[1]) : std::nullopt;
    const std::optional<Comparison> comparison = words.size() > 3 ? comparisonIn(words[2]) : std::nullopt;
    if (!left || !comparison) {
      fail("a condition is a register, a comparison and a value");
      return op;
    }
    code_[op].target = *left;
    code_[op].comparison = *comparison;
    code_[op].operand = operand(words, 3);
    return op;
  }

  void finalCheck(const Words& words) {
    const std::optional<Comparison> comparison = words.size() == 4 ? comparisonIn(words[2]) : std::nullopt;
    const std::optional<int> constant = words.size() == 4 ? numberIn(words[3]) : std::nullopt;
    if (!comparison || !constant) return fail("'final' is a variable, a comparison and a number");
    program_.finals.push_back(
        {object(program_.variables, words[1]), *comparison, int16_t(*constant), uint16_t(at_)});
  }

  // "r0", "3", "r0 + 3" or "r0 - 3", up to the end of the line.
  Operand operand(const Words& words, size_t from) {
    if (words.size() == from + 1) return value(words[from]);
    const bool isSum = words.size() == from + 3 && (words[from + 1] == "+" || words[from + 1] == "-");
    const std::optional<uint8_t> base = isSum ? registerIn(words[from]) : std::nullopt;
    const std::optional<int> constant = isSum ? numberIn(words[from + 2]) : std::nullopt;
    if (!base || !constant) {
      fail("a value is a register, a number, or a register and a number");
      return {};
    }
    return {int8_t(*base), int16_t(words[from + 1] == "+" ? *constant : -*constant)};
  }
  Operand value(const std::string& word) {
    if (const std::optional<uint8_t> base = registerIn(word)) return {int8_t(*base), 0};
    if (const std::optional<int> constant = numberIn(word)) return {-1, int16_t(*constant)};
    fail("neither a register nor a small number: '" + word + "'");
    return {};
  }

  uint8_t object(const std::vector<std::string>& names, const std::string& name) {
    const std::optional<uint8_t> index = indexIn(names, name);
    if (!index) fail("'" + name + "' is not declared as what it is used for");
    return index.value_or(0);
  }

  uint16_t here() const { return uint16_t(code_.size()); }
  size_t add(OpKind kind) {
    code_.push_back({.kind = kind, .operand = {}, .second = {}, .line = uint16_t(at_)});
    return code_.size() - 1;
  }

  std::vector<Words> lines_;
  size_t at_ = 0; // the next line; while a statement is read, its number from 1
  TinyProgram program_;
  std::vector<Op> code_; // of the thread that is being read
  std::string problem_;
};

} // namespace

Result<TinyProgram> parseTinyProgram(std::string_view text) { return Parser(text).parse(); }

} // namespace symbiosis::reference

#include "tests/reference/random_program.h"
#include "tests/reference/interpreter.h"
#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

namespace symbiosis::reference {

namespace {

// Writes one program. Mutexes are released by whoever locked them, on every path; everything else is up to chance.
class Writer {
public:
  Writer(std::mt19937& random, const RandomProgramOptions& options) : random_(random) {
    threads_ = options.mostThreads > 2 && chance(40) ? 3 : 2;
    operations_ = threads_ == 2 ? options.mostOperations : std::max(2u, options.mostOperations - 3);
  }

  std::string write() {
    variables_ = 1 + below(chance(80) ? 2 : 4);
    mutexes_ = chance(75) ? 1 + below(2) : 0;
    hasCondition_ = mutexes_ > 0 && chance(50);
    hasSemaphore_ = chance(30);
    line("shared" + names("xyzw", variables_, true));
    if (mutexes_) line("mutex" + names("mn", mutexes_, false));
    if (hasCondition_) line("condition c");
    if (hasSemaphore_) line("semaphore s=" + std::to_string(below(2)));
    for (unsigned thread = 0; thread < threads_; ++thread) writeThread();
    return text_;
  }

private:
  unsigned below(unsigned bound) { return unsigned(random_() % bound); }
  bool chance(unsigned percent) { return below(100) < percent; }

  void line(const std::string& statement) { text_ += std::string(2 * depth_, ' ') + statement + "\n"; }
  void spend(unsigned operations) { left_ -= std::min(left_, operations); }

  std::string names(const char* letters, unsigned count, bool withValues) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      text += std::string(" ") + letters[i];
      if (withValues && chance(30)) text += "=" + std::to_string(1 + below(2));
    }
    return text;
  }
  std::string variable() { return std::string(1, "xyzw"[below(variables_)]); }
  std::string anyRegister() { return "r" + std::to_string(below(2)); }
  std::string small() { return std::to_string(below(3)); }
  std::string value() {
    if (chance(40)) return small();
    return chance(60) ? anyRegister() + " + 1" : anyRegister();
  }
  std::string condition() {
    static const char* const kComparisons[] = {"==", "!=", "<", ">"};
    return anyRegister() + " " + kComparisons[below(4)] + " " + small();
  }

  void writeThread() {
    line("thread");
    ++depth_;
    left_ = 2 + below(operations_ - 1);
    while (left_ > 0) statement();
    --depth_;
  }

  void statement() {
    const unsigned kind = below(100);
    if (kind < 18) return read();
    if (kind < 34) return change();
    if (kind < 44) return atomic();
    if (kind < 60 && mutexes_ > 0 && left_ > 2) return section();
    if (kind < 70) return check();
    if (kind < 74 && left_ > 2) return loop();
    if (kind < 78) return assertion();
    if (kind < 88 && hasCondition_ && !(held_ & 1)) return chance(60) ? waitFor() : announce();
    if (kind < 94 && hasSemaphore_) return token();
    if (kind < 97 && mutexes_ > 0 && held_ == 0) return attempt();
    if (kind == 99) return line("exit " + std::to_string(1 + below(2))), spend(1);
    read();
  }

  void read() {
    line(anyRegister() + " = " + variable());
    spend(1);
  }
  void change() {
    line(variable() + " = " + value());
    spend(1);
  }
  void atomic() {
    const unsigned kind = below(3);
    if (kind == 0) line(anyRegister() + " = add " + variable() + " 1");
    if (kind == 1) line(anyRegister() + " = exchange " + variable() + " " + small());
    if (kind == 2) line(anyRegister() + " = replace " + variable() + " " + small() + " " + small());
    spend(1);
  }

  // A mutex that is not held, if there is one; two threads may take two mutexes in both orders.
  std::optional<std::string> freeMutex() {
    for (unsigned tries = 0; tries < 4; ++tries)
      if (const unsigned mutex = below(mutexes_); !(held_ & (1u << mutex))) return std::string(1, "mn"[mutex]);
    return std::nullopt;
  }
  void section() {
    const std::optional<std::string> mutex = freeMutex();
    if (!mutex) return read();
    line("lock " + *mutex);
    spend(2);
    inside(*mutex, 1 + below(2));
    line("unlock " + *mutex);
  }
  void inside(const std::string& mutex, unsigned statements) {
    const unsigned bit = mutex == "m" ? 1u : 2u;
    held_ |= bit;
    for (unsigned i = 0; i < statements && left_ > 0; ++i) statement();
    held_ &= ~bit;
  }

  void block(unsigned statements) {
    ++depth_;
    for (unsigned i = 0; i < statements; ++i) left_ > 0 ? statement() : change();
    --depth_;
  }
  // What is checked has just been read, more often than not.
  void check() {
    const std::string target = anyRegister();
    if (chance(80)) line(target + " = " + variable()), spend(1);
    line("if " + target + (chance(70) ? " == " : " != ") + small());
    block(1 + below(2));
    if (chance(30)) {
      line("else");
      block(1);
    }
    line("end");
  }
  void loop() {
    line("loop " + std::to_string(2 + below(2)));
    ++depth_;
    read();
    line("leave " + condition());
    if (chance(50)) change();
    --depth_;
    line("end");
    spend(2);
  }
  void assertion() {
    if (chance(80)) read();
    line("assert " + condition());
  }

  // With `if` or, as it should be, in a loop; what it waits for is looked at before the lock is taken, or after.
  void waitFor() {
    const std::string what = variable(), early = chance(30) ? "r0 = " + what : "";
    if (!early.empty()) line(early);
    line("lock m");
    const bool loops = chance(50);
    if (loops) line("loop 2");
    depth_ += loops;
    if (early.empty()) line("r0 = " + what);
    if (loops) line("leave r0 != 0");
    if (!loops) line("if r0 == 0");
    depth_ += !loops;
    line("wait c m");
    --depth_;
    line("end");
    if (chance(40)) line(what + " = 0");
    line("unlock m");
    spend(5);
  }
  void announce() {
    const bool locks = chance(70);
    if (locks) line("lock m");
    line(variable() + " = 1");
    line(chance(60) ? "signal c" : "broadcast c");
    if (locks) line("unlock m");
    spend(locks ? 4 : 2);
  }
  void token() {
    const unsigned kind = below(3);
    line(kind == 0 ? "take s" : kind == 1 ? "post s" : "r1 = trytake s");
    spend(1);
  }
  void attempt() {
    line("r1 = trylock m");
    line("if r1 == 1");
    ++depth_;
    spend(2);
    inside("m", 1);
    line("unlock m");
    --depth_;
    line("end");
  }

  std::mt19937& random_;
  unsigned threads_ = 2, operations_ = 0, variables_ = 1, mutexes_ = 0;
  bool hasCondition_ = false, hasSemaphore_ = false;
  unsigned depth_ = 0;
  unsigned left_ = 0; // operations that this thread may still make, or few more
  unsigned held_ = 0; // mutexes, by bit
  std::string text_;
};

// "final x == 1", where some schedules end with this value of x and others with another one.
std::string finalCheckFor(std::mt19937& random, const Possibilities& possible) {
  std::vector<std::string> states;
  for (const auto& [outcome, steps] : possible.outcomes)
    if (isPassing(outcome)) states.push_back(outcome.text);
  if (states.size() < 2) return {};
  const std::string& chosen = states[random() % states.size()];
  size_t begin = chosen.find(' '), other = 0;
  while (begin != std::string::npos) {
    const size_t end = chosen.find(' ', begin + 1);
    const std::string part = chosen.substr(begin, end - begin);
    for (const std::string& state : states) other += (state + " ").find(part + " ") == std::string::npos;
    if (other > 0) return "final " + part.substr(1, 1) + " == " + part.substr(3) + "\n";
    begin = end;
  }
  return {};
}

} // namespace

std::string randomProgram(std::mt19937& random, const RandomProgramOptions& options) {
  InterpreterOptions limits;
  limits.limit = options.mostInterleavings;
  for (;;) {
    std::string text = Writer(random, options).write();
    const Result<TinyProgram> program = parseTinyProgram(text);
    assert(program && "the generator writes programs");
    const Result<Possibilities> possible = interleave(*program, limits);
    if (!possible) continue;
    const bool isDefined =
        std::none_of(possible->outcomes.begin(), possible->outcomes.end(),
                     [](const auto& entry) { return entry.first.kind == OutcomeKind::undefined; });
    const bool isDull = possible->outcomes.size() == 1 && random() % 4 != 0;
    if (!isDefined || isDull) continue;
    if (!possible->canFail() || random() % 4 == 0) text += finalCheckFor(random, *possible);
    return text;
  }
}

} // namespace symbiosis::reference

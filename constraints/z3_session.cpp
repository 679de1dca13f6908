#include "constraints/z3_session.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace symbiosis {

double z3MemoryInUse() { return double(Z3_get_estimated_alloc_size()); }

namespace {

// While it lives, interrupts the context once the watch has expired, again and again: an interrupt that
// arrives before Z3 has entered its search is lost.
class Interrupter {
public:
  Interrupter(z3::context& context, const CallWatch& watch)
      : thread_([this, &context, &watch] { run(context, watch); }) {}
  ~Interrupter() {
    {
      std::lock_guard guard(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

private:
  void run(z3::context& context, const CallWatch& watch) {
    constexpr auto kPoll = std::chrono::milliseconds(5);
    std::unique_lock guard(mutex_);
    while (!changed_.wait_for(guard, kPoll, [this] { return done_; }))
      if (watch.expired()) context.interrupt();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_; // last: it uses the others
};

} // namespace

Z3Session::Z3Session(bool explains) : explains_(explains), solver_(context_, z3::solver::simple()) {}

void Z3Session::require(const z3::expr& constraint) {
  if (constraints_ >= kMostConstraints) throw LimitReached{"the formula became too large for Z3"};
  solver_.add(about_ ? z3::implies(*about_, constraint) : constraint);
  ++constraints_;
}

void Z3Session::about(std::optional<Fact> fact) {
  if (!explains_) return;
  about_.reset();
  if (!fact) return;
  about_ = literal("fact");
  facts_.emplace_back(*fact, *about_);
}

z3::expr Z3Session::literal(const char* prefix) {
  return context_.bool_const((prefix + std::to_string(variables_++)).c_str());
}

std::string Z3Session::smtLib(const z3::expr_vector& assumptions) {
  solver_.push();
  for (const z3::expr& assumption : assumptions) solver_.add(assumption);
  const std::string text = solver_.to_smt2();
  solver_.pop();
  return text;
}

z3::check_result Z3Session::check(const z3::expr_vector& assumptions, const CallWatch& watch) {
  watch.check();
  z3::check_result result;
  {
    Interrupter interrupter(context_, watch);
    result = solver_.check(assumptions);
  }
  if (result == z3::unknown) watch.check();
  return result;
}

} // namespace symbiosis

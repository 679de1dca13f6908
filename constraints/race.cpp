#include "constraints/race.h"
#include <fmt/format.h>
#include <mutex>
#include <new>
#include <thread>

namespace symbiosis {

namespace {

class Race {
public:
  Race(const std::vector<Entrant>& entrants, const CallWatch& watch)
      : entrants_(entrants), whole_(watch), watch_(watch.stoppable()), reasons_(entrants.size()) {}

  ScheduleAnswer run() {
    std::vector<std::thread> others;
    for (size_t i = 1; i < entrants_.size(); ++i) others.emplace_back([this, i] { runOne(i); });
    runOne(0);
    for (std::thread& other : others) other.join();
    if (winner_.answer == Answer::unknown) winner_.reason = whyUnknown();
    return std::move(winner_);
  }

private:
  void runOne(size_t i) {
    ScheduleAnswer answer;
    try {
      answer = entrants_[i].answer(watch_.withShareOfMemory(1.0 / double(entrants_.size())));
    } catch (const LimitReached& limit) {
      answer.reason = limit.reason;
    } catch (const std::bad_alloc&) {
      answer.reason = "out of memory";
    }
    const std::lock_guard guard(mutex_);
    reasons_[i] = answer.reason;
    if (answer.answer == Answer::unknown || winner_.answer != Answer::unknown) return;
    winner_ = std::move(answer);
    watch_.stop();
  }

  std::string whyUnknown() const {
    std::string reason = whole_.expired() ? whole_.reason() : reasons_.front();
    const char* separator = "; tried: ";
    for (const Entrant& entrant : entrants_) {
      const std::string tried = entrant.tried();
      if (tried.empty()) continue;
      reason += separator + tried;
      separator = ", ";
    }
    return reason;
  }

  const std::vector<Entrant>& entrants_;
  const CallWatch& whole_;
  const CallWatch watch_;
  std::mutex mutex_;
  ScheduleAnswer winner_;
  std::vector<std::string> reasons_; // by entrant: why it gave up
};

} // namespace

ScheduleAnswer race(const std::vector<Entrant>& entrants, const CallWatch& watch) {
  return Race(entrants, watch).run();
}

} // namespace symbiosis

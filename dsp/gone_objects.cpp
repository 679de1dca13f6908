#include "dsp/gone_objects.h"
#include "dsp/reference_count.h"
#include "dsp/sentences.h"
#include "trace/life.h"
#include <fmt/format.h>

namespace symbiosis {

namespace {

class MisuseWords : Sentences {
public:
  MisuseWords(const SymbolicTrace& trace, const EventOrder& failing, const Dsp& dsp)
      : Sentences(trace, failing, shownFailure(trace, dsp)) {
    use_ = useOfGone(trace), freed_ = trace.failure.freed;
  }

  std::optional<Classification> classifyCount(EventRef decisive) {
    const std::optional<BrokenCount> count = findBrokenCount(failing_, use_);
    if (!count || (decisive != kNoEvent && !isSameCell(decisive, count->test))) return {};
    return describe(*count);
  }

  std::optional<Classification> classify(const Alternate& alternate) {
    if (freed_ == kNoEvent || use_ == kNoEvent) return {};
    if (auto count = classifyCount(kNoEvent)) return count;
    const Event& freed = trace_.event(freed_);
    const std::string& name = isDestroyed() ? freed.variable : trace_.objects[freed.object].name;
    Classification result;
    result.variable = name;
    const std::string object = !name.empty() ? shortenMiddle(name, 40) : isDestroyed() ? "it" : "the block";
    const bool isNamed = !name.empty() && useWords().find(name) != std::string::npos;
    result.headline =
        fmt::format("{} {}{} after {} has {} {}{}.", thread(use_), useWords(), at(use_), thread(freed_),
                    isDestroyed() ? "destroyed" : "freed", isFree() || isNamed ? "it" : object, at(freed_));
    result.bugClass = alternate.status == AlternateStatus::found ? BugClass::orderViolation : BugClass::other;
    if (const EventRef first = lastLook(); first != kNoEvent) result.region = {first, use_, {freed_}};
    result.hint = isFree() ? fmt::format("Only one of them may free {}: let the last who uses it do so.", object)
                           : useHint(object, result.region);
    return result;
  }

private:
  // Not the order of free and use was wrong, but what they thought of the count.
  Classification describe(const BrokenCount& count) {
    Classification result;
    result.bugClass = BugClass::atomicityViolation;
    result.variable = trace_.event(count.test).variable;
    const std::string name = result.variable.empty() ? "the count" : shortenMiddle(result.variable, 40);
    const std::string end =
        isFree() ? "both free the block" : fmt::format("{} frees the block{}", thread(freed_), at(freed_));
    const std::string other = thread(count.intruder) + at(count.intruder);
    result.headline = count.isLostUpdate
                          ? fmt::format("{} overwrites the {} that {} has changed{}, and {}.", thread(count.last),
                                        name, thread(count.intruder), at(count.intruder), end)
                          : fmt::format("{}'s change of {}{} and its test{} are split by {}: {}.",
                                        thread(count.first), name, at(count.first), at(count.last), other, end);
    result.region = {count.first, count.last, {count.intruder}};
    result.hint = atomicHint(count.first, count.last);
    if (count.isLostUpdate)
      result.hint = fmt::format("Change {} atomically, or always under one lock: {}'s {} and {}'s {}.", name,
                                thread(count.first), span(count.first, count.last), thread(count.intruder),
                                placeWord(count.intruder));
    else if (result.hint.ends_with("region."))
      result.hint = fmt::format("Decide by what the change of {} itself gives: make {}'s {} one atomic region.",
                                name, thread(count.first), span(count.first, count.last));
    return result;
  }

  bool isSameCell(EventRef a, EventRef b) const {
    for (const Part& x : trace_.partsOf(a))
      for (const Part& y : trace_.partsOf(b))
        if (x.cell == y.cell) return true;
    return false;
  }

  // The last that the using thread did with the block before it was freed; kNoEvent: nothing.
  EventRef lastLook() const {
    for (EventRef event = use_; event-- > trace_.threads[trace_.threadOf(use_)].firstEvent;)
      if (failing_.isBefore(event, freed_) && trace_.event(event).object == trace_.event(freed_).object &&
          (lifeStepOf(trace_, event) == LifeStep::none || lifeStepOf(trace_, event) == LifeStep::uses))
        return event;
    return kNoEvent;
  }
  bool isDestroyed() const { return trace_.failure.kind == FailureKind::useAfterDestroy; }
  bool isFree() const { return trace_.failure.kind == FailureKind::doubleFree; }

  // "reads p->size", "calls pthread_mutex_lock(&p->lock)"
  std::string useWords() const {
    const std::string message = trace_.failure.message.substr(0, trace_.failure.message.find(" (SIG"));
    if (isFree()) return "calls " + message;
    constexpr std::pair<std::string_view, const char*> kVerbs[] = {
        {"read of ", "reads "}, {"write of ", "writes "}, {"update of ", "updates "}};
    for (const auto& [begin, verb] : kVerbs)
      if (message.starts_with(begin)) return verb + shortenMiddle(message.substr(begin.size()), 40);
    return "calls " + shortenMiddle(message, 50);
  }

  std::string useHint(const std::string& object, const std::optional<AtomicRegion>& region) const {
    const std::string user = thread(use_), owner = thread(freed_);
    const bool isAncestor =
        trace_.threads[trace_.threadOf(use_)].id.starts_with(trace_.threads[trace_.threadOf(freed_)].id + ".");
    const bool isOneLine = !region || placeWord(region->first) == placeWord(use_);
    if (isDestroyed())
      return fmt::format("{} must not destroy {} before {} is done with it{}.", owner, object, user,
                         isAncestor ? fmt::format(": join {} before {}", user, placeWord(freed_)) : "");
    return fmt::format("{} must not free {} while {} uses it: {}let {} hold a reference {}{}.", owner, object,
                       user, isAncestor ? fmt::format("join {} before {}, or ", user, placeWord(freed_)) : "",
                       user, isOneLine ? "until " : fmt::format("from {} to ", placeWord(region->first)),
                       placeWord(use_));
  }

  EventRef use_ = kNoEvent, freed_ = kNoEvent;
};

} // namespace

std::optional<Classification> classifyCount(const SymbolicTrace& trace, const EventOrder& failing, const Dsp& dsp,
                                            EventRef decisive) {
  return MisuseWords(trace, failing, dsp).classifyCount(decisive);
}

std::optional<Classification> classifyMisuse(const SymbolicTrace& trace, const EventOrder& failing,
                                             const Alternate& alternate, const Dsp& dsp) {
  return MisuseWords(trace, failing, dsp).classify(alternate);
}

} // namespace symbiosis

#include "dsp/gone_objects.h"
#include "dsp/sentences.h"
#include <fmt/format.h>

namespace symbiosis {

namespace {

class MisuseWords : Sentences {
public:
  MisuseWords(const SymbolicTrace& trace, const EventOrder& failing, const Dsp& dsp)
      : Sentences(trace, failing, shownFailure(trace, dsp)) {
    for (ExprId condition : trace.failure.bug)
      for (uint32_t symbol : trace.exprs.symbolsIn(condition))
        if (const EventRef event = trace.symbols[symbol].event; event != kNoEvent && cellOf(event) != kNone) use_ = event;
    if (use_ != kNoEvent) freed_ = trace.failure.freed;
  }

  std::optional<Classification> classify(const Alternate& alternate) {
    if (freed_ == kNoEvent) return {};
    Classification result;
    result.variable = trace_.event(freed_).variable;
    const std::string object = result.variable.empty() ? "the block" : shortenMiddle(result.variable, 40);
    result.headline = fmt::format("{} {}{} after {} has freed {}{}.", thread(use_), useWords(), at(use_),
                                  thread(freed_), isFree() || isNamedInUse() ? "it" : object, at(freed_));
    result.bugClass = alternate.status == AlternateStatus::found ? BugClass::orderViolation : BugClass::other;
    result.hint = isFree() ? fmt::format("Only one of them may free {}: let the last who uses it do so.", object)
                           : useHint(object);
    return result;
  }

private:
  // The life that the event reads or ends; kNone: none.
  uint32_t cellOf(EventRef event) const {
    for (const Part& part : trace_.partsOf(event))
      if (trace_.cells[part.cell].isLife) return part.cell;
    return kNone;
  }
  bool isFree() const { return trace_.failure.kind == FailureKind::doubleFree; }
  bool isNamedInUse() const {
    const std::string& name = trace_.event(freed_).variable;
    return !name.empty() && useWords().find(name.substr(name.find_first_not_of('*'))) != std::string::npos;
  }

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

  std::string useHint(const std::string& object) const {
    const std::string user = thread(use_), owner = thread(freed_);
    const bool isAncestor = trace_.threads[trace_.threadOf(use_)].id.starts_with(
        trace_.threads[trace_.threadOf(freed_)].id + ".");
    return fmt::format("{} must not free {} while {} uses it: {}let {} hold a reference until {}.", owner, object, user,
                       isAncestor ? fmt::format("join {} before {}, or ", user, placeWord(freed_)) : "", user,
                       placeWord(use_));
  }

  EventRef use_ = kNoEvent, freed_ = kNoEvent;
};

} // namespace

std::optional<Classification> classifyMisuse(const SymbolicTrace& trace, const EventOrder& failing,
                                             const Alternate& alternate, const Dsp& dsp) {
  return MisuseWords(trace, failing, dsp).classify(alternate);
}

} // namespace symbiosis

// `dsp.json`: everything that the other views show, as data. The contract is docs/dsp-schema.json.
#include "dsp/shown_run.h"
#include "dsp/wording.h"
#include "trace/evaluated_schedule.h"
#include "trace/switches.h"
#include "viz/views.h"
#include "viz/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace symbiosis {

namespace {

using Json = nlohmann::ordered_json;

class JsonWriter {
public:
  JsonWriter(const Diagnosis& d, const SymbolicTrace& t)
      : d_(d), trace_(t), failing_(d, t, Side::failing), alternate_(d, t, Side::alternate),
        hasAlternate_(!d.alternate.order.empty() && alternate_.isFeasible()) {}

  Json write() {
    return {{"schema", "symbiosis-dsp/2"},
            {"program", {{"path", d_.program.path}, {"args", d_.program.args}}},
            {"recording", d_.recording},
            {"failure", failure()},
            {"failing", failingSchedule()},
            {"rootCause", rootCause(d_.rootCause)},
            {"otherCauses", otherCauses()},
            {"alternate", alternate(d_.alternate)},
            {"otherAlternates", otherAlternates()},
            {"decision", decision()},
            {"contrast", contrast()},
            {"dsp", dsp()},
            {"classification", classification()},
            {"certificate", certificate()},
            {"confirmation", confirmation()},
            {"stats", stats()},
            {"limits", d_.limits}};
  }

private:
  std::string id(EventRef ref) const { return eventId(d_, trace_, ref); }
  Json idOrNull(EventRef ref) const { return ref == kNoEvent ? Json() : Json(id(ref)); }

  Json location(uint32_t at) const {
    if (at == kNone) return nullptr;
    const SourceLocation& where = trace_.locations[at];
    return {{"file", where.file}, {"line", where.line}, {"function", where.function}};
  }

  // Numbers that a double holds exactly stay numbers; the rest become text, as in the other views.
  static Json number(const AccessValue& of) {
    const int64_t value = of.width == 1 ? int64_t(of.bits & 1) : signExtend(of.bits, of.width);
    constexpr int64_t kExact = int64_t{1} << 53;
    if (!of.isFloat && -kExact <= value && value <= kExact) return value;
    const Json real = of.isFloat ? Json::parse(formatValue(of), nullptr, false) : Json();
    return real.is_number() ? real : Json(formatValue(of));
  }
  Json valueIn(const ShownRun& run, EventRef ref) {
    if (!isAccess(trace_.event(ref).kind) || !run.happened(ref)) return nullptr;
    return number(run.accessValue(ref));
  }

  Json event(EventRef ref) {
    const Event& e = trace_.event(ref);
    Json json = {{"id", id(ref)},
                 {"thread", trace_.threads[e.id.thread].displayName},
                 {"kind", toText(e.kind)},
                 {"variable", e.variable.empty() ? Json() : Json(e.variable)},
                 {"value", valueIn(failing_, ref)},
                 {"location", location(e.location)}};
    if (d_.otherPath && d_.otherPath->joined.isMissing(1, ref)) json["only"] = "failing";
    if (d_.otherPath && d_.otherPath->joined.isMissing(0, ref)) json["only"] = "alternate";
    if (hasAlternate_) json["alternateValue"] = valueIn(alternate_, ref);
    return json;
  }
  Json events(const std::vector<EventRef>& refs) {
    Json json = Json::array();
    for (EventRef ref : refs) json.push_back(event(ref));
    return json;
  }
  Json ids(const std::vector<EventRef>& refs) const {
    Json json = Json::array();
    for (EventRef ref : refs) json.push_back(id(ref));
    return json;
  }

  Json failure() const {
    const Failure& f = trace_.failure;
    const ShownFailure shown = shownFailure(trace_, d_.dsp);
    Json result = {{"kind", toText(f.kind)},
                   {"message", f.message},
                   {"thread", shown.event == kNoEvent
                                  ? Json()
                                  : Json(trace_.threads[trace_.threadOf(shown.event)].displayName)},
                   {"location", location(shown.location)}};
    if (!isHeapMisuse(f.kind)) return result;
    result["allocated"] = location(f.allocated);
    result["freed"] = location(f.freed == kNoEvent ? kNone : trace_.event(f.freed).location);
    result["used"] = location(f.location);
    return result;
  }
  size_t failingDataflows() const {
    if (!failing_.isFeasible()) return 0;
    const OtherPath* other = d_.otherPath.get();
    return other ? dataflows(other->runs[0], other->orders[0]).size() : dataflows(trace_, d_.failing).size();
  }
  size_t failingPreemptions() const {
    const OtherPath* other = d_.otherPath.get();
    return other ? preemptions(other->runs[0], other->orders[0]) : preemptions(trace_, d_.failing);
  }
  Json failingSchedule() const {
    return {{"events", d_.failing.size()},
            {"dataflows", failingDataflows()},
            {"contextSwitches", contextSwitches(trace_, d_.failing)},
            {"originalContextSwitches", d_.originalSwitches},
            {"preemptions", failingPreemptions()},
            {"originalPreemptions", d_.originalPreemptions},
            {"threads", trace_.threads.size()}};
  }
  Json rootCause(const RootCause& cause) {
    Json orders = Json::array();
    for (const OrderEdge& edge : cause.orders)
      orders.push_back({{"before", event(edge.before)}, {"after", event(edge.after)}});
    return {{"orders", orders}, {"status", toText(cause.status)}, {"note", cause.note}};
  }
  Json otherCauses() {
    Json json = Json::array();
    for (const RootCause& cause : d_.otherCauses) json.push_back(rootCause(cause));
    return json;
  }
  Json otherAlternates() const {
    Json json = Json::array();
    for (const Alternate& other : d_.otherAlternates) json.push_back(alternate(other));
    return json;
  }
  Json confirmation() const {
    const Confirmation& c = d_.confirmation;
    return {{"runs", c.runs},
            {"failed", c.failed},
            {"undecided", c.undecided},
            {"turned", c.turned},
            {"note", c.note}};
  }
  Json alternate(const Alternate& a) const {
    Json inverted;
    if (a.inverted) inverted = {{"before", id(a.inverted->before)}, {"after", id(a.inverted->after)}};
    return {{"status", toText(a.status)}, {"path", d_.otherPath ? "other" : "same"},
            {"pairsTried", a.pairsTried}, {"method", toText(a.method)},
            {"inverted", inverted},       {"note", a.note}};
  }
  // Where the runs part; null: both follow one path, or nothing is known of it.
  Json decision() const {
    if (!d_.otherPath || d_.otherPath->decision.event == kNoEvent) return nullptr;
    const ShownDecision& shown = d_.otherPath->decision;
    return {{"event", id(shown.event)},     {"location", location(shown.location)},
            {"condition", shown.condition}, {"failing", shown.failing},
            {"alternate", shown.alternate}, {"decisive", d_.otherPath->isDecisive}};
  }
  Json contrast() const {
    if (!d_.otherPath || d_.otherPath->contrast.turnedRuns == 0) return nullptr;
    const Contrast& c = d_.otherPath->contrast;
    return {{"flippedPass", c.turnedPass},
            {"flippedRuns", c.turnedRuns},
            {"controlPass", c.controlPass},
            {"controlRuns", c.controlRuns}};
  }
  Json flows(const std::vector<Dataflow>& list) const {
    Json json = Json::array();
    for (const Dataflow& flow : list) {
      const EventRef named = flow.to != kNoEvent ? flow.to : flow.from;
      const std::string& variable =
          named != kNoEvent ? trace_.event(named).variable : trace_.objects[trace_.cells[flow.cell].object].name;
      json.push_back({{"from", idOrNull(flow.from)},
                      {"to", idOrNull(flow.to)},
                      {"variable", variable.empty() ? Json() : Json(variable)},
                      {"value", number(valueOf(trace_, flow))}});
    }
    return json;
  }
  Json dsp() {
    std::vector<EventRef> shown = d_.dsp.failingEvents;
    for (EventRef ref : d_.dsp.alternateEvents)
      if (std::find(shown.begin(), shown.end(), ref) == shown.end()) shown.push_back(ref);
    return {{"events", events(shown)},
            {"alternateOrder", ids(d_.dsp.alternateEvents)},
            {"failingDataflows", flows(d_.dsp.failingDataflows)},
            {"alternateDataflows", flows(d_.dsp.alternateDataflows)}};
  }
  Json classification() const {
    const Classification& c = d_.classification;
    Json region;
    if (c.region)
      region = {
          {"first", id(c.region->first)}, {"last", id(c.region->last)}, {"intruders", ids(c.region->intruders)}};
    return {{"class", toText(c.bugClass)},
            {"variable", c.variable},
            {"headline", c.headline},
            {"hint", c.hint},
            {"region", region}};
  }
  Json certificate() const {
    const Certificate& c = d_.certificate;
    return {{"failing", {{"runs", c.failing.runs}, {"reproduced", c.failing.reproduced}}},
            {"alternate",
             {{"runs", c.alternate.runs},
              {"passedFailurePoint", c.alternate.passedFailurePoint},
              {"completedOk", c.alternate.completedOk},
              {"failedLater", c.alternate.failedLater},
              {"diverged", c.alternate.diverged}}},
            {"whole", {{"runs", c.whole.runs}, {"repeated", c.whole.repeated}}},
            {"complete", c.complete()},
            {"note", c.note}};
  }
  Json stats() const {
    const DiagnosisStats& s = d_.stats;
    return {{"recordedBytes", s.recordedBytes},
            {"events", s.events},
            {"sharedAccesses", s.sharedAccesses},
            {"constraints", s.solver.constraints},
            {"variables", s.solver.variables},
            {"solverCalls", s.solver.calls},
            {"seconds",
             {{"symexec", s.seconds.symexec},
              {"failing", s.seconds.failing},
              {"rootCause", s.seconds.rootCause},
              {"alternate", s.seconds.alternate},
              {"csr", s.seconds.csr},
              {"replay", s.seconds.replay},
              {"total", s.seconds.total}}}};
  }

  const Diagnosis& d_;
  const SymbolicTrace& trace_;
  ShownRun failing_, alternate_;
  bool hasAlternate_;
};

} // namespace

std::string renderJson(const Diagnosis& diagnosis, const SymbolicTrace& trace) {
  // Names may hold bytes that are no UTF-8; they become U+FFFD.
  return JsonWriter(diagnosis, trace).write().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace symbiosis

#include "dsp/saved_phases.h"
#include "support/files.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace symbiosis {
namespace {

using nlohmann::json;

constexpr int kVersion = 3;

json toJson(const OrderEdge& edge) { return {edge.before, edge.after}; }
OrderEdge edgeFrom(const json& from) { return {from.at(0).get<EventRef>(), from.at(1).get<EventRef>()}; }

json toJson(const RootCause& cause) {
  json orders = json::array();
  for (const OrderEdge& edge : cause.orders) orders.push_back(toJson(edge));
  return {{"orders", orders}, {"status", int(cause.status)}, {"note", cause.note}};
}
RootCause causeFrom(const json& from) {
  RootCause cause;
  for (const json& edge : from.at("orders")) cause.orders.push_back(edgeFrom(edge));
  cause.status = ProofStatus(from.at("status").get<int>());
  cause.note = from.at("note");
  return cause;
}

json toJson(const Alternate& alternate) {
  return {{"status", int(alternate.status)},
          {"method", int(alternate.method)},
          {"pairsTried", alternate.pairsTried},
          {"addressesMatter", alternate.addressesMatter},
          {"losesUpdate", alternate.losesUpdate},
          {"inverted", alternate.inverted ? toJson(*alternate.inverted) : json()},
          {"order", alternate.order},
          {"note", alternate.note}};
}
Alternate alternateFrom(const json& from) {
  Alternate alternate;
  alternate.status = AlternateStatus(from.at("status").get<int>());
  alternate.method = AlternateMethod(from.at("method").get<int>());
  alternate.pairsTried = from.at("pairsTried");
  alternate.addressesMatter = from.at("addressesMatter");
  alternate.losesUpdate = from.at("losesUpdate");
  if (!from.at("inverted").is_null()) alternate.inverted = edgeFrom(from.at("inverted"));
  alternate.order = from.at("order").get<EventOrder>();
  alternate.note = from.at("note");
  return alternate;
}

json toJson(const Certificate& certificate) {
  const Certificate::Passing& passing = certificate.alternate;
  return {{"failing", {certificate.failing.runs, certificate.failing.reproduced}},
          {"alternate",
           {passing.runs, passing.passedFailurePoint, passing.completedOk, passing.failedLater, passing.diverged}},
          {"whole", {certificate.whole.runs, certificate.whole.repeated}},
          {"note", certificate.note}};
}
Certificate certificateFrom(const json& from) {
  Certificate certificate;
  const json &failing = from.at("failing"), &passing = from.at("alternate");
  certificate.failing = {failing.at(0), failing.at(1)};
  certificate.alternate = {passing.at(0), passing.at(1), passing.at(2), passing.at(3), passing.at(4)};
  certificate.whole = {from.at("whole").at(0), from.at("whole").at(1)};
  certificate.note = from.at("note");
  return certificate;
}

json toJson(const FailingSchedule& failing) {
  return {{"order", failing.order},
          {"originalSwitches", failing.originalSwitches},
          {"originalPreemptions", failing.originalPreemptions},
          {"limits", failing.limits}};
}
FailingSchedule failingFrom(const json& from) {
  FailingSchedule failing;
  failing.order = from.at("order").get<EventOrder>();
  failing.originalSwitches = from.at("originalSwitches");
  failing.originalPreemptions = from.at("originalPreemptions");
  failing.limits = from.at("limits").get<std::vector<std::string>>();
  return failing;
}

json toJson(const Explanation& explanation) {
  json causes = json::array(), alternates = json::array();
  for (const RootCause& cause : explanation.causes) causes.push_back(toJson(cause));
  for (const Alternate& alternate : explanation.alternates) alternates.push_back(toJson(alternate));
  return {{"failing", explanation.failing},
          {"causes", causes},
          {"hasAllCauses", explanation.hasAllCauses},
          {"alternates", alternates}};
}
Explanation explanationFrom(const json& from) {
  Explanation explanation;
  explanation.failing = from.at("failing").get<EventOrder>();
  for (const json& cause : from.at("causes")) explanation.causes.push_back(causeFrom(cause));
  explanation.hasAllCauses = from.at("hasAllCauses");
  for (const json& alternate : from.at("alternates")) explanation.alternates.push_back(alternateFrom(alternate));
  return explanation;
}

SavedPhases phasesFrom(const json& from) {
  SavedPhases phases;
  if (from.contains("failing")) phases.failing = failingFrom(from.at("failing"));
  if (from.contains("explanation")) phases.explanation = explanationFrom(from.at("explanation"));
  if (from.contains("certificate")) phases.certificate = certificateFrom(from.at("certificate"));
  return phases;
}

// Every schedule that is shown has been evaluated in the same process.
class Soundness {
public:
  explicit Soundness(const SymbolicTrace& trace) : trace_(trace), evaluator_(trace) {}

  // Later stages rest on earlier ones.
  bool of(const SavedPhases& phases) {
    return phases.failing && does(phases.failing->order, Outcome::failing) &&
           (!phases.explanation || of(*phases.explanation)) && (!phases.certificate || phases.explanation);
  }

private:
  bool of(const Explanation& explanation) {
    if (!does(explanation.failing, Outcome::failing)) return false;
    if (explanation.causes.empty() || explanation.alternates.empty()) return false;
    for (const RootCause& cause : explanation.causes)
      for (const OrderEdge& edge : cause.orders)
        if (!isEdge(edge)) return false;
    for (const Alternate& alternate : explanation.alternates) {
      if (alternate.inverted && !isEdge(*alternate.inverted)) return false;
      if (alternate.status == AlternateStatus::found && !does(alternate.order, Outcome::passing)) return false;
    }
    return true;
  }
  bool isEvent(EventRef ref) const { return ref < trace_.events.size(); }
  bool isEdge(const OrderEdge& edge) const { return isEvent(edge.before) && isEvent(edge.after); }
  bool does(const EventOrder& order, Outcome outcome) {
    return std::all_of(order.begin(), order.end(), [&](EventRef ref) { return isEvent(ref); }) &&
           evaluator_.run(order).outcome == outcome;
  }

  const SymbolicTrace& trace_;
  Evaluator evaluator_;
};

} // namespace

SavedPhases loadPhases(const std::filesystem::path& file, const std::string& key, const SymbolicTrace& trace) {
  Result<std::string> text = readFile(file);
  if (!text) return {};
  const json saved = json::parse(*text, nullptr, false);
  try {
    if (saved.is_discarded() || saved.at("version") != kVersion || saved.at("key") != key) return {};
    SavedPhases phases = phasesFrom(saved);
    return Soundness(trace).of(phases) ? phases : SavedPhases{};
  } catch (const json::exception&) {
    return {};
  }
}

Result<void> savePhases(const std::filesystem::path& file, const std::string& key, const SavedPhases& phases) {
  json saved = {{"version", kVersion}, {"key", key}};
  if (phases.failing) saved["failing"] = toJson(*phases.failing);
  if (phases.explanation) saved["explanation"] = toJson(*phases.explanation);
  if (phases.certificate) saved["certificate"] = toJson(*phases.certificate);
  return writeFileAtomically(file, saved.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<void> StageCache::save() const {
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);
  return savePhases(file_, key_, found_);
}

} // namespace symbiosis

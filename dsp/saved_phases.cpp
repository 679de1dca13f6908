#include "dsp/saved_phases.h"
#include "support/files.h"
#include <nlohmann/json.hpp>

namespace symbiosis {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

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
          {"note", certificate.note}};
}
Certificate certificateFrom(const json& from) {
  Certificate certificate;
  const json &failing = from.at("failing"), &passing = from.at("alternate");
  certificate.failing = {failing.at(0), failing.at(1)};
  certificate.alternate = {passing.at(0), passing.at(1), passing.at(2), passing.at(3), passing.at(4)};
  certificate.note = from.at("note");
  return certificate;
}

SavedPhases phasesFrom(const json& from) {
  SavedPhases phases;
  if (from.contains("failing")) phases.failing = from.at("failing").get<EventOrder>();
  phases.originalSwitches = from.at("originalSwitches");
  phases.originalPreemptions = from.at("originalPreemptions");
  if (from.contains("causes"))
    for (phases.causes.emplace(); const json& cause : from.at("causes"))
      phases.causes->push_back(causeFrom(cause));
  if (from.contains("alternates"))
    for (phases.alternates.emplace(); const json& alternate : from.at("alternates"))
      phases.alternates->push_back(alternateFrom(alternate));
  if (from.contains("certificate")) phases.certificate = certificateFrom(from.at("certificate"));
  return phases;
}

// Every schedule that is shown has been evaluated in the same process.
bool isSound(const SavedPhases& phases, const SymbolicTrace& trace) {
  Evaluator evaluator(trace);
  auto does = [&](const EventOrder& order, Outcome outcome) {
    return std::all_of(order.begin(), order.end(), [&](EventRef ref) { return ref < trace.events.size(); }) &&
           evaluator.run(order).outcome == outcome;
  };
  auto isEdge = [&](const OrderEdge& edge) {
    return edge.before < trace.events.size() && edge.after < trace.events.size();
  };
  if (!phases.failing || !does(*phases.failing, Outcome::failing)) return false;
  if (phases.causes)
    for (const RootCause& cause : *phases.causes)
      if (!std::all_of(cause.orders.begin(), cause.orders.end(), isEdge)) return false;
  if (phases.alternates)
    for (const Alternate& alternate : *phases.alternates) {
      if (alternate.inverted && !isEdge(*alternate.inverted)) return false;
      if (alternate.status == AlternateStatus::found && !does(alternate.order, Outcome::passing)) return false;
    }
  // Later phases rest on earlier ones, and neither list is ever empty.
  return (!phases.alternates || (phases.causes && !phases.alternates->empty())) &&
         (!phases.causes || !phases.causes->empty()) && (!phases.certificate || phases.alternates);
}

} // namespace

SavedPhases loadPhases(const std::filesystem::path& file, const std::string& key, const SymbolicTrace& trace) {
  Result<std::string> text = readFile(file);
  if (!text) return {};
  const json saved = json::parse(*text, nullptr, false);
  try {
    if (saved.is_discarded() || saved.at("version") != kVersion || saved.at("key") != key) return {};
    SavedPhases phases = phasesFrom(saved);
    return isSound(phases, trace) ? phases : SavedPhases{};
  } catch (const json::exception&) {
    return {};
  }
}

Result<void> savePhases(const std::filesystem::path& file, const std::string& key, const SavedPhases& phases) {
  json saved = {{"version", kVersion},
                {"key", key},
                {"originalSwitches", phases.originalSwitches},
                {"originalPreemptions", phases.originalPreemptions}};
  if (phases.failing) saved["failing"] = *phases.failing;
  if (phases.causes)
    for (const RootCause& cause : *phases.causes) saved["causes"].push_back(toJson(cause));
  if (phases.alternates)
    for (const Alternate& alternate : *phases.alternates) saved["alternates"].push_back(toJson(alternate));
  if (phases.certificate) saved["certificate"] = toJson(*phases.certificate);
  return writeFileAtomically(file, saved.dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace symbiosis

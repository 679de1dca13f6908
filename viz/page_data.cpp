#include "viz/page_data.h"
#include "dsp/shown_run.h"
#include "dsp/wording.h"
#include "trace/evaluated_schedule.h"
#include "viz/alignment.h"
#include "viz/text.h"
#include "viz/words.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace symbiosis {

size_t PageFiles::number(const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return size_t(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr int kNoText = -1;
constexpr int64_t kInitial = -1, kNoRead = -2; // in "from"; page.js knows them too
constexpr size_t kMostUses = 4, kMostNodes = 256;

class PageData {
public:
  PageData(const Diagnosis& d, const SymbolicTrace& t, const SourceFiles& s, const Picture& picture,
           PageFiles& files)
      : d_(d), trace_(t), sources_(s), picture_(picture), failure_(shownFailure(t, d.dsp)), files_(files),
        runs_{ShownRun(d, t, Side::failing), ShownRun(d, t, Side::alternate)} {}

  Json write() {
    const std::string mainName(mainFile(trace_, failure_));
    files_.number(mainName);
    Json data;
    data["hasAlternate"] = picture_.hasAlternate;
    data["areRuns"] = picture_.areRuns;
    data["decision"] = anchors().front() == kNoEvent ? Json() : Json(anchors().front());
    data["isDecisive"] = picture_.decision && picture_.decision->isDecisive;
    data["alternateOnly"] = alternateOnly();
    data["mainFile"] = 0;
    data["failure"] = failure_.event == kNoEvent ? anchor() : failure_.event;
    data["anchor"] = anchor();
    data["threads"] = threads();
    addKinds(data);
    addEvents(data);
    for (size_t side : {kFailing, kAlternate}) {
      data["value"].push_back(values(side));
      data["from"].push_back(sourcesOfReads(side));
      if (!picture_.hasAlternate) break;
    }
    data["uses"] = uses();
    data["rows"] = rows();
    data["dsp"] = Json::array();
    for (const Card& card : picture_.cards) data["dsp"].push_back(card.event);
    data["places"] = places_;
    data["files"] = Json::array();
    for (const std::string& name : files_.names) data["files"].push_back(printable(fileName(name)));
    data["strings"] = strings_;
    return data;
  }

private:
  EventRef anchor() const {
    if (!picture_.rows.empty()) return picture_.cardOf(picture_.rows[picture_.failureRow]).event;
    return failure_.event != kNoEvent ? failure_.event : d_.failing.back();
  }

  std::vector<EventRef> anchors() const {
    return {picture_.decision ? picture_.cardOf(picture_.rows[picture_.decision->row]).event : kNoEvent, anchor()};
  }

  std::vector<EventRef> alternateOnly() const {
    std::vector<EventRef> events;
    for (EventRef ref = 0; d_.otherPath && ref < trace_.events.size(); ++ref)
      if (!d_.otherPath->joined.isIn(kFailing, ref)) events.push_back(ref);
    return events;
  }

  // Number of a text that occurs often.
  int text(const std::string& words) {
    if (words.empty()) return kNoText;
    const auto [at, isNew] = numberOf_.try_emplace(words, int(strings_.size()));
    if (isNew) strings_.push_back(printable(words));
    return at->second;
  }

  Json threads() const {
    Json json = Json::array();
    for (const TraceThread& thread : trace_.threads)
      json.push_back({{"id", printable(thread.id)},
                      {"name", printable(thread.displayName)},
                      {"first", thread.firstEvent},
                      {"count", thread.eventCount}});
    return json;
  }

  void addKinds(Json& data) {
    Json names = Json::array(), access = Json::array();
    for (const Event& event : trace_.events)
      if (kindNumber_.try_emplace(event.kind, int(kindNumber_.size())).second) {
        names.push_back(toText(event.kind));
        access.push_back(isAccess(event.kind));
      }
    data["kinds"] = names;
    data["access"] = access;
  }

  void addEvents(Json& data) {
    std::vector<uint64_t> thread, index, tail;
    std::vector<int> kind, variable, place;
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
      const Event& event = trace_.event(ref);
      thread.push_back(event.id.thread);
      index.push_back(event.id.index);
      kind.push_back(kindNumber_.at(event.kind));
      variable.push_back(text(event.variable));
      place.push_back(placeOf(event.location));
      if (event.tail) tail.push_back(ref);
    }
    data["thread"] = thread;
    data["index"] = index;
    data["kind"] = kind;
    data["variable"] = variable;
    data["place"] = place;
    data["tail"] = tail;
  }

  // Locations differ by column and function too; for the page a place is a line.
  int placeOf(uint32_t location) {
    if (location == kNone || trace_.locations[location].file.empty()) return kNoText;
    const SourceLocation& at = trace_.locations[location];
    const size_t file = files_.number(at.file);
    const auto [known, isNew] = placeNumber_.try_emplace({file, at.line}, int(places_.size()));
    if (isNew) {
      const auto line = sources_.line(at.file, at.line);
      places_.push_back(
          {{"file", file}, {"line", at.line}, {"code", text(line ? tidied(printable(*line)) : std::string())}});
    }
    return known->second;
  }

  std::vector<int> values(size_t side) {
    std::vector<int> result;
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
      if (runs_[side].isFeasible() && trace_.event(ref).pending) {
        result.push_back(text(syncWords(trace_, ref, runs_[side].proceededAt(ref))));
        continue;
      }
      if (!isAccess(trace_.event(ref).kind) || !runs_[side].happened(ref)) {
        result.push_back(kNoText);
        continue;
      }
      result.push_back(text(formatValue(runs_[side].accessValue(ref))));
    }
    return result;
  }

  // By event: the write that it read, or a list of them if its parts come from several.
  Json sourcesOfReads(size_t side) {
    Json result = Json::array();
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
      std::vector<int64_t> writes;
      const Event& event = trace_.event(ref);
      for (uint32_t i = event.firstPart; runs_[side].isFeasible() && i < event.firstPart + event.partCount; ++i) {
        if (!runs_[side].reads(i)) continue;
        const EventRef from = runs_[side].source(i);
        const int64_t write = from == kNoEvent ? kInitial : int64_t(from);
        if (std::find(writes.begin(), writes.end(), write) == writes.end()) writes.push_back(write);
      }
      if (writes.size() > 1)
        result.push_back(writes);
      else
        result.push_back(writes.empty() ? kNoRead : writes.front());
    }
    return result;
  }

  // By write: the reads that its value is made of.
  Json uses() const {
    Json::object_t::Container result; // as an object it would look for each new key among all that it has
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
      if (trace_.event(ref).kind != EventKind::write) continue;
      const std::vector<EventRef> reads = readsIn(ref);
      if (!reads.empty()) result.emplace_back(std::to_string(ref), reads);
    }
    return Json::object_t(result.begin(), result.end());
  }
  // The latest few, from the outer part of a large expression.
  std::vector<EventRef> readsIn(EventRef write) const {
    std::vector<ExprId> open;
    for (const Part& part : trace_.partsOf(write))
      if (part.written != kNoExpr) open.push_back(part.written);
    std::vector<EventRef> reads;
    for (size_t i = 0; i < open.size() && i < kMostNodes; ++i) {
      const ExprNode node = trace_.exprs.node(open[i]);
      if (node.op == ExprOp::symbol) {
        const EventRef read = trace_.symbols[node.value].event;
        if (read != kNoEvent) reads.push_back(read);
      }
      for (ExprId child : {node.a, node.b, node.c})
        if (child != kNoExpr && std::find(open.begin(), open.end(), child) == open.end()) open.push_back(child);
    }
    std::sort(reads.begin(), reads.end(), std::greater<>());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    if (reads.size() > kMostUses) reads.resize(kMostUses);
    return reads;
  }

  // Three times the event, plus 0: in both runs, 1: in the failing run, 2: in the alternate.
  std::vector<uint64_t> rows() const {
    std::vector<uint64_t> result;
    for (const AlignedRow& row : align(trace_, runs_[kFailing].order(), runs_[kAlternate].order(), anchors()))
      result.push_back(uint64_t{row.event} * 3 + (row.inFailing && row.inAlternate ? 0u
                                                  : row.inFailing                  ? 1u
                                                                                   : 2u));
    return result;
  }

  const Diagnosis& d_;
  const SymbolicTrace& trace_;
  const SourceFiles& sources_;
  const Picture& picture_;
  const ShownFailure failure_;
  PageFiles& files_;
  std::array<ShownRun, 2> runs_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, int> numberOf_;
  std::map<EventKind, int> kindNumber_;
  Json places_ = Json::array();
  std::map<std::pair<size_t, uint32_t>, int> placeNumber_;
};

} // namespace

std::string pageData(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources,
                     const Picture& picture, PageFiles& files) {
  const std::string json = PageData(diagnosis, trace, sources, picture, files)
                               .write()
                               .dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe; // "</script>" and "<!--" would end or change the element
  safe.reserve(json.size());
  for (char c : json) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

} // namespace symbiosis

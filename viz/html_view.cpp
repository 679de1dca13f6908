// The report as one page: the picture, both schedules and the source, linked by event. What a reader without a
// script needs is in the markup; viz/page/page.js adds the linking and the grids from the data at the end.
#include "dsp/wording.h"
#include "viz/page.h"
#include "viz/page_data.h"
#include "viz/palette.h"
#include "viz/svg_view.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace symbiosis {

namespace {

constexpr uint32_t kAround = 10;    // lines shown before and after one that matters
constexpr size_t kMostLines = 4000; // of source; with more, only those around the events of the DSP
constexpr size_t kMostMarks = 3;    // threads named beside a line
constexpr unsigned kTab = 4;

std::string escaped(std::string_view foreign) { return xmlEscaped(printable(foreign)); }

// `{{name}}` becomes the part of that name. What is filled in is not looked at again.
std::string filled(std::string_view form, const std::map<std::string_view, std::string>& parts) {
  std::string result;
  for (size_t at = 0;;) {
    const size_t open = form.find("{{", at), close = form.find("}}", open);
    if (open == std::string_view::npos) return result.append(form.substr(at));
    result.append(form.substr(at, open - at)).append(parts.at(form.substr(open + 2, close - open - 2)));
    at = close + 2;
  }
}

// A line of source as it looks in an editor.
std::string untabbed(std::string_view line) {
  std::string result;
  size_t column = 0;
  for (char c : line) {
    const size_t wide = c == '\t' ? kTab - column % kTab : 1;
    c == '\t' ? result.append(wide, ' ') : result += c;
    column += wide;
  }
  return result;
}

// For a POSIX shell.
std::string quoted(const std::string& word) {
  const bool isPlain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-./:=@%+,").find(char(c)) != std::string_view::npos;
  });
  if (isPlain) return word;
  std::string result = "'";
  for (char c : word) c == '\'' ? result += "'\\''" : result += c;
  return result + "'";
}

class HtmlView {
public:
  HtmlView(const Diagnosis& d, const SymbolicTrace& t, const SourceFiles& s)
      : d_(d), trace_(t), sources_(s), picture_(makePicture(d, t, s)) {}

  std::string render() {
    const std::string data = pageData(d_, trace_, sources_, picture_, files_);
    std::string svg = svgOf(picture_, SvgFrame::panels);
    svg.erase(0, svg.find("<svg "));
    const double width = std::strtod(svg.c_str() + svg.find(" width=\"") + 8, nullptr);
    return filled(page::kHtml, {{"title", escaped("✗ " + failureWords(trace_) + " – Symbiosis")},
                                {"colours", palette::variableRules()},
                                {"css", std::string(page::kCss)},
                                {"headline", xmlEscaped(picture_.headline)},
                                {"hint", hint()},
                                {"facts", escaped(facts())},
                                {"dspCount", countOf(picture_.cards.size(), "event")},
                                {"fullCount", fmt::format("{}", d_.failing.size())},
                                {"naturalWidth", fmt::format("{:.0f}", width)},
                                {"svg", svg},
                                {"source", source()},
                                {"commands", commands()},
                                {"statements", statements()},
                                {"data", data},
                                {"script", std::string(page::kScript)}});
  }

private:
  static std::string countOf(size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  }

  // --- header and footer ---

  std::string hint() const {
    if (picture_.hint.empty()) return "";
    return fmt::format("<p class=\"hint\">{}{}</p>\n", picture_.hasAlternate ? "Fix hint: " : "",
                       xmlEscaped(picture_.hint));
  }
  std::string facts() const {
    const size_t flows = d_.dsp.failingDataflows.size();
    std::string text = fmt::format("{} · {} in the failing {}, {} in the DSP", failureWords(trace_),
                                   countOf(d_.failing.size(), "event"), picture_.areRuns ? "run" : "schedule",
                                   picture_.cards.size());
    if (picture_.hasAlternate && !picture_.isWaiting)
      text += fmt::format(" · {}", countOf(flows, "changed dataflow"));
    std::vector<std::string> command{d_.program.path};
    command.insert(command.end(), d_.program.args.begin(), d_.program.args.end());
    for (std::string& word : command) word = symbiosis::quoted(word);
    return text + fmt::format(" · {}", shortenMiddle(printable(fmt::format("{}", fmt::join(command, " "))), 100));
  }

  std::string commands() const {
    std::string html = command("Replay the failure", "--failing");
    if (picture_.hasAlternate) html += command("Replay the passing schedule", "--alternate");
    return html;
  }
  std::string command(const char* title, const char* option) const {
    const std::string where = d_.recording.empty() ? "" : quoted(d_.recording) + " ";
    return fmt::format("<div class=\"command\"><span>{}</span> <code>symbiosis replay {}{}</code> "
                       "<button type=\"button\" aria-label=\"Copy the command: {}\">Copy</button></div>\n",
                       title, escaped(where), option, title);
  }

  std::string statements() const {
    std::string html;
    std::vector<std::string> sentences{picture_.cause, picture_.alternative};
    for (std::string& sentence : otherWords(d_, trace_)) sentences.push_back(std::move(sentence));
    for (const std::string& sentence : sentences)
      if (!sentence.empty()) html += fmt::format("<p>{}</p>\n", escaped(sentence));
    html += fmt::format("<p id=\"certificate\">Certificate: {}</p>\n", escaped(picture_.certificate));
    if (d_.limits.empty()) return html;
    html += "<section id=\"limits\" aria-label=\"Limits\"><p>What to keep in mind:</p>\n<ul>\n";
    for (const std::string& limit : d_.limits) html += fmt::format("<li>{}</li>\n", escaped(limit));
    return html + "</ul></section>\n";
  }

  // --- source ---

  struct FileLines {
    std::set<uint32_t> shown;                      // in the DSP
    std::set<uint32_t> all;                        // of any event
    std::map<uint32_t, std::vector<size_t>> marks; // by line: cards
  };

  std::string source() {
    std::vector<FileLines> files(files_.names.size());
    for (const Event& event : trace_.events)
      if (const SourceLocation* at = placeOf(event.location)) files[files_.number(at->file)].all.insert(at->line);
    for (size_t i = 0; i < picture_.cards.size(); ++i)
      if (const SourceLocation* at = placeOf(trace_.event(picture_.cards[i].event).location)) {
        FileLines& file = files[files_.number(at->file)];
        file.shown.insert(at->line);
        file.marks[at->line].push_back(i);
      }
    size_t total = 0;
    for (size_t i = 0; i < files.size(); ++i) total += linesAround(files_.names[i], files[i].all).size();
    std::string html;
    for (size_t i = 0; i < files.size(); ++i)
      html += fileSource(i, files[i],
                         linesAround(files_.names[i], total > kMostLines ? files[i].shown : files[i].all));
    return html.empty() ? "<p>The recording holds no source text.</p>\n" : html;
  }
  const SourceLocation* placeOf(uint32_t location) const {
    if (location == kNone || trace_.locations[location].file.empty()) return nullptr;
    return &trace_.locations[location];
  }
  std::set<uint32_t> linesAround(const std::string& file, const std::set<uint32_t>& lines) const {
    const auto known = sources_.files().find(file);
    std::set<uint32_t> result;
    if (known == sources_.files().end()) return result;
    const uint32_t last = uint32_t(known->second.size());
    for (uint32_t line : lines)
      for (uint32_t at = line > kAround ? line - kAround : 1; at <= std::min(last, line + kAround); ++at)
        result.insert(at);
    return result;
  }

  std::string fileSource(size_t number, const FileLines& file, const std::set<uint32_t>& lines) const {
    const std::string& name = files_.names[number];
    if (file.all.empty()) return "";
    std::string html = fmt::format("<h2>{}</h2>\n", escaped(fileName(name)));
    if (lines.empty()) return html + "<p>The recording does not hold this file.</p>\n";
    html += "<div class=\"lines\">\n";
    const auto [first, last] = regionLines(name);
    uint32_t next = 1;
    for (uint32_t at : lines) {
      html += gap(at - next);
      std::string classes = "line";
      if (file.shown.count(at)) classes += " shown";
      if (first <= at && at <= last) classes += " atomic";
      if (isFailing(name, at)) classes += " fails";
      html += fmt::format(
          "<div class=\"{}\" id=\"line-{}-{}\"><span class=\"number\">{}</span><code>{}</code>{}</div>\n", classes,
          number, at, at, escaped(untabbed(*sources_.line(name, at))), marks(file, at));
      next = at + 1;
    }
    return html + gap(uint32_t(sources_.files().at(name).size()) + 1 - next) + "</div>\n";
  }
  static std::string gap(uint32_t lines) {
    if (lines == 0) return "";
    return fmt::format("<div class=\"line gap\"><span class=\"number\">⋯</span><code>{}</code></div>\n",
                       countOf(lines, "line"));
  }
  bool isFailing(const std::string& file, uint32_t line) const {
    const SourceLocation* at = placeOf(shownFailure(trace_, d_.dsp).location);
    return at && at->file == file && at->line == line;
  }
  // Of the region to run atomically, if it lies in this file; otherwise none.
  std::pair<uint32_t, uint32_t> regionLines(const std::string& file) const {
    const auto& region = d_.classification.region;
    if (!region) return {1, 0};
    const SourceLocation* first = placeOf(trace_.event(region->first).location);
    const SourceLocation* last = placeOf(trace_.event(region->last).location);
    if (!first || !last || first->file != file || last->file != file) return {1, 0};
    return {first->line, last->line};
  }
  // Who runs a line, one mark per thread.
  std::string marks(const FileLines& file, uint32_t line) const {
    const auto cards = file.marks.find(line);
    if (cards == file.marks.end()) return "";
    std::string html;
    std::set<ThreadIndex> seen;
    for (size_t i : cards->second) {
      const ThreadIndex thread = trace_.threadOf(picture_.cards[i].event);
      if (!seen.insert(thread).second || seen.size() > kMostMarks) continue;
      html += fmt::format("<button type=\"button\" class=\"mark\" style=\"--colour:var(--thread{})\" "
                          "data-event=\"{}\">{}</button>",
                          thread % palette::kThreads.size(), xmlEscaped(picture_.cards[i].id),
                          escaped(trace_.threads[thread].displayName));
    }
    if (seen.size() > kMostMarks) html += fmt::format("<span class=\"more\">+{}</span>", seen.size() - kMostMarks);
    return html;
  }

  const Diagnosis& d_;
  const SymbolicTrace& trace_;
  const SourceFiles& sources_;
  Picture picture_;
  PageFiles files_;
};

} // namespace

std::string renderHtml(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources) {
  return HtmlView(diagnosis, trace, sources).render();
}

} // namespace symbiosis

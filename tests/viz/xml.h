#pragma once
// Enough of an XML reader to say that a document is well-formed, and what it holds.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis::testing {

struct XmlElement {
  std::string name, text; // text: its own, entities decoded
  std::map<std::string, std::string> attributes;
};

class XmlReader {
public:
  // Every element in the order of its opening tag; nothing if the document is not well-formed, and error()
  // says why.
  std::optional<std::vector<XmlElement>> read(std::string_view text) {
    rest_ = text;
    elements_.clear(), open_.clear(), error_.clear();
    while (!rest_.empty() && error_.empty()) rest_[0] == '<' ? markup() : content();
    if (error_.empty() && !open_.empty()) fail("not closed: " + elements_[open_.back()].name);
    if (error_.empty() && elements_.empty()) fail("no element");
    if (!error_.empty()) return {};
    return elements_;
  }
  const std::string& error() const { return error_; }

private:
  void fail(std::string why) {
    if (error_.empty()) error_ = std::move(why) + " at \"" + std::string(rest_.substr(0, 60)) + "\"";
  }
  std::string_view takeUntil(std::string_view end) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos) return fail("missing " + std::string(end)), rest_ = {}, std::string_view{};
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return taken;
  }

  void content() {
    const size_t at = rest_.find('<');
    const std::string text = decoded(rest_.substr(0, at));
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
    if (!open_.empty())
      elements_[open_.back()].text += text;
    else if (text.find_first_not_of(" \n") != std::string::npos)
      fail("text outside of the document element");
  }
  std::string decoded(std::string_view text) {
    static const std::map<std::string, std::string, std::less<>> kEntities{
        {"amp", "&"},  {"lt", "<"},  {"gt", ">"},   {"quot", "\""},
        {"apos", "'"}, {"#39", "'"}, {"#160", " "}, {"#45", "-"}};
    std::string result;
    while (!text.empty()) {
      const unsigned char c = static_cast<unsigned char>(text[0]);
      if (c < 0x20 && c != '\n' && c != '\t') fail("control character " + std::to_string(c));
      if (c != '&') {
        result += text[0];
        text.remove_prefix(1);
        continue;
      }
      const size_t end = text.find(';');
      auto known = end == std::string_view::npos ? kEntities.end() : kEntities.find(text.substr(1, end - 1));
      if (known == kEntities.end()) return fail("unknown entity"), result;
      result += known->second;
      text.remove_prefix(end + 1);
    }
    return result;
  }

  void markup() {
    if (rest_.starts_with("<?")) return void(takeUntil("?>"));
    if (rest_.starts_with("<!--")) return void(takeUntil("-->"));
    if (rest_.starts_with("<!")) return void(takeUntil(">"));
    if (rest_.starts_with("</")) return closing();
    rest_.remove_prefix(1);
    XmlElement element;
    element.name = name();
    if (element.name.empty()) return fail("a tag without a name");
    while (error_.empty()) {
      while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
      if (rest_.starts_with("/>")) {
        rest_.remove_prefix(2);
        elements_.push_back(element);
        return;
      }
      if (rest_.starts_with(">")) {
        rest_.remove_prefix(1);
        open_.push_back(elements_.size());
        elements_.push_back(element);
        return;
      }
      const std::string attribute = name();
      if (attribute.empty() || !rest_.starts_with("=\"")) return fail("a malformed attribute");
      rest_.remove_prefix(2);
      const std::string_view value = takeUntil("\"");
      if (value.find('<') != std::string_view::npos) return fail("'<' in an attribute");
      if (!element.attributes.emplace(attribute, decoded(value)).second) return fail("an attribute given twice");
    }
  }
  void closing() {
    rest_.remove_prefix(2);
    const std::string closed = name();
    if (open_.empty() || elements_[open_.back()].name != closed) return fail("closes what is not open");
    open_.pop_back();
    takeUntil(">");
  }
  std::string name() {
    size_t end = 0;
    while (end < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[end])) || rest_[end] == ':' || rest_[end] == '-'))
      ++end;
    const std::string result(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return result;
  }

  std::string_view rest_;
  std::vector<XmlElement> elements_;
  std::vector<size_t> open_;
  std::string error_;
};

} // namespace symbiosis::testing

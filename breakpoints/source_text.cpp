// How places are found. The text is cut into tokens; comments, literals and directives are skipped as a whole. One
// pass over the tokens keeps a stack of open brackets, each of them a block of statements, the head of an `if` or
// a loop, or anything else, and notes for every token where the statement or full expression around it begins:
//   if (a && b) c = d;        a, b: before the `if`;            c, d: "trigger, " before c
//   while (a) { b; }          a: "trigger, " before a;          b: "trigger;" before b
//   } else if (a) return b;   a: "trigger, " before a;          b: "trigger, " before b
#include "breakpoints/source_text.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

namespace symbiosis {
namespace {

constexpr const char* kOutside = "it is outside of any function";
constexpr const char* kInDeclaration = "it is part of a declaration in the head of a loop or condition";

bool isNamePart(char c) { return std::isalnum(uint8_t(c)) || c == '_' || c == '$'; }
bool isName(std::string_view token) {
  return !token.empty() && isNamePart(token[0]) && !std::isdigit(uint8_t(token[0]));
}

// The end of a literal that begins at `at` with a quote.
size_t endOfQuoted(std::string_view text, size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

size_t endOfRaw(std::string_view text, size_t quote) {
  const size_t open = text.find('(', quote);
  if (open == std::string_view::npos) return text.size();
  const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

size_t endOfComment(std::string_view text, size_t at) {
  if (text[at + 1] == '/') {
    const size_t end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end;
  }
  const size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

bool isCommentAt(std::string_view text, size_t at) {
  return text[at] == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*');
}

// A directive goes on behind a backslash at the end of a line.
size_t endOfDirective(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != '\n') {
    if (isCommentAt(text, at)) {
      at = endOfComment(text, at);
      continue;
    }
    at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
  }
  return at;
}

size_t lengthOfOperator(std::string_view text) {
  for (const char* longer : {"<<=", ">>=", "...", "->*", "::", "->", "++", "--", "+=", "-=", "*=",
                             "/=",  "%=",  "&=",  "|=",  "^=", "==", "!=", "<=", ">=", "&&", "||"})
    if (text.starts_with(longer)) return std::string_view(longer).size();
  return 1;
}

size_t endOfToken(std::string_view text, size_t at) {
  if (text[at] == '"' || text[at] == '\'') return endOfQuoted(text, at);
  if (!isNamePart(text[at])) return at + lengthOfOperator(text.substr(at));
  size_t end = at;
  const bool isNumber = std::isdigit(uint8_t(text[at])) != 0;
  while (end < text.size() && (isNamePart(text[end]) || (isNumber && (text[end] == '.' || text[end] == '\''))))
    ++end;
  if (end < text.size() && text[end] == '"' && !isNumber) {
    const std::string_view prefix = text.substr(at, end - at);
    if (prefix.ends_with('R')) return endOfRaw(text, end);
    if (prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8") return endOfQuoted(text, end);
  }
  return end;
}

bool isOneOf(std::string_view token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token) != words.end();
}
bool opensHead(std::string_view token) { return isOneOf(token, {"if", "while", "for", "switch"}); }

} // namespace

// An open bracket; the outermost is the file.
struct SourceText::Context {
  enum Kind { block, head, other } kind = block;
  bool isCode = false;   // statements can stand here
  bool isFresh = true;   // block: the next token begins a statement
  bool isBare = false;   // block: … that is the body of an `if` or a loop, or comes behind `else`
  bool isReturn = false; // block: the statement has begun with `return`
  bool isType = false;   // block: the statement declares a type or a namespace
  bool endsHere = false; // block: its closing bracket ends a statement of the context around it
  std::string_view word; // block: the last `if`, `for` … that waits for its head; head: whose it is
  size_t parts = 0;      // head: semicolons so far
  uint32_t anchor = 0;   // what tokens here get
  PlaceForm form = PlaceForm::statement;
  const char* refusal = kOutside;
};

class SourceText::Reader {
public:
  explicit Reader(SourceText& source) : source_(source), tokens_(source.tokens_) { stack_.emplace_back(); }

  void read() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (word() == "}" || word() == ")" || word() == "]")
        close();
      else if (top().kind == Context::block)
        inBlock();
      else if (top().kind == Context::head)
        inHead();
      else
        note(), openIfBracket();
    }
  }

private:
  Context& top() { return stack_.back(); }
  std::string_view word(size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? source_.textOf(tokens_[at_ + ahead]) : std::string_view();
  }
  std::string_view before(size_t back = 1) const {
    return at_ >= back ? source_.textOf(tokens_[at_ - back]) : std::string_view();
  }
  void note() {
    Token& token = tokens_[at_];
    token.anchor = top().anchor;
    token.form = top().form;
    token.refusal = top().refusal;
  }
  void anchorHere(PlaceForm form) {
    top().anchor = uint32_t(at_);
    top().form = form;
    top().refusal = top().isCode ? nullptr : kOutside;
  }
  void becomeFresh(bool isBare) {
    top().isFresh = true;
    top().isBare = isBare;
    top().word = {};
  }

  void inBlock() {
    if (top().isFresh) return beginStatement();
    if (top().isReturn) {
      top().isReturn = false;
      anchorHere(PlaceForm::expression);
    }
    note();
    if (word() == ";")
      becomeFresh(false);
    else
      openIfBracket();
  }

  // Labels and `else` come before a statement and are none.
  void beginStatement() {
    const bool isLabel = isName(word()) && word(1) == ":" && !isOneOf(word(), {"default"});
    if (isLabel || word() == "default") return note(), ++at_, note(), becomeFresh(false);
    if (word() == "case") {
      for (note(); word(1) != ":" && at_ + 1 < tokens_.size();) ++at_, note();
      return ++at_, note(), becomeFresh(false);
    }
    if (word() == "else" || word() == "do") return note(), becomeFresh(true);
    if (word() == "{") {
      note();
      return open(Context::block, true);
    }
    anchorHere(top().isBare ? PlaceForm::expression : PlaceForm::statement);
    note();
    if (word() == ";") return becomeFresh(false);
    top().isFresh = false;
    top().isType = isOneOf(word(), {"struct", "class", "union", "enum", "namespace", "extern", "typedef", "inline",
                                    "template", "static"});
    top().isReturn = top().isBare && isOneOf(word(), {"return", "co_return", "throw"});
    top().word = opensHead(word()) ? word() : std::string_view();
    openIfBracket();
  }

  void openIfBracket() {
    if (word() == "(" || word() == "[") {
      const bool isHead = top().kind == Context::block && !top().word.empty() && word() == "(";
      return open(isHead ? Context::head : Context::other, false);
    }
    if (word() == "{") open(beginsBlock() ? Context::block : Context::other, false);
  }

  // A bracket in the middle of a statement: the body of a function, a lambda or a type, or a list of values.
  bool beginsBlock() const {
    if (isOneOf(before(), {")", "]", "const", "noexcept", "override", "final", "mutable", "try", "else", "do"}))
      return true;
    if (before(2) == "->") return true;
    return stack_.back().kind == Context::block && stack_.back().isType && before() != "=";
  }

  void open(Context::Kind kind, bool isStatement) {
    Context inner;
    const bool isBody =
        isOneOf(before(), {")", "]", "const", "noexcept", "override", "final", "mutable", "try"}) ||
        before(2) == "->";
    inner.kind = kind;
    inner.isCode = top().isCode || (kind == Context::block && isBody);
    inner.endsHere = kind == Context::block && top().kind == Context::block;
    if (kind == Context::block && top().isType && !isBody && !isStatement) inner.isCode = false;
    if (kind == Context::head) {
      inner.word = top().word;
      top().word = {};
    }
    // In a head of its own, and in brackets, what is around it goes on.
    inner.anchor = top().anchor;
    inner.form = top().form;
    inner.refusal = top().refusal;
    if (kind == Context::head && (top().isBare || inner.word == "while")) beginPart(inner);
    stack_.push_back(inner);
  }

  // Of a head: the next token begins an expression before which a comma can stand.
  void beginPart(Context& head) {
    head.anchor = uint32_t(at_ + 1);
    head.form = PlaceForm::expression;
    head.refusal = head.isCode ? nullptr : kOutside;
    const std::string_view first = word(1);
    const bool isDeclared = isName(first) && (isName(word(2)) || isOneOf(word(2), {"*", "&", "<"})) &&
                            isOneOf(word(3), {"=", ":", "*", "&"});
    if (isDeclared || isOneOf(first, {"auto", "const"}) || (head.word == "for" && head.parts == 0))
      head.refusal = kInDeclaration;
  }

  void inHead() {
    note();
    if (word() == ";") {
      ++top().parts;
      beginPart(top());
    } else {
      openIfBracket();
    }
  }

  void close() {
    const Context closed = top();
    const bool isBlockEnd = word() == "}" && closed.kind == Context::block;
    if (isBlockEnd) anchorHere(PlaceForm::statement);
    note();
    if (stack_.size() > 1) stack_.pop_back();
    if (closed.kind == Context::head) becomeFresh(true);
    const bool goesOn = isOneOf(word(1), {"(", ",", ".", ")", ";"});
    if (isBlockEnd && closed.endsHere && !goesOn) becomeFresh(false);
    if (isBlockEnd && closed.endsHere && word(1) == ";") top().isFresh = false;
  }

  SourceText& source_;
  std::vector<Token>& tokens_;
  std::vector<Context> stack_;
  size_t at_ = 0;
};

SourceText::SourceText(std::string text) : text_(std::move(text)) {
  const std::string_view all = text_;
  uint32_t line = 1;
  size_t lineBegin = 0;
  bool isLineBegin = true;
  isDirective_.assign(size_t(std::count(all.begin(), all.end(), '\n')) + 3, false);
  auto skipTo = [&](size_t at, size_t end) {
    for (; at < end; ++at)
      if (all[at] == '\n') ++line, lineBegin = at + 1;
  };
  for (size_t at = 0; at < all.size();) {
    size_t end = at + 1;
    if (all[at] == '\n') {
      isLineBegin = true;
    } else if (isCommentAt(all, at)) {
      end = endOfComment(all, at);
    } else if (all[at] == '#' && isLineBegin) {
      end = endOfDirective(all, at);
      const size_t lines = size_t(std::count(all.begin() + long(at), all.begin() + long(end), '\n'));
      for (size_t i = 0; i <= lines; ++i) isDirective_[line + i] = true;
    } else if (!std::isspace(uint8_t(all[at])) && all[at] != '\\') {
      end = endOfToken(all, at);
      isLineBegin = false;
      Token token;
      token.offset = uint32_t(at), token.length = uint32_t(end - at);
      token.line = line, token.column = uint32_t(at - lineBegin + 1);
      tokens_.push_back(token);
    }
    skipTo(at, end);
    at = end;
  }
  Reader(*this).read();
}

Result<const SourceText::Token*> SourceText::tokenAt(uint32_t line, uint32_t column) const {
  if (line < isDirective_.size() && isDirective_[line]) return gaveUp("it is in the definition of a macro");
  const Token* found = nullptr;
  for (const Token& token : tokens_) {
    if (token.line != line) continue;
    if (!found || token.column <= column) found = &token;
  }
  if (!found) return gaveUp("there is nothing on that line");
  return found;
}

Result<Place> SourceText::before(uint32_t line, uint32_t column) const {
  Result<const Token*> token = tokenAt(line, column);
  if (!token) return token.error();
  if ((*token)->refusal) return gaveUp((*token)->refusal);
  return Place{tokens_[(*token)->anchor].offset, (*token)->form};
}

// A statement that is one assignment: `++x;`, `x--;`, `x += 2;`, `x = y;`.
struct SourceText::Assignment {
  uint32_t begin = 0, end = 0; // of the text without the semicolon
  std::string target, value;
};

Result<SourceText::Assignment> SourceText::assignmentAt(size_t first) const {
  size_t last = first;
  size_t op = 0;
  int depth = 0;
  for (; last < tokens_.size() && (depth > 0 || textOf(tokens_[last]) != ";"); ++last) {
    const std::string_view word = textOf(tokens_[last]);
    if (isOneOf(word, {"(", "[", "{"})) ++depth;
    if (isOneOf(word, {")", "]", "}"})) --depth;
    if (depth < 0) break;
    const bool assigns = isOneOf(word, {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--"});
    if (depth == 0 && assigns && op != 0 && op != first) return gaveUp("it assigns more than once");
    if (depth == 0 && assigns) op = last;
    if (depth == 0 && word == "," && op != 0) return gaveUp("it is one of several expressions");
    if (last == first && assigns) op = first;
  }
  if (last == first || last >= tokens_.size() || textOf(tokens_[last]) != ";")
    return gaveUp("it is not a statement that only assigns");
  auto span = [&](size_t from, size_t to) { // tokens from..to, `to` not included
    const uint32_t begin = tokens_[from].offset, end = tokens_[to - 1].offset + tokens_[to - 1].length;
    return text_.substr(begin, end - begin);
  };
  const std::string word(textOf(tokens_[op]));
  const bool isPrefix = op == first && isOneOf(word, {"++", "--"});
  const bool isPostfix = op == last - 1 && isOneOf(word, {"++", "--"});
  if (op == first && !isPrefix) return gaveUp("it is not a statement that only assigns");
  Assignment result{tokens_[first].offset, tokens_[last].offset, {}, {}};
  if (isPrefix || isPostfix) {
    result.target = isPrefix ? span(first + 1, last) : span(first, op);
    result.value = fmt::format("{} {} 1", result.target, word[0]);
    return result;
  }
  if (isOneOf(word, {"++", "--"})) return gaveUp("it is not a statement that only assigns");
  for (size_t i = first + 1; i < op; ++i)
    if (isName(textOf(tokens_[i])) && isName(textOf(tokens_[i - 1])))
      return gaveUp("it is the initialisation of a variable");
  result.target = span(first, op);
  const std::string right = span(op + 1, last);
  result.value =
      word == "=" ? right : fmt::format("{} {} ({})", result.target, word.substr(0, word.size() - 1), right);
  return result;
}

Result<Place> SourceText::within(uint32_t line, uint32_t column, bool isWrite) const {
  Result<const Token*> token = tokenAt(line, column);
  if (!token) return token.error();
  if ((*token)->refusal) return gaveUp((*token)->refusal);
  const size_t number = size_t(*token - tokens_.data());
  if (isWrite) {
    const size_t first = (*token)->anchor;
    Result<Assignment> assignment = assignmentAt(first);
    if (!assignment) return assignment.error();
    return Place{tokens_[first].offset, PlaceForm::between};
  }
  if (!isName(textOf(**token)) || column == 0) return gaveUp("nothing can stand in the middle of this expression");
  size_t head = number; // `p` of `p->next.value`
  while (head >= 2 && isOneOf(textOf(tokens_[head - 1]), {".", "->"}) && isName(textOf(tokens_[head - 2])))
    head -= 2;
  const std::string_view left = head > 0 ? textOf(tokens_[head - 1]) : std::string_view();
  if (isOneOf(left, {".", "->", "::", "++", "--", "&"}) || isName(left))
    return gaveUp("nothing can stand in the middle of this expression");
  return Place{tokens_[head].offset, PlaceForm::wrapped};
}

Result<Place> SourceText::behind(uint32_t line, uint32_t column) const {
  Result<const Token*> token = tokenAt(line, column);
  if (!token) return token.error();
  if ((*token)->refusal) return gaveUp((*token)->refusal);
  const std::string_view first = textOf(tokens_[(*token)->anchor]);
  if ((*token)->form != PlaceForm::statement || opensHead(first) || isOneOf(first, {"return", "}", "throw"}))
    return gaveUp("nothing can stand behind it");
  int depth = 0;
  for (size_t at = (*token)->anchor; at < tokens_.size(); ++at) {
    const std::string_view word = textOf(tokens_[at]);
    if (isOneOf(word, {"(", "[", "{"})) ++depth;
    if (isOneOf(word, {")", "]", "}"})) --depth;
    if (depth == 0 && word == ";") return Place{tokens_[at].offset + 1, PlaceForm::behind};
  }
  return gaveUp("its statement has no end");
}

// The line that a trigger has for itself, as far in as what follows; empty: something else stands before it.
std::string SourceText::lineOf(uint32_t offset, const std::string& trigger) const {
  const size_t begin = offset == 0 ? 0 : text_.rfind('\n', offset - 1) + 1;
  const std::string indent = text_.substr(begin, offset - begin);
  const bool isAlone = indent.find_first_not_of(" \t") == std::string::npos;
  // A closing bracket is less far in than what it closes.
  const bool isClosing = text_[offset] == '}';
  return isAlone ? fmt::format("{}{};\n{}", isClosing ? "  " : "", trigger, indent) : std::string();
}

// What takes the place of `length` characters.
struct SourceText::Edit {
  size_t length = 0;
  std::string put;
};

SourceText::Edit SourceText::editAt(const Place& place, const std::vector<std::string>& triggers) const {
  const std::string all = fmt::format("{}", fmt::join(triggers, ", "));
  Edit edit;
  switch (place.form) {
  case PlaceForm::statement:
    for (const std::string& trigger : triggers) {
      const std::string line = lineOf(place.offset, trigger);
      edit.put += line.empty() ? trigger + "; " : line;
    }
    break;
  case PlaceForm::behind: {
    const size_t begin = text_.rfind('\n', place.offset - 1) + 1;
    const size_t indent = std::min(text_.find_first_not_of(" \t", begin), size_t{place.offset}) - begin;
    for (const std::string& trigger : triggers)
      edit.put += fmt::format("\n{}{};", text_.substr(begin, indent), trigger);
    break;
  }
  case PlaceForm::expression: edit.put = all + ", "; break;
  case PlaceForm::wrapped:
    while (place.offset + edit.length < text_.size() && isNamePart(text_[place.offset + edit.length]))
      ++edit.length;
    edit.put = fmt::format("({}, {})", all, text_.substr(place.offset, edit.length));
    break;
  case PlaceForm::between: {
    const auto first = std::find_if(tokens_.begin(), tokens_.end(),
                                    [&](const Token& token) { return token.offset == place.offset; });
    const Assignment assignment = *assignmentAt(size_t(first - tokens_.begin()));
    edit.length = assignment.end - assignment.begin;
    edit.put = fmt::format("{} = SYMBIOSIS_BETWEEN({}, ({}))", assignment.target, assignment.value, all);
    break;
  }
  }
  return edit;
}

// From the last place to the first, so that offsets stay what they are.
Result<std::string> SourceText::with(std::vector<Insertion> insertions) const {
  std::map<Place, std::vector<std::string>> places;
  for (Insertion& insertion : insertions) places[insertion.place].push_back(std::move(insertion.trigger));
  std::string result = text_;
  size_t changedFrom = text_.size();
  for (auto each = places.rbegin(); each != places.rend(); ++each) {
    const Edit edit = editAt(each->first, each->second);
    if (edit.length > 0 && each->first.offset + edit.length > changedFrom)
      return gaveUp("two triggers would be needed inside of one assignment");
    result.replace(each->first.offset, edit.length, edit.put);
    changedFrom = each->first.offset;
  }
  return result;
}

} // namespace symbiosis

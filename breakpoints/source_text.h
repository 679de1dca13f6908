#pragma once
// A C or C++ source as far as one must know it to insert something before what a line and column name: where
// statements and full expressions begin. It reads tokens and brackets, not types, and where that is not enough it
// says so instead of guessing.
#include "support/result.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis {

enum class PlaceForm : uint8_t {
  statement,  // "trigger;" can stand here, before a statement or the bracket that closes a block
  expression, // "trigger, " can: before a condition, or the body of an `if` without brackets
  wrapped,    // "(trigger, name)": the name that begins a part of an expression
  between,    // the statement becomes "x = SYMBIOSIS_BETWEEN(x + 1, trigger);"
  behind,     // "trigger;" can stand here, behind a statement
};

// Where something is inserted.
struct Place {
  uint32_t offset = 0; // in the text
  PlaceForm form = PlaceForm::statement;
  auto operator<=>(const Place&) const = default;
};

class SourceText {
public:
  explicit SourceText(std::string text);

  // Before the statement or full expression of what stands at the line and column, both from 1; column 0: the
  // first of the line. Error gaveUp: there is no such place; the message says why, without the line.
  Result<Place> before(uint32_t line, uint32_t column) const;
  // Inside of its full expression, right before it is read or, of an assignment, before it is written.
  Result<Place> within(uint32_t line, uint32_t column, bool isWrite) const;

  // Behind its statement, which must be a simple one.
  Result<Place> behind(uint32_t line, uint32_t column) const;

  const std::string& text() const { return text_; }
  // The text with each trigger (an expression) at its place; several at one place are done in their order.
  struct Insertion {
    Place place;
    std::string trigger;
  };
  // Error gaveUp: one of them is inside of an assignment that another takes apart.
  Result<std::string> with(std::vector<Insertion> insertions) const;

private:
  struct Token {
    uint32_t offset = 0, length = 0, line = 0, column = 0;
    // Where something can be inserted before it; in a declaration outside of functions: nowhere.
    uint32_t anchor = 0; // number of a token
    PlaceForm form = PlaceForm::statement;
    const char* refusal = nullptr; // why not; null: it can
  };
  struct Context;
  class Reader;
  std::string_view textOf(const Token& token) const {
    return std::string_view(text_).substr(token.offset, token.length);
  }
  Result<const Token*> tokenAt(uint32_t line, uint32_t column) const;
  struct Assignment;
  Result<Assignment> assignmentAt(size_t first) const;
  std::string lineOf(uint32_t offset, const std::string& trigger) const;
  struct Edit;
  Edit editAt(const Place& place, const std::vector<std::string>& triggers) const;

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<bool> isDirective_; // by line: part of a preprocessor directive
};

} // namespace symbiosis

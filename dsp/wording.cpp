#include "dsp/wording.h"
#include <fmt/format.h>

namespace symbiosis {

std::string formatValue(const AccessValue& value) {
  const unsigned width = value.width == 0 ? 64 : value.width;
  if (value.isLife) return value.bits & 1 ? "alive" : "gone";
  if (width == 1) return fmt::format("{}", value.bits & 1);
  const int64_t number = signExtend(value.bits, width);
  constexpr int64_t kFar = int64_t{1} << 40;
  if (!value.isFloat && width == 64 && (number >= kFar || number <= -kFar))
    return fmt::format("{:#x}", value.bits);
  return valueText(value.bits, width, value.isFloat);
}

AccessValue valueOf(const SymbolicTrace& trace, const Dataflow& flow) {
  return {flow.value, flow.width, trace.cells[flow.cell].isFloat, trace.cells[flow.cell].isLife};
}

static bool beginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

size_t characters(std::string_view text) {
  size_t count = 0;
  for (char byte : text) count += beginsCharacter(byte);
  return count;
}

std::string shortenMiddle(std::string_view text, size_t most) {
  const size_t length = characters(text);
  if (length <= most) return std::string(text);
  if (most < 2) return most == 0 ? "" : "…";
  const size_t head = most / 2, tail = most - 1 - head;
  std::string result;
  size_t seen = 0;
  for (char byte : text) {
    if (beginsCharacter(byte) && ++seen == head + 1) result += "…";
    if (seen <= head || seen > length - tail) result += byte;
  }
  return result;
}

std::string_view fileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string placeOf(const SymbolicTrace& trace, uint32_t location, std::string_view file) {
  if (location == kNone || trace.locations[location].line == 0) return "";
  const SourceLocation& at = trace.locations[location];
  if (at.file.empty() || at.file == file) return fmt::format("line {}", at.line);
  return fmt::format("{}:{}", fileName(at.file), at.line);
}

std::string_view mainFile(const SymbolicTrace& trace, const ShownFailure& failure) {
  return failure.location == kNone ? std::string_view{} : trace.locations[failure.location].file;
}

} // namespace symbiosis

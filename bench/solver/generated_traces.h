#pragma once
// Traces like those of the programs that the papers diagnose, of any size. Each has a schedule that fails and,
// with few exceptions, one that passes; the recorded order is returned with it, as hints would give it.
#include "trace/schedule.h"

namespace symbiosis::bench {

enum class Shape { bank, queue, crasher, pfscan, orderViolation, lockFree };
inline constexpr Shape kShapes[] = {Shape::bank,   Shape::queue,          Shape::crasher,
                                    Shape::pfscan, Shape::orderViolation, Shape::lockFree};
const char* toText(Shape shape);

struct GenerateOptions {
  Shape shape = Shape::bank;
  size_t events = 1000; // about
  ThreadIndex workers = 3;
  unsigned seed = 1;
  bool timestamps = false; // at every event, as a hint
  bool observed = false;   // values of the recorded run at every read
};

struct GeneratedTrace {
  SymbolicTrace trace;
  EventOrder recorded; // a failing schedule
};

GeneratedTrace generate(const GenerateOptions& options);

} // namespace symbiosis::bench

#pragma once
// The interpreter's steps as a plan that the executable follows under control.
#include "replay/plan.h"
#include "tests/reference/interpreter.h"

namespace symbiosis::reference {

// `beginning`: what main does until it has created all threads. The steps must be possible, none of them spurious.
Plan planFor(const TinyProgram& program, const Steps& steps, const std::vector<format::ControlEntry>& beginning);

} // namespace symbiosis::reference

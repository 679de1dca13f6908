#pragma once
// The room `viz`: a Diagnosis as a picture, terminal text or data, one file per view.
// It promises that each view is a pure function of the diagnosis, its trace and the source lines, and that
// whatever names and sources hold is shown as text: every file is well-formed, and nothing in it executes.
#include "dsp/diagnosis.h"
#include "trace/source_files.h"
#include <string>

namespace symbiosis {

// `dsp.json`, schema "symbiosis-dsp/2" (docs/dsp-schema.json).
std::string renderJson(const Diagnosis& diagnosis, const SymbolicTrace& trace);

struct TerminalOptions {
  bool utf8 = true;    // false: ASCII, sign for sign
  bool colour = false; // ANSI escapes
  std::string report;  // where the picture is; empty: not said
  std::string next;    // the command to go on with; empty: not said
};

// The picture as text: both schedules side by side, 80 columns.
std::string renderTerminal(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources,
                           const TerminalOptions& options = {});
// The compact summary: FAIL, Cause, the events in columns, Passes when, Certified, Report.
std::string renderSummary(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources,
                          const TerminalOptions& options = {});

std::string renderSvg(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources);
// The same picture for those who want to restyle it: positions are pinned, draw with `neato -n2`.
std::string renderDot(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources);

// The report for a browser: one file that loads nothing. Both schedules are in it, and the source around them.
std::string renderHtml(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources);

} // namespace symbiosis

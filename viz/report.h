#pragma once
// The files of a report: every view, and the schedules that it is about.
#include "dsp/diagnosis.h"
#include "trace/recording.h"

namespace symbiosis {

// Into `report` in the recording's directory.
Result<void> writeReport(const Diagnosis& diagnosis, const SymbolicTrace& trace, const Recording& recording);

} // namespace symbiosis

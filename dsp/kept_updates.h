#pragma once
// Updates that the failing run loses and the run that passes keeps. Where many updates of one variable are lost,
// no single one of them decides: keep one, and the next is lost. Two runs side by side say what a person would:
// the one that fails loses updates of a variable that the failure depends on, the one that passes loses none of
// it.
#include "dsp/diagnosis.h"
#include "search/lost_updates.h"

namespace symbiosis {

// The first of these, in events of the failing run; nothing: there is none, or too much to look at.
std::optional<LostUpdate> lostOnlyWhenFailing(const OtherPath& path);

} // namespace symbiosis

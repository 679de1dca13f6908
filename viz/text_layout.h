#pragma once
// Graphviz' measure of text, by our own font tables. Its usual one depends on the fonts that happen to be
// installed, and in 2.42 reads memory that it has freed.
#include <gvc.h>

namespace symbiosis {

// Text is drawn so much of its size above the baseline that is asked for.
inline constexpr double kLift = 0.1;

// For gvContextPlugins: a text layout that is preferred to every installed one.
const lt_symlist_t* textLayoutPlugins();

} // namespace symbiosis

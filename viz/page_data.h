#pragma once
// Both schedules as data for the page's script: columns of numbers, so that a hundred thousand events stay small.
#include "viz/picture.h"
#include <string>
#include <vector>

namespace symbiosis {

// The source files that events point at. The page numbers them in this order; the failing check's is the first.
struct PageFiles {
  std::vector<std::string> names; // as in the debug information
  size_t number(const std::string& name);
};

// JSON that is safe inside a <script> element. `picture` is that of the same diagnosis.
std::string pageData(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources,
                     const Picture& picture, PageFiles& files);

} // namespace symbiosis

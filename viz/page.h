#pragma once
// The files of viz/page, built in: the report is one file that needs nothing else.
#include <string_view>

namespace symbiosis::page {

extern const std::string_view kHtml; // with {{names}} to be filled in
extern const std::string_view kCss, kScript;

} // namespace symbiosis::page

// Differential test against reality for C++: exceptions, virtual calls, containers, strings, streams, arithmetic.
#include "tests/symexec/executed_again.h"

namespace symbiosis {
namespace {

class ExecutedProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(ExecutedProgram, HasTheSameResultWhenExecutedFromItsRecording) {
  for (const char* level : {"-O0", "-O2"}) {
    SCOPED_TRACE(level);
    testing::Workspace workspace;
    std::string output;
    const Recording recording = testing::recordOnce(
        workspace,
        fmt::format("c++ -std=c++20 -w -g {0} '{1}/tests/symexec/executed_main.cpp' "
                    "'{1}/tests/programs/executed/{2}.cpp' -o app -pthread",
                    level, SYMBIOSIS_SOURCE_DIR, GetParam()),
        output);
    testing::expectSameAgain(recording, testing::printedResult(output));
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, ExecutedProgram,
                         ::testing::Values("exceptions", "virtual_calls", "containers", "strings", "streams",
                                           "arithmetic"),
                         [](const auto& param) { return std::string(param.param); });

} // namespace
} // namespace symbiosis

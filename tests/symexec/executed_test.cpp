// Differential test against reality for C++: exceptions, virtual calls, containers, strings, streams, arithmetic.
#include "tests/symexec/executed_again.h"

namespace symbiosis {
namespace {

struct Program {
  const char* name;
  bool alone;
};
class ExecutedProgram : public ::testing::TestWithParam<Program> {};

TEST_P(ExecutedProgram, HasTheSameResultWhenExecutedFromItsRecording) {
  for (const char* level : {"-O0", "-O2"}) {
    SCOPED_TRACE(level);
    testing::Workspace workspace;
    std::string output;
    const Recording recording =
        testing::recordOnce(workspace,
                            fmt::format("c++ -std=c++20 -w -g {0} '{1}/tests/symexec/executed_main.cpp' "
                                        "'{1}/tests/programs/executed/{2}.cpp' -o app -pthread",
                                        level, SYMBIOSIS_SOURCE_DIR, GetParam().name),
                            output);
    testing::expectSameAgain(recording, testing::printedResult(output), GetParam().alone);
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, ExecutedProgram,
                         ::testing::Values(Program{"arithmetic", true}, Program{"virtual_calls", true},
                                           Program{"exceptions", false}, Program{"containers", false},
                                           Program{"strings", false}, Program{"streams", false},
                                           Program{"text_copies", true}),
                         [](const auto& param) { return std::string(param.param.name); });

} // namespace
} // namespace symbiosis

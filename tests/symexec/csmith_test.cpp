// Differential test against reality: programs that csmith generates.
#include "tests/support/scale.h"
#include "tests/symexec/executed_again.h"

namespace symbiosis {
namespace {

constexpr uint64_t kLargestForSymbols = 200'000; // bytes of logs

class GeneratedProgram : public ::testing::TestWithParam<int> {
protected:
  // False: the program runs for too long.
  bool generate(int seed) {
    EXPECT_STATUS(
        workspace_.run(fmt::format("csmith --seed {} --max-funcs 4 --max-block-depth 3 > generated.c", seed)), 0);
    EXPECT_STATUS(workspace_.run(fmt::format("clang-19 -w -O1 {} -o plain", arguments())), 0);
    return workspace_.run("timeout 2 ./plain").status == 0;
  }
  static std::string arguments() {
    return fmt::format("-I/usr/include/csmith -I. '{}/tests/symexec/generated_main.c' "
                       "-pthread",
                       SYMBIOSIS_SOURCE_DIR);
  }

  testing::Workspace workspace_;
};

TEST_P(GeneratedProgram, HasTheSameChecksumWhenExecutedFromItsRecording) {
  const int programs = 5 * int(testing::testScale());
  int tried = 0, tooLong = 0;
  for (int seed = GetParam(); tried < programs && tooLong < 10 * programs; seed += 4) {
    if (!generate(seed)) {
      ++tooLong;
      continue;
    }
    ++tried;
    for (const char* level : {"-O0", "-O2"}) {
      SCOPED_TRACE(fmt::format("csmith --seed {}, {}", seed, level));
      std::string output;
      const Recording recording =
          testing::recordOnce(workspace_, fmt::format("cc -w -g {} {} -o app", level, arguments()), output);
      testing::expectSameAgain(recording, testing::printedResult(output), true, kLargestForSymbols);
    }
  }
  EXPECT_EQ(tried, programs);
}
INSTANTIATE_TEST_SUITE_P(Seeds, GeneratedProgram, ::testing::Range(1, 5));

} // namespace
} // namespace symbiosis

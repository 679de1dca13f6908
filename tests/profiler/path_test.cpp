// The recorded branch bits decode to exactly the blocks that an independent log of the same run names.
#include "symexec/path_decoder.h"
#include "tests/workspace.h"
#include <algorithm>
#include <cstring>

using namespace symbiosis;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

using Blocks = std::vector<uint32_t>;

std::vector<Blocks> independentLog(const Workspace& workspace) {
  std::vector<Blocks> threads;
  for (int i = 0;; ++i) {
    Result<std::string> bytes = readFile(workspace.root() / fmt::format("blocks.{}", i));
    if (!bytes) break;
    Blocks blocks(bytes->size() / 4);
    std::memcpy(blocks.data(), bytes->data(), blocks.size() * 4);
    threads.push_back(std::move(blocks));
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::vector<Blocks> decodedLog(const Recording& recording) {
  std::vector<Blocks> threads;
  Result<PathDecoder> decoder = PathDecoder::open(recording);
  EXPECT_TRUE(decoder);
  for (const ThreadLog& thread : recording.threads) {
    Result<Blocks> blocks = decoder->blocks(thread);
    EXPECT_TRUE(blocks) << blocks.error().message;
    if (blocks && !blocks->empty()) threads.push_back(*blocks);
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

struct PathCase {
  const char* compiler;
  const char* source;
  const char* level;
  const char* library = nullptr; // another source, which becomes a static library
};

class PathTest : public ::testing::TestWithParam<PathCase> {};

TEST_P(PathTest, BitsDecodeToTheBlocksOfAnIndependentLog) {
  const PathCase& param = GetParam();
  Workspace workspace;
  const std::string programs = SYMBIOSIS_SOURCE_DIR "/tests/programs/path/";
  ASSERT_STATUS(workspace.run("cc -O1 -c " SYMBIOSIS_SOURCE_DIR "/tests/profiler/test_block.c -o test_block.o"),
                0);
  if (param.library) {
    ASSERT_STATUS(workspace.symbiosis(fmt::format("{} -g {} -c {}{} -o library.o", param.compiler, param.level,
                                                  programs, param.library)),
                  0);
    ASSERT_STATUS(workspace.run("ar rcs library.a library.o"), 0);
  }
  ASSERT_STATUS(workspace.symbiosis(fmt::format("{} -g {} {}{} {} test_block.o -o app -pthread "
                                                "-Wl,--load-pass-plugin={}",
                                                param.compiler, param.level, programs, param.source,
                                                param.library ? "library.a" : "", BLOCK_LOG_PLUGIN)),
                0);
  // The status 7 counts as failing, so the first run is kept.
  ASSERT_STATUS(workspace.symbiosis("profile --record path --runs 1 ./app"), 0);
  Result<Recording> recording = openRecording(workspace.root() / ".symbiosis/latest");
  ASSERT_TRUE(recording) << recording.error().message;
  const std::vector<Blocks> expected = independentLog(workspace), decoded = decodedLog(*recording);
  size_t blocks = 0;
  for (const Blocks& thread : expected) blocks += thread.size();
  EXPECT_GT(blocks, 1000u) << "the program must do something";
  ASSERT_EQ(decoded.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(decoded[i], expected[i]) << "thread " << i;
}

INSTANTIATE_TEST_SUITE_P(Programs, PathTest,
                         ::testing::Values(PathCase{"cc", "control_flow.c", "-O0"},
                                           PathCase{"cc", "control_flow.c", "-O1"},
                                           PathCase{"cc", "control_flow.c", "-O2"},
                                           PathCase{"cc", "signals.c", "-O0"}, PathCase{"cc", "signals.c", "-O2"},
                                           PathCase{"c++", "cxx.cpp", "-O0"}, PathCase{"c++", "cxx.cpp", "-O2"},
                                           PathCase{"cc", "many_threads.c", "-O0", "library.c"},
                                           PathCase{"cc", "many_threads.c", "-O2", "library.c"}),
                         [](const auto& test) {
                           std::string name = std::string(test.param.source) + test.param.level;
                           std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

} // namespace

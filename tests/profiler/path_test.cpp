// The recorded branch bits decode to exactly the blocks that an independent log of the same run names.
#include "symexec/path_decoder.h"
#include "tests/support/scale.h"
#include "tests/workspace.h"
#include <algorithm>
#include <fstream>
#include <map>

using namespace symbiosis;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

using Blocks = std::vector<uint32_t>;

std::vector<Blocks> independentLog(const Workspace& workspace) {
  std::vector<Blocks> threads;
  for (int i = 0;; ++i) {
    std::ifstream file(workspace.root() / fmt::format("blocks.{}", i), std::ios::binary);
    if (!file) break;
    Blocks blocks;
    for (uint32_t number; file.read(reinterpret_cast<char*>(&number), sizeof number) && number != 0;)
      blocks.push_back(number);
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
    Result<DecodedPath> path = decoder->decode(thread);
    EXPECT_TRUE(path) << path.error().message;
    if (path && !path->blocks.empty()) threads.push_back(std::move(path->blocks));
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

void build(const Workspace& workspace, const PathCase& param) {
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
}

class PathTest : public ::testing::TestWithParam<PathCase> {};

TEST_P(PathTest, BitsDecodeToTheBlocksOfAnIndependentLog) {
  const PathCase& param = GetParam();
  Workspace workspace;
  ASSERT_NO_FATAL_FAILURE(build(workspace, param));
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

// A thread's path and, below it, that of the handlers that interrupted it.
struct InterruptedPath {
  DecodedPath path;
  const InterruptedPath* handler = nullptr;

  // Follows `log` from `at`: the blocks [from, to) of this path, each interruption where its marker says. `next`:
  // the interruptions that have been met, of this path's handler, of its handler's handler, …
  bool follow(const Blocks& log, size_t& at, size_t from, size_t to, std::vector<size_t>& next,
              size_t depth) const {
    for (size_t i = from;; ++i) {
      while (handler && mayBeInterrupted(i, next[depth])) {
        const size_t before = at;
        const std::vector<size_t> nextBefore = next;
        const auto& times = handler->path.interruptions;
        const size_t time = next[depth]++;
        const size_t end = time + 1 < times.size() ? times[time + 1].block : handler->path.blocks.size();
        if (handler->follow(log, at, times[time].block, end, next, depth + 1)) continue;
        at = before;
        next = nextBefore;
        break;
      }
      if (i == to) return true;
      if (at == log.size() || log[at] != path.blocks[i]) return false;
      ++at;
    }
  }

private:
  bool mayBeInterrupted(size_t block, size_t time) const {
    if (time == handler->path.interruptions.size()) return false;
    uint64_t position = handler->path.interruptions[time].position;
    if ((position & 63) >= 48) position = (position | 63) + 1; // the word is full
    return (block == 0 || path.positions[block - 1] <= position) &&
           (block == path.positions.size() || path.positions[block] >= position);
  }
};

TEST(PathOfHandlers, ThatComeAtAnyMomentDecodesToTheBlocksOfAnIndependentLog) {
  Workspace workspace;
  ASSERT_NO_FATAL_FAILURE(build(workspace, {"cc", "interrupted.c", "-O1"}));
  size_t interruptions = 0;
  for (size_t run = 0; run < 3 * symbiosis::testing::testScale(); ++run) {
    workspace.run("rm -rf blocks.* kept");
    ASSERT_STATUS(workspace.symbiosis("profile --record path --schedule native --runs 1 -o kept ./app"), 0);
    Result<Recording> recording = openRecording(workspace.root() / "kept");
    ASSERT_TRUE(recording) << recording.error().message;
    ASSERT_EQ(recording->info.ending.code, 7) << "the independent log was too small";
    Result<PathDecoder> decoder = PathDecoder::open(*recording);
    ASSERT_TRUE(decoder);
    std::map<std::string, InterruptedPath> paths;
    for (const ThreadLog& thread : recording->threads) {
      Result<DecodedPath> path = decoder->decode(thread, true);
      ASSERT_TRUE(path) << path.error().message;
      interruptions += path->interruptions.size();
      paths[thread.id].path = std::move(*path);
    }
    for (auto& [id, path] : paths)
      if (auto handler = paths.find(id + ".s"); handler != paths.end()) path.handler = &handler->second;
    for (const char* id : {"0", "0.1"}) {
      const InterruptedPath& path = paths.at(id);
      size_t matching = 0;
      for (const Blocks& log : independentLog(workspace)) {
        size_t at = 0;
        std::vector<size_t> next(paths.size());
        matching += path.follow(log, at, 0, path.path.blocks.size(), next, 0) && at == log.size();
      }
      EXPECT_EQ(matching, 1u) << "thread " << id << " in run " << run;
    }
  }
  EXPECT_GT(interruptions, 10u) << "nothing was interrupted";
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

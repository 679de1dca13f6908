// What level `addresses` leaves out of the log never becomes an address.
#include "tests/profiler/pass/taint.h"
#include "tests/support/program_text.h"
#include "tests/support/scale.h"
#include "tests/workspace.h"
#include "llvm/IR/InstIterator.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace symbiosis;
using symbiosis::testing::CommandResult;
using symbiosis::testing::unknownAddresses;
using symbiosis::testing::Workspace;
namespace fs = std::filesystem;

namespace {

struct Counts {
  size_t points = 0, logged = 0;
};

class CompiledProgram {
public:
  CompiledProgram(const fs::path& source, const char* level) {
    // What a program needs besides stands behind "// flags: ".
    const std::string flags = symbiosis::testing::saidIn(*readFile(source), "flags").value_or("");
    const CommandResult compiled = workspace_.symbiosis(fmt::format("{} -g {} {} '{}' -o app -pthread",
                                                                    source.extension() == ".c" ? "cc" : "c++",
                                                                    level, flags, source.string()));
    EXPECT_STATUS(compiled, 0);
    Result<std::unique_ptr<Snapshot>> loaded = Snapshot::load(workspace_.root() / "app");
    EXPECT_TRUE(loaded) << loaded.error().message;
    if (loaded) snapshot = std::move(*loaded);
  }

  // The loads that are points, and how many of them are in the slice.
  Counts loads() const {
    Counts counts;
    for (llvm::Function* function : snapshot->functions())
      for (llvm::Instruction& instruction : llvm::instructions(*function)) {
        if (!llvm::isa<llvm::LoadInst>(instruction) || !instruction.hasMetadata(kPointMetadata)) continue;
        ++counts.points;
        counts.logged += instruction.hasMetadata(kAddressMetadata);
      }
    return counts;
  }

  std::unique_ptr<Snapshot> snapshot;

private:
  Workspace workspace_;
};

std::vector<fs::path> allPrograms() {
  std::vector<fs::path> sources;
  for (const char* directory : {"wrong", "correct", "path"})
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::path(SYMBIOSIS_SOURCE_DIR) / "tests/programs" / directory))
      if (const std::string name = entry.path().stem().string(); name != "library" && name != "many_threads")
        sources.push_back(entry.path()); // these two are one program
  std::sort(sources.begin(), sources.end());
  return sources;
}

TEST(AddressSlice, NoUnloggedLoadReachesAnAddress) {
  const std::vector<fs::path> programs = allPrograms();
  size_t left = 0;
  for (size_t i = 0; i < programs.size(); ++i)
    for (const char* level : {"-O0", "-O2"}) {
      // In a short run every third program, at one level.
      if (symbiosis::testing::testScale() == 1 && (i % 3 != 0 || (i % 2 == 0) != (level[2] == '0'))) continue;
      SCOPED_TRACE(programs[i].filename().string() + " " + level);
      const CompiledProgram program(programs[i], level);
      ASSERT_TRUE(program.snapshot);
      for (const std::string& violation : unknownAddresses(*program.snapshot)) ADD_FAILURE() << violation;
      const Counts loads = program.loads();
      left += loads.points - loads.logged;
    }
  EXPECT_GT(left, 50u) << "the slice must leave something out";
}

// A check that cannot fail proves nothing: any load that the slice has, taken out, is noticed.
TEST(AddressSlice, TheCheckNoticesEveryLoadThatIsMissing) {
  const CompiledProgram program(fs::path(SYMBIOSIS_SOURCE_DIR) / "tests/profiler/slice.c", "-O0");
  ASSERT_TRUE(program.snapshot);
  EXPECT_TRUE(unknownAddresses(*program.snapshot).empty());
  size_t tried = 0;
  for (llvm::Function* function : program.snapshot->functions())
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      llvm::MDNode* mark = instruction.getMetadata(kAddressMetadata);
      if (!mark) continue;
      instruction.setMetadata(kAddressMetadata, nullptr);
      EXPECT_FALSE(unknownAddresses(*program.snapshot).empty()) << "load " << tried;
      instruction.setMetadata(kAddressMetadata, mark);
      ++tried;
    }
  EXPECT_GE(tried, 5u);
  const Counts loads = program.loads();
  EXPECT_LT(loads.logged, loads.points);
}

} // namespace

// Bad input ends in a clear error and exit code 2, and nothing is overwritten.
#include "tests/workspace.h"
#include "trace/format.h"
#include <cstring>
#include <nlohmann/json.hpp>

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = R"(#include <assert.h>
#include <pthread.h>
static int shared;
static void* child(void* unused) { shared = 1; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, child, 0);
  pthread_join(thread, 0);
  assert(shared == 2);
})";

class BadInputTest : public ::testing::Test {
protected:
  void record() {
    workspace_.write("app.c", kProgram);
    ASSERT_STATUS(workspace_.symbiosis("cc -g app.c -o app -pthread"), 0);
    ASSERT_STATUS(workspace_.symbiosis("profile ./app"), 0);
  }
  fs::path recording() const { return workspace_.root() / ".symbiosis/app-1"; }
  std::string file(const std::string& name) const { return *readFile(recording() / name); }
  void replace(const std::string& name, const std::string& content) {
    ASSERT_TRUE(writeFileAtomically(recording() / name, content));
  }
  // Lets the manifest agree with a file that a test has changed on purpose.
  void bless(const std::string& name) {
    json manifest = json::parse(file("manifest.json"));
    manifest["files"][name] = {{"size", file(name).size()}, {"hash", contentHash(file(name))}};
    replace("manifest.json", manifest.dump());
  }
  void expectRefused(const std::string& arguments, const std::string& saying) {
    CommandResult result = workspace_.symbiosis(arguments);
    EXPECT_STATUS(result, 2);
    EXPECT_NE(result.output.find(saying), std::string::npos) << result.output;
    EXPECT_FALSE(fs::exists(recording() / "report")) << "nothing is written";
  }
  Workspace workspace_;
};

TEST_F(BadInputTest, NoRecording) {
  expectRefused("diagnose", "symbiosis profile");
  expectRefused("diagnose nowhere", "not a recording");
  expectRefused("dump", "symbiosis profile");
  expectRefused("view", "symbiosis profile");
}

TEST_F(BadInputTest, AProgramThatWasNotBuiltWithSymbiosis) {
  workspace_.write("app.c", kProgram);
  ASSERT_STATUS(workspace_.run("cc app.c -o app -pthread"), 0);
  expectRefused("profile ./app", "not built with 'symbiosis cc'");
  expectRefused("profile ./missing", "no such program");
  EXPECT_FALSE(fs::exists(workspace_.root() / ".symbiosis/latest"));
}

TEST_F(BadInputTest, ATruncatedLog) {
  record();
  const std::string path = file("0.path");
  replace("0.path", path.substr(0, path.size() / 2));
  expectRefused("diagnose", "0.path: truncated");
}

TEST_F(BadInputTest, ACorruptLog) {
  record();
  std::string ops = file("1.ops");
  ops[8] = char(ops[8] ^ 0x40);
  replace("1.ops", ops);
  expectRefused("diagnose", "1.ops: altered");
}

TEST_F(BadInputTest, AMissingLog) {
  record();
  fs::remove(recording() / "1.values");
  expectRefused("diagnose", "1.values: missing");
}

TEST_F(BadInputTest, AnUnknownVersion) {
  record();
  json manifest = json::parse(file("manifest.json"));
  manifest["version"] = 99;
  replace("manifest.json", manifest.dump());
  expectRefused("diagnose", "version 99");
}

TEST_F(BadInputTest, AnUnknownLogVersion) {
  record();
  std::string process = file("process");
  const uint32_t version = 77;
  std::memcpy(process.data() + offsetof(format::ProcessHeader, version), &version, sizeof version);
  replace("process", process);
  bless("process");
  expectRefused("diagnose", "log version 77");
}

TEST_F(BadInputTest, AManifestThatIsNoJson) {
  record();
  replace("manifest.json", file("manifest.json").substr(0, 40));
  expectRefused("diagnose", "not valid JSON");
}

TEST_F(BadInputTest, AnAlteredProgram) {
  record();
  fs::remove(recording() / "program");
  expectRefused("diagnose", "copy of the program is missing");
  replace("program", "something else");
  expectRefused("diagnose", "copy of the program has been altered");
}

TEST_F(BadInputTest, APathLogThatDoesNotFitTheProgram) {
  record();
  // Blessed by the manifest, but not what this program can do: an error of the walk, never a wrong diagnosis.
  std::string path = file("1.path");
  ASSERT_GE(path.size(), 16u);
  const uint64_t marker = format::kEntryMarker | uint64_t{12345} << 32;
  std::memcpy(path.data() + 8, &marker, sizeof marker);
  replace("1.path", path);
  bless("1.path");
  CommandResult result = workspace_.symbiosis("diagnose");
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.output.find("function 12345"), std::string::npos) << result.output;
}

TEST_F(BadInputTest, WrongUsage) {
  expectRefused("", "subcommand");
  expectRefused("nonsense", "nonsense");
  expectRefused("profile", "command");
  expectRefused("profile --runs 0 ./app", "--runs");
  expectRefused("diagnose --time-limit x", "--time-limit");
}

TEST_F(BadInputTest, ARecordingSurvivesARebuild) {
  record();
  workspace_.write("app.c", "int main(void) { return 0; }\n");
  ASSERT_STATUS(workspace_.symbiosis("cc -g app.c -o app -pthread"), 0);
  CommandResult result = workspace_.symbiosis("dump --trace");
  EXPECT_STATUS(result, 0);
  EXPECT_NE(result.output.find("shared == 2"), std::string::npos) << result.output;
}

} // namespace

// Some machines (containers above all) do not permit a process to switch address space randomisation off. Then
// every run has other addresses, and a schedule must repeat a run all the same: it names objects, not addresses.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

// Runs its arguments where personality() is refused.
constexpr const char* kRefusing = R"(#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char** arguments) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {4, rules};
  if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 97;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 98;
  execvp(arguments[1], arguments + 1);
  return 99;
}
)";

class RandomAddresses : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomAddresses, DoNotDisturbReplays) {
  Workspace workspace;
  workspace.write("refusing.c", kRefusing);
  ASSERT_STATUS(workspace.run("clang-19 refusing.c -o refusing"), 0);
  const std::string program = std::string(SYMBIOSIS_SOURCE_DIR "/tests/programs/wrong/") + GetParam();
  const char* compiler = program.ends_with(".c") ? "cc" : "c++";
  ASSERT_STATUS(workspace.symbiosis(fmt::format("{} -g -O1 '{}' -o app -pthread", compiler, program)), 0);
  ASSERT_STATUS(workspace.run(fmt::format("./refusing '{}' profile --schedule portfolio --runs 3000 ./app",
                                          SYMBIOSIS_BINARY)),
                0);
  const CommandResult diagnosed =
      workspace.run(fmt::format("./refusing '{}' diagnose --replays 5", SYMBIOSIS_BINARY));
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << diagnosed.output;
  EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5) << diagnosed.output;
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5) << diagnosed.output;
}

INSTANTIATE_TEST_SUITE_P(Programs, RandomAddresses,
                         ::testing::Values("list_head.c", "use_after_free.c", "ab_ba.c"),
                         [](const auto& test) { return std::string(test.param, std::strchr(test.param, '.')); });

} // namespace

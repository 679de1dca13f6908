#include "support/files.h"
#include "tests/support/temporary_directory.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

namespace symbiosis {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_.path()))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  fs::path in(const char* name) const { return directory_.path() / name; }

  testing::TemporaryDirectory directory_;
};

TEST_F(FilesTest, comeBackAsWritten) {
  std::string bytes = "one\ntwo";
  bytes.push_back('\0');
  for (int i = 0; i < 300'000; ++i) bytes.push_back(char(i * 7));
  ASSERT_TRUE(writeFileAtomically(in("a"), bytes));
  EXPECT_EQ(*readFile(in("a")), bytes);
  ASSERT_TRUE(writeFileAtomically(in("a"), ""));
  EXPECT_EQ(*readFile(in("a")), "");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(FilesTest, missingFileIsNamed) {
  Result<std::string> bytes = readFile(in("absent"));
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().kind, ErrorKind::badInput);
  EXPECT_THAT(bytes.error().message, HasSubstr("absent"));
  EXPECT_THAT(bytes.error().message, HasSubstr("No such file"));
  EXPECT_FALSE(hashFile(in("absent")));
}

TEST_F(FilesTest, aDirectoryIsNotAFile) { EXPECT_FALSE(readFile(directory_.path())); }

TEST_F(FilesTest, filesWithoutALengthAreReadToTheirEnd) {
  Result<std::string> status = readFile("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_THAT(*status, HasSubstr("Pid:"));
}

TEST_F(FilesTest, writingIntoNowhereIsAnError) {
  Result<void> written = writeFileAtomically(in("absent") / "file", "x");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("absent/file"));
}

TEST_F(FilesTest, aFailedRenameLeavesNothingBehind) {
  fs::create_directory(in("taken"));
  EXPECT_FALSE(writeFileAtomically(in("taken"), "x"));
  EXPECT_THAT(names(), ElementsAre("taken"));
}

TEST_F(FilesTest, aFailedWriteKeepsTheOldFileAndLeavesNothingBehind) {
  ASSERT_TRUE(writeFileAtomically(in("a"), "old"));
  // A size limit stands in for a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = 1000;
  auto* oldAction = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  Result<void> written = writeFileAtomically(in("a"), std::string(5000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, oldAction);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("cannot write"));
  EXPECT_EQ(*readFile(in("a")), "old");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(FilesTest, twoWritersDoNotMix) {
  const std::string ones(200'000, '1'), twos(200'000, '2');
  auto writeOften = [&](const std::string& bytes) {
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(writeFileAtomically(in("a"), bytes));
  };
  std::thread other([&] { writeOften(ones); });
  writeOften(twos);
  other.join();
  std::string bytes = *readFile(in("a"));
  EXPECT_TRUE(bytes == ones || bytes == twos);
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(FilesTest, respectTheUmask) {
  const mode_t before = ::umask(022);
  ASSERT_TRUE(writeFileAtomically(in("a"), "x"));
  ::umask(before);
  EXPECT_EQ(fs::status(in("a")).permissions(), fs::perms(0644));
}

TEST_F(FilesTest, copiesKeepContentAndPermissions) {
  ASSERT_TRUE(writeFileAtomically(in("a"), "program"));
  fs::permissions(in("a"), fs::perms(0755));
  ASSERT_TRUE(copyFile(in("a"), in("b")));
  EXPECT_EQ(*readFile(in("b")), "program");
  EXPECT_EQ(fs::status(in("b")).permissions(), fs::perms(0755));
  EXPECT_FALSE(copyFile(in("absent"), in("c")));
  EXPECT_THAT(names(), ElementsAre("a", "b"));
}

// That there is none is shown by scripts/full-disk, on disks of its own.
TEST_F(FilesTest, roomIsLookedForWithoutATrace) {
  EXPECT_TRUE(checkRoom(directory_.path(), 1 << 20));
  EXPECT_TRUE(names().empty());
}

// Recordings know their program by its hash: a change of these values orphans them.
TEST_F(FilesTest, hashIsStable) {
  EXPECT_EQ(contentHash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(contentHash("symbiosis"), contentHash(std::string("symbiosis")));
  EXPECT_EQ(contentHash("symbiosis").size(), 32u);
  EXPECT_NE(contentHash("symbiosis"), contentHash("symbiosit"));
  ASSERT_TRUE(writeFileAtomically(in("a"), "symbiosis"));
  EXPECT_EQ(*hashFile(in("a")), contentHash("symbiosis"));
}

TEST_F(FilesTest, temporaryDirectoriesAreFresh) {
  Result<fs::path> one = makeTemporaryDirectory(directory_.path(), "run-");
  Result<fs::path> two = makeTemporaryDirectory(directory_.path(), "run-");
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  EXPECT_TRUE(fs::is_directory(*one));
  EXPECT_FALSE(makeTemporaryDirectory(in("absent"), "run-"));
}

} // namespace
} // namespace symbiosis

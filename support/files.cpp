#include "support/files.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <xxhash.h>

namespace symbiosis {
namespace {

class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }
  // False if what was written did not reach the file after all.
  bool close() {
    if (fd_ < 0) return true;
    return ::close(std::exchange(fd_, -1)) == 0;
  }

private:
  int fd_;
};

Error systemError(const std::filesystem::path& path, std::string_view doing) {
  return badInput(fmt::format("{}: {}: {}", path.string(), doing, std::strerror(errno)));
}

bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(size_t(put));
  }
  return true;
}

} // namespace

Result<std::string> readFile(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return systemError(path, "cannot open");
  std::string bytes;
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) bytes.reserve(size_t(status.st_size));
  char buffer[1 << 16];
  for (;;) {
    ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return systemError(path, "cannot read");
    if (got == 0) return bytes;
    bytes.append(buffer, size_t(got));
  }
}

Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  // One name per writer, so that two who write the same file do not mix their bytes.
  const std::string temporary = fmt::format("{}.{}.partial", path.string(), ::gettid());
  FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return systemError(path, "cannot create");
  auto giveUp = [&](std::string_view doing) {
    Error error = systemError(path, doing);
    ::unlink(temporary.c_str());
    return error;
  };
  if (!writeAll(file.get(), bytes) || !file.close()) return giveUp("cannot write");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return giveUp("cannot rename into place");
  return {};
}

Result<void> copyFile(const std::filesystem::path& from, const std::filesystem::path& to) {
  Result<std::string> bytes = readFile(from);
  if (!bytes) return bytes.error();
  if (Result<void> written = writeFileAtomically(to, *bytes); !written) return written;
  struct stat status{};
  if (::stat(from.c_str(), &status) != 0 || ::chmod(to.c_str(), status.st_mode & 0777) != 0)
    return systemError(to, "cannot take over the permissions");
  return {};
}

std::string contentHash(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::string> hashFile(const std::filesystem::path& path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes) return bytes.error();
  return contentHash(*bytes);
}

Result<std::filesystem::path> makeTemporaryDirectory(const std::filesystem::path& base, std::string_view prefix) {
  std::string name = (base / prefix).string() + std::string(6, 'X'); // mkdtemp puts its own letters there
  if (!::mkdtemp(name.data())) return systemError(name, "cannot create a directory");
  return std::filesystem::path(name);
}

Result<void> checkRoom(const std::filesystem::path& directory, uint64_t bytes) {
  const FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (file.get() < 0) return {}; // not every file system has files without names; the writer will see
  const int error = ::posix_fallocate(file.get(), 0, off_t(bytes));
  if (error != ENOSPC && error != EDQUOT) return {};
  return badInput(
      fmt::format("{}: no room for {:.1f} MB of logs: {}; make room there, or use another directory (TMPDIR "
                  "says where temporary files go)",
                  directory.string(), double(bytes) / 1e6, std::strerror(error)));
}

} // namespace symbiosis

#include "profiler/driver/link_check.h"
#include "support/files.h"
#include "trace/format.h"
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// The name of each section, without a library: enough of ELF to know that the pass has run.
bool hasSection(std::string_view elf, std::string_view wanted) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return false;
  std::memcpy(&header, elf.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shoff == 0) return false;
  auto section = [&](unsigned index, Elf64_Shdr& out) {
    const uint64_t at = header.e_shoff + uint64_t(index) * sizeof out;
    if (at + sizeof out > elf.size()) return false;
    std::memcpy(&out, elf.data() + at, sizeof out);
    return true;
  };
  Elf64_Shdr names;
  if (!section(header.e_shstrndx, names)) return false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr s;
    if (!section(i, s)) return false;
    const uint64_t at = names.sh_offset + s.sh_name;
    if (at < elf.size() && elf.substr(at).starts_with(wanted) && elf.size() > at + wanted.size() &&
        elf[at + wanted.size()] == 0)
      return true;
  }
  return false;
}

// Of an archive it is enough that one member has some.
bool lacksBitcode(const std::string& file) {
  Result<std::string> content = readFile(file);
  if (!content) return false;
  const bool isElf = content->starts_with(ELFMAG), isArchive = content->starts_with("!<arch>");
  return (isElf || isArchive) && content->find(".llvm.lto") == std::string::npos;
}

// What -lNAME means, if it is in one of the user's own directories; the system's libraries are nobody's surprise.
std::string libraryFile(const CompilerCall& call, const std::string& name) {
  for (const std::string& directory : call.libraryDirectories)
    for (const char* form : {"lib{}.so", "lib{}.a"})
      if (fs::path file = fs::path(directory) / fmt::format(fmt::runtime(form), name); fs::exists(file))
        return file.string();
  return {};
}

} // namespace

Result<std::vector<std::string>> inputsWithoutBitcode(const CompilerCall& call) {
  std::vector<std::string> without;
  for (const std::string& object : call.objects)
    if (lacksBitcode(object)) without.push_back(object);
  for (const std::string& library : call.libraries)
    if (std::string file = libraryFile(call, library); !file.empty() && lacksBitcode(file))
      without.push_back(file);
  Result<std::string> bytes = readFile(call.output);
  // -o /dev/null and the like: nothing to look at.
  if (!bytes || !bytes->starts_with(ELFMAG) || hasSection(*bytes, format::kSnapshotSection)) return without;
  return badInput(
      fmt::format("{}: linked, but without anything to record; compile the sources with 'symbiosis cc' too{}{}",
                  call.output, without.empty() ? "" : ". Inputs without bitcode: ", fmt::join(without, ", ")));
}

} // namespace symbiosis

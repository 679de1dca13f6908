#pragma once
// Orderings written into the sources, as a unified diff; and a test that runs what is built from them.
#include "breakpoints/orderings.h"
#include "trace/recording.h"
#include <filesystem>

namespace symbiosis {

// A source that the patch changes.
struct PatchedFile {
  std::string name; // as the debug information spells it
  std::filesystem::path path;
  std::string before, after; // its text
};

struct Patch {
  std::vector<PatchedFile> files;
  size_t orderings = 0;
};

// Errors: badInput: a source is not there any more, or not as it was recorded; gaveUp: an ordering has no place.
Result<Patch> patchOf(const Recording& recording, const SymbolicTrace& trace, const Visits& visits,
                      const Orderings& orderings, const std::string& name);

// The current directory or, if not all of the sources are below it, the nearest one above it of which that is so.
std::filesystem::path rootOf(const Patch& patch);

// For `patch -p1` in the directory `root`; `title` are lines before the diff.
std::string toText(const Patch& patch, const std::string& title, const std::filesystem::path& root);

// The lines of two texts as a unified diff with `from` and `to` in its head; empty: they are the same.
std::string unifiedDiff(const std::string& before, const std::string& after, const std::string& from,
                        const std::string& to);

// A test of GoogleTest that runs the program, built with the patch, `times` times and fails if it does.
std::string testOf(const Recording& recording, const std::string& name, size_t times);

} // namespace symbiosis

#include "profiler/profiler.h"
#include <fmt/format.h>
int main(int argc, char** argv) {
  using namespace symbiosis;
  std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) return 2;
  std::string verb = args[0];
  args.erase(args.begin());
  Result<int> r = runCompiler(verb == "c++" ? Language::cxx : Language::c, args);
  if (!r) { fmt::print(stderr, "symbiosis: {}\n", r.error().message); return 2; }
  return *r;
}

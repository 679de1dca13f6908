// What we export, the z3 command answers as we do.
#include "constraints/schedule_solver.h"
#include "lost_updates.h"
#include "random_trace.h"
#include "tests/support/temporary_directory.h"
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

std::string z3Says(const std::string& text, const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / "query.smt2";
  std::ofstream(file) << text;
  FILE* pipe = popen(fmt::format("z3 {}", file.string()).c_str(), "r");
  if (!pipe) return "no z3 command";
  std::array<char, 256> line{};
  std::string first = fgets(line.data(), line.size(), pipe) ? line.data() : "no answer";
  pclose(pipe);
  while (!first.empty() && first.back() == '\n') first.pop_back();
  return first;
}

void expectSame(const SymbolicTrace& trace, const SolverQuery& query, Answer answer,
                const std::filesystem::path& directory) {
  const Result<std::string> text = toSmtLib(trace, query);
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(z3Says(*text, directory), answer == Answer::sat ? "sat" : "unsat");
}

TEST(SmtLib, TheCommandGivesTheSameVerdict) {
  const testing::TemporaryDirectory directory;
  for (unsigned seed = 0; seed < 18; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace =
        testing::randomTrace(random, 7, seed % 2 && seed % 3 ? testing::Sync::all : testing::Sync::mutexes,
                             seed < 12 ? testing::Ends::failing : testing::Ends::waiting);
    const Encoding encoding = seed % 3 ? Encoding::order : Encoding::paper;
    ScheduleSolver solver(trace);
    const ScheduleAnswer failing = solver.failing();
    expectSame(trace, {Goal::failing, {}, encoding}, failing.answer, directory.path());
    if (failing.answer != Answer::sat) continue;
    std::vector<OrderEdge> edges = candidateEdges(trace, failing.order);
    expectSame(trace, {Goal::passing, edges, encoding}, Answer::unsat, directory.path()); // Φ_root
    if (edges.empty()) continue;
    std::swap(edges[0].before, edges[0].after); // Φ_alt
    edges.resize(1);
    expectSame(trace, {Goal::passing, edges, encoding}, solver.passing(edges).answer, directory.path());
  }
}

TEST(SmtLib, FloatsAreSaidInTheTheoryOfFloatingPoint) {
  const testing::TemporaryDirectory directory;
  const SymbolicTrace lost = testing::lostUpdates(2, 1, std::bit_cast<uint32_t>(0.1f), true);
  const Result<std::string> text = toSmtLib(lost, {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, ::testing::HasSubstr("fp.add"));
  expectSame(lost, {}, Answer::sat, directory.path());
  const SymbolicTrace twice = testing::lostUpdates(2, 1, std::bit_cast<uint32_t>(0.3f), true);
  expectSame(twice, {}, Answer::unsat, directory.path());
}

} // namespace
} // namespace symbiosis

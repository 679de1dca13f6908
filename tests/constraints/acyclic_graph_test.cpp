// The graph that stays acyclic, against a search for circles from scratch.
#include "constraints/acyclic_graph.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace symbiosis {
namespace {

struct LabelledEdge {
  uint32_t from = 0, to = 0, label = 0;
};

bool reaches(const std::vector<LabelledEdge>& edges, uint32_t from, uint32_t to) {
  std::set<uint32_t> seen{from};
  for (size_t before = 0; before != seen.size();) {
    before = seen.size();
    for (const LabelledEdge& edge : edges)
      if (seen.contains(edge.from)) seen.insert(edge.to);
  }
  return seen.contains(to);
}

// Whether edges with these labels alone lead from one to the other.
bool isPath(const std::vector<LabelledEdge>& edges, const std::vector<uint32_t>& labels, uint32_t from,
            uint32_t to) {
  std::vector<LabelledEdge> some;
  for (const LabelledEdge& edge : edges)
    if (std::count(labels.begin(), labels.end(), edge.label)) some.push_back(edge);
  return reaches(some, from, to);
}

TEST(AcyclicGraph, RefusesExactlyTheEdgesThatCloseACircle) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const uint32_t nodes = 2 + uint32_t(random() % 12);
    AcyclicGraph graph(nodes);
    std::vector<LabelledEdge> edges;
    for (uint32_t label = 0; label < 60; ++label) {
      if (!edges.empty() && random() % 4 == 0) {
        graph.takeBack();
        edges.pop_back();
      }
      const LabelledEdge edge{uint32_t(random() % nodes), uint32_t(random() % nodes), label};
      std::vector<uint32_t> labels;
      const bool closes = reaches(edges, edge.to, edge.from);
      ASSERT_EQ(graph.add(edge.from, edge.to, label, labels), !closes) << "seed " << seed;
      if (closes)
        ASSERT_TRUE(isPath(edges, labels, edge.to, edge.from)) << "seed " << seed;
      else
        edges.push_back(edge);
      ASSERT_EQ(graph.edges(), edges.size());
    }
  }
}

} // namespace
} // namespace symbiosis

// Our own versions of what libstdc++ keeps in its shared library: linked into this test, they are what its
// containers use.
#include <algorithm>
#include <gtest/gtest.h>
#include <list>
#include <random>
#include <set>
#include <vector>

namespace {

using Node = std::_Rb_tree_node_base;

// Black nodes on every path below; fails the test if the tree is not a red-black tree.
int blackHeight(const Node* node, const Node* parent) {
  if (!node) return 1;
  EXPECT_EQ(node->_M_parent, parent);
  for (const Node* child : {node->_M_left, node->_M_right}) {
    EXPECT_FALSE(node->_M_color == std::_S_red && child && child->_M_color == std::_S_red);
  }
  const int left = blackHeight(node->_M_left, node), right = blackHeight(node->_M_right, node);
  EXPECT_EQ(left, right);
  return left + (node->_M_color == std::_S_black);
}

TEST(Library, SetsAreSortedAndBalanced) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    std::set<int> set;
    std::vector<int> sorted;
    const int range = 1 + int(random() % 60);
    for (int i = 0; i < 300; ++i) {
      const int x = int(random() % unsigned(range));
      const auto at = std::lower_bound(sorted.begin(), sorted.end(), x);
      const bool isThere = at != sorted.end() && *at == x;
      if (random() % 2) {
        EXPECT_EQ(set.insert(x).second, !isThere);
        if (!isThere) sorted.insert(at, x);
      } else {
        EXPECT_EQ(set.erase(x), size_t(isThere));
        if (isThere) sorted.erase(at);
      }
      ASSERT_TRUE(std::equal(set.begin(), set.end(), sorted.begin(), sorted.end()));
      ASSERT_TRUE(std::equal(set.rbegin(), set.rend(), sorted.rbegin(), sorted.rend()));
      if (set.empty()) continue;
      const Node* header = set.end()._M_node;
      EXPECT_EQ(header->_M_parent->_M_color, std::_S_black);
      blackHeight(header->_M_parent, header);
    }
  }
}

TEST(Library, ListsKeepTheirOrder) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    std::list<int> a, b;
    std::vector<int> plainA, plainB;
    for (int i = 0; i < 200; ++i) {
      switch (random() % 8) {
      case 0: a.push_back(i), plainA.push_back(i); break;
      case 1: b.push_front(i), plainB.insert(plainB.begin(), i); break;
      case 2: a.reverse(), std::reverse(plainA.begin(), plainA.end()); break;
      case 3: a.swap(b), plainA.swap(plainB); break;
      case 4:
        if (a.empty()) break;
        a.pop_front(), plainA.erase(plainA.begin());
        break;
      case 5:
        a.splice(a.begin(), b), plainA.insert(plainA.begin(), plainB.begin(), plainB.end());
        plainB.clear();
        break;
      case 6: a.sort(), std::sort(plainA.begin(), plainA.end()); break;
      case 7:
        if (a.size() < 3) break;
        a.splice(a.begin(), a, std::next(a.begin()), a.end());
        std::rotate(plainA.begin(), plainA.begin() + 1, plainA.end());
        break;
      }
      ASSERT_TRUE(std::equal(a.begin(), a.end(), plainA.begin(), plainA.end()));
      ASSERT_TRUE(std::equal(a.rbegin(), a.rend(), plainA.rbegin(), plainA.rend()));
      ASSERT_TRUE(std::equal(b.begin(), b.end(), plainB.begin(), plainB.end()));
      ASSERT_TRUE(std::equal(b.rbegin(), b.rend(), plainB.rbegin(), plainB.rend()));
    }
  }
}

} // namespace

// The links of std::list, which libstdc++ keeps in its shared library (see trees.cpp).
#include <list>
#include <utility>

namespace std {
namespace __detail {

void _List_node_base::_M_hook(_List_node_base* const position) noexcept {
  _M_next = position;
  _M_prev = position->_M_prev;
  position->_M_prev->_M_next = this;
  position->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
  _M_prev->_M_next = _M_next;
  _M_next->_M_prev = _M_prev;
}

// [first, last) moves before this node.
void _List_node_base::_M_transfer(_List_node_base* const first, _List_node_base* const last) noexcept {
  if (this == last) return;
  _List_node_base *back = last->_M_prev, *before = _M_prev;
  first->_M_prev->_M_next = last;
  last->_M_prev = first->_M_prev;
  before->_M_next = first;
  first->_M_prev = before;
  back->_M_next = this;
  _M_prev = back;
}

void _List_node_base::_M_reverse() noexcept {
  _List_node_base* node = this;
  do {
    std::swap(node->_M_next, node->_M_prev);
    node = node->_M_prev;
  } while (node != this);
}

// An empty list's node points to itself, not to where it lies in the other list.
static void adopt(_List_node_base& node, _List_node_base* next, _List_node_base* previous, bool isEmpty) {
  node._M_next = isEmpty ? &node : next;
  node._M_prev = isEmpty ? &node : previous;
  node._M_next->_M_prev = node._M_prev->_M_next = &node;
}

void _List_node_base::swap(_List_node_base& a, _List_node_base& b) noexcept {
  _List_node_base *nextOfA = a._M_next, *previousOfA = a._M_prev, *nextOfB = b._M_next, *previousOfB = b._M_prev;
  const bool isEmptyA = nextOfA == &a, isEmptyB = nextOfB == &b;
  adopt(a, nextOfB, previousOfB, isEmptyB);
  adopt(b, nextOfA, previousOfA, isEmptyA);
}

} // namespace __detail
} // namespace std

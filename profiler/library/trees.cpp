// The trees of std::map and std::set. libstdc++ keeps these functions in its shared library, where nothing is
// recorded; a program that is linked with them sees every access to its nodes.
//
// Red-black trees after Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms, ch. 13, with null for the
// leaves. The header node of libstdc++ stands above the root: its parent is the root, its left the first node, its
// right the last.
#include <map>

namespace {

using Node = std::_Rb_tree_node_base;

bool isRed(const Node* node) { return node && node->_M_color == std::_S_red; }
bool isBlack(const Node* node) { return !isRed(node); }

// The link through which the tree holds `node`.
Node*& linkTo(Node* node, Node& header) {
  Node* parent = node->_M_parent;
  if (parent == &header) return header._M_parent;
  return parent->_M_left == node ? parent->_M_left : parent->_M_right;
}

Node*& child(Node* node, bool left) { return left ? node->_M_left : node->_M_right; }

// The child on the other side comes up, `node` goes down to the side `left`.
void rotate(Node* node, bool left, Node& header) {
  Node* up = child(node, !left);
  Node* between = child(up, left);
  child(node, !left) = between;
  if (between) between->_M_parent = node;
  linkTo(node, header) = up;
  up->_M_parent = node->_M_parent;
  child(up, left) = node;
  node->_M_parent = up;
}

void mendAfterInsertion(Node* node, Node& header) {
  while (node != header._M_parent && isRed(node->_M_parent)) {
    Node* parent = node->_M_parent;
    Node* above = parent->_M_parent;
    const bool left = parent == above->_M_left;
    Node* uncle = child(above, !left);
    if (isRed(uncle)) {
      parent->_M_color = uncle->_M_color = std::_S_black;
      above->_M_color = std::_S_red;
      node = above;
      continue;
    }
    if (node == child(parent, !left)) {
      rotate(parent, left, header);
      parent = node;
    }
    parent->_M_color = std::_S_black;
    above->_M_color = std::_S_red;
    rotate(above, !left, header);
    break;
  }
  header._M_parent->_M_color = std::_S_black;
}

// The paths through `node`, a child of `parent` and perhaps null, have one black node too few.
void mendAfterRemoval(Node* node, Node* parent, Node& header) {
  while (node != header._M_parent && isBlack(node)) {
    const bool left = node == parent->_M_left;
    Node* sibling = child(parent, !left);
    if (isRed(sibling)) {
      sibling->_M_color = std::_S_black;
      parent->_M_color = std::_S_red;
      rotate(parent, left, header);
      sibling = child(parent, !left);
    }
    if (isBlack(sibling->_M_left) && isBlack(sibling->_M_right)) {
      sibling->_M_color = std::_S_red;
      node = parent;
      parent = parent->_M_parent;
      continue;
    }
    if (isBlack(child(sibling, !left))) {
      child(sibling, left)->_M_color = std::_S_black;
      sibling->_M_color = std::_S_red;
      rotate(sibling, !left, header);
      sibling = child(parent, !left);
    }
    sibling->_M_color = parent->_M_color;
    parent->_M_color = std::_S_black;
    child(sibling, !left)->_M_color = std::_S_black;
    rotate(parent, left, header);
    break;
  }
  if (node) node->_M_color = std::_S_black;
}

// Puts `node`, perhaps null, where `old` is.
void replace(Node* old, Node* node, Node& header) {
  linkTo(old, header) = node;
  if (node) node->_M_parent = old->_M_parent;
}

Node* successor(Node* node) {
  if (node->_M_right) return Node::_S_minimum(node->_M_right);
  Node* parent = node->_M_parent;
  while (node == parent->_M_right) {
    node = parent;
    parent = node->_M_parent;
  }
  // A root without a right child is itself what the header's right points to; then `node` is the header already.
  return node->_M_right == parent ? node : parent;
}

Node* predecessor(Node* node) {
  const bool isHeader = isRed(node) && node->_M_parent->_M_parent == node;
  if (isHeader) return node->_M_right;
  if (node->_M_left) return Node::_S_maximum(node->_M_left);
  Node* parent = node->_M_parent;
  while (node == parent->_M_left) {
    node = parent;
    parent = node->_M_parent;
  }
  return parent;
}

} // namespace

namespace std {

_Rb_tree_node_base* _Rb_tree_increment(_Rb_tree_node_base* node) throw() { return successor(node); }
const _Rb_tree_node_base* _Rb_tree_increment(const _Rb_tree_node_base* node) throw() {
  return successor(const_cast<_Rb_tree_node_base*>(node));
}
_Rb_tree_node_base* _Rb_tree_decrement(_Rb_tree_node_base* node) throw() { return predecessor(node); }
const _Rb_tree_node_base* _Rb_tree_decrement(const _Rb_tree_node_base* node) throw() {
  return predecessor(const_cast<_Rb_tree_node_base*>(node));
}

void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base* node, _Rb_tree_node_base* parent,
                                   _Rb_tree_node_base& header) throw() {
  node->_M_parent = parent;
  node->_M_left = node->_M_right = nullptr;
  node->_M_color = _S_red;
  if (parent == &header) {
    header._M_parent = header._M_left = header._M_right = node;
  } else {
    child(parent, left) = node;
    if (left && parent == header._M_left) header._M_left = node;
    if (!left && parent == header._M_right) header._M_right = node;
  }
  mendAfterInsertion(node, header);
}

_Rb_tree_node_base* _Rb_tree_rebalance_for_erase(_Rb_tree_node_base* const node,
                                                 _Rb_tree_node_base& header) throw() {
  if (header._M_left == node) header._M_left = successor(node);
  if (header._M_right == node) header._M_right = predecessor(node);
  _Rb_tree_color removed = node->_M_color;
  Node *moved, *parent; // what takes the place of the node that is missing, and where
  if (!node->_M_left || !node->_M_right) {
    moved = node->_M_left ? node->_M_left : node->_M_right;
    parent = node->_M_parent;
    replace(node, moved, header);
  } else {
    Node* heir = Node::_S_minimum(node->_M_right);
    removed = heir->_M_color;
    moved = heir->_M_right;
    parent = heir;
    if (heir != node->_M_right) {
      parent = heir->_M_parent;
      replace(heir, moved, header);
      heir->_M_right = node->_M_right;
      heir->_M_right->_M_parent = heir;
    }
    replace(node, heir, header);
    heir->_M_left = node->_M_left;
    heir->_M_left->_M_parent = heir;
    heir->_M_color = node->_M_color;
  }
  if (removed == _S_black) mendAfterRemoval(moved, parent, header);
  return node;
}

} // namespace std

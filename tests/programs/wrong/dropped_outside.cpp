// Nodes of a ring list are moved under the list's lock; who gives one back forgets the lock, three calls down.
// expect: assertion; other path; decision 49 or 50
// called: double claim on list.idle.previous | order violation on list.idle.previous | lost update on list.idle.previous
#include <cassert>
#include <mutex>
#include <thread>

struct Node {
  Node* next;
  Node* previous;
  int uses;
};

class List {
public:
  List() : idle{&idle, &idle, 0}, busy{&busy, &busy, 0} {}
  void add(Node& node) { append(idle, node); }

  Node* take() {
    const std::lock_guard<std::mutex> hold(mutex);
    Node* const node = idle.next;
    if (node == &idle) return nullptr;
    remove(*node);
    append(busy, *node);
    ++node->uses;
    return node;
  }
  // Without the lock.
  void giveBack(Node& node) { drop(node); }
  int length(const Node& head) const {
    int count = 0;
    for (const Node* node = head.next; node != &head; node = node->next) ++count;
    return count;
  }
  int idleNodes() const { return length(idle); }
  int busyNodes() const { return length(busy); }

private:
  void drop(Node& node) {
    remove(node);
    append(idle, node);
  }
  static void remove(Node& node) {
    node.previous->next = node.next;
    node.next->previous = node.previous;
  }
  static void append(Node& head, Node& node) {
    node.next = &head;
    node.previous = head.previous;
    head.previous->next = &node;
    head.previous = &node;
  }

  std::mutex mutex;
  Node idle, busy;
};

static List list;
static Node nodes[4];

static void work() {
  if (Node* node = list.take()) list.giveBack(*node);
}

int main() {
  for (Node& node : nodes) list.add(node);
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(list.idleNodes() == 4 && list.busyNodes() == 0);
}

// A lock-free stack whose pop compares only the pointer.
// expect: assertion; other path; decision 17 or 18
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  int value = 0;
  Node* next = nullptr;
  std::atomic<bool> taken{false};
};

static Node nodes[3];
static std::atomic<Node*> top;

static Node* pop() {
  Node* seen = top;
  while (seen && !top.compare_exchange_weak(seen, seen->next)) {
  }
  if (seen) assert(!seen->taken.exchange(true));
  return seen;
}
static void push(Node* node) {
  node->taken = false;
  node->next = top;
  while (!top.compare_exchange_weak(node->next, node)) {
  }
}

int main() {
  for (Node& node : nodes) push(&node);
  std::thread one([] {
    pop();
    pop();
  });
  std::thread two([] {
    Node* first = pop();
    Node* second = pop();
    if (first) push(first);
    (void)second;
  });
  one.join();
  two.join();
  pop();
}

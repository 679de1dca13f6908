// Objects go through a pool: freed into a list, taken out again by other threads, with shared and weak pointers to them.
// expect: pass
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
  Node* next = nullptr;
  int value = 0;
};

class Pool {
public:
  Node* take() {
    const std::lock_guard<std::mutex> guard(lock_);
    if (!free_) return new Node;
    Node* node = free_;
    free_ = node->next;
    return node;
  }
  void give(Node* node) {
    const std::lock_guard<std::mutex> guard(lock_);
    node->next = free_;
    free_ = node;
  }
  ~Pool() {
    for (Node* node = free_; node;) {
      Node* next = node->next;
      delete node;
      node = next;
    }
  }

private:
  std::mutex lock_;
  Node* free_ = nullptr;
};

static Pool pool;

static void work(std::shared_ptr<std::vector<int>> values, std::weak_ptr<int> perhaps) {
  for (int i = 0; i < 3; ++i) {
    Node* node = pool.take();
    node->value = (*values)[size_t(i)];
    if (const std::shared_ptr<int> there = perhaps.lock()) node->value += *there;
    pool.give(node);
  }
}

int main() {
  auto values = std::make_shared<std::vector<int>>(3, 7);
  auto perhaps = std::make_shared<int>(1);
  std::thread one(work, values, perhaps), two(work, values, std::weak_ptr<int>(perhaps));
  values.reset();
  perhaps.reset();
  one.join();
  two.join();
}

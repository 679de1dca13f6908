// A picture goes back to its pool when nobody refers to it any more; a viewer may retain it before that.
// expect: assertion; other path; decision 22
// Seeing that somebody holds the picture and counting oneself are two steps: in between the last one lets go.
#include <atomic>
#include <cassert>
#include <thread>

class Pool {
public:
  void giveBack() { returned_++; }
  int returned() const { return returned_; }

private:
  std::atomic<int> returned_{0};
};

class Picture {
public:
  explicit Picture(Pool& pool) : pool_(pool) {}

  bool retain() {
    if (references_ == 0) return false;
    references_++;
    return true;
  }
  void release() {
    if (--references_ == 0) pool_.giveBack();
  }

private:
  Pool& pool_;
  std::atomic<int> references_{1};
};

int main() {
  Pool pool;
  Picture picture(pool);
  std::thread painter([&] { picture.release(); });
  std::thread viewer([&] {
    if (picture.retain()) picture.release();
  });
  painter.join();
  viewer.join();
  assert(pool.returned() == 1);
}

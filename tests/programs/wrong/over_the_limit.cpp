// A small room with two chairs: whoever finds one free goes in and sits down.
// expect: assertion; other path; decision 18 or 36
// Whether there is room is asked under one lock, the guest is added under the next: two guests get the last chair.
#include <cassert>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Room {
public:
  explicit Room(std::size_t chairs) : chairs_(chairs) {}

  bool isFull() {
    std::lock_guard guard(mutex_);
    return guests_.size() >= chairs_;
  }
  void enter(std::string name) {
    std::lock_guard guard(mutex_);
    guests_.push_back(std::move(name));
  }
  bool isCrowded() {
    std::lock_guard guard(mutex_);
    return guests_.size() > chairs_;
  }

private:
  std::mutex mutex_;
  std::size_t chairs_;
  std::vector<std::string> guests_;
};

static void visit(Room& room, const char* name) {
  if (room.isFull()) return;
  room.enter(name);
}

int main() {
  Room room(2);
  room.enter("Ada");
  std::thread grace(visit, std::ref(room), "Grace");
  std::thread edsger(visit, std::ref(room), "Edsger");
  grace.join();
  edsger.join();
  assert(!room.isCrowded());
}

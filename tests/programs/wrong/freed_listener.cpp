// A listener is deleted while the thread that notifies it is about to call it.
// expect: signal 11; order violation on known; lines 12 21 30; dsp 8
#include <thread>

struct Listener {
  virtual ~Listener() {}
  virtual void changed() = 0;
};

static int changes;

struct Counter : Listener {
  void changed() override { ++changes; }
};

static Listener* listener;

static void notify() {
  Listener* known = listener;
  if (!known) return;
  known->changed();
}

static void forget(Listener* known) {
  listener = nullptr;
  delete known;
}

int main() {
  listener = new Counter;
  std::thread thread(notify);
  forget(listener);
  thread.join();
  return 0;
}

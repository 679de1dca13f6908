// Double-checked initialisation that publishes the object before it is filled.
// expect: assertion; multi-variable inconsistency on settings and ; lines 9 21 27; dsp 4
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Settings {
  int width = 0, height = 0;
};

static std::mutex mutex;
static std::atomic<Settings*> settings;

static Settings& get() {
  if (!settings) {
    std::lock_guard lock(mutex);
    if (!settings) {
      settings = new Settings;
      settings.load()->width = 80;
      settings.load()->height = 25;
    }
  }
  return *settings;
}

static void use() { assert(get().height == 25); }

int main() {
  std::thread one(use), two(use);
  one.join();
  two.join();
  delete settings.load();
}

// A registry that is made when somebody asks for it first.
// expect: exit 1; other path; decision 14 or 15
// Both threads find that there is no registry yet and make one each; what was added to the first is lost.
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>

class Registry {
public:
  static Registry& instance() {
    Registry* registry = current_;
    if (registry == nullptr) {
      registry = new Registry;
      current_ = registry;
    }
    return *registry;
  }
  void add(const std::string& name) {
    std::lock_guard guard(mutex_);
    names_.insert(name);
  }
  std::size_t size() {
    std::lock_guard guard(mutex_);
    return names_.size();
  }

private:
  static inline std::atomic<Registry*> current_{nullptr};
  std::mutex mutex_;
  std::unordered_set<std::string> names_;
};

int main() {
  std::thread audio([] { Registry::instance().add("audio"); });
  std::thread video([] { Registry::instance().add("video"); });
  audio.join();
  video.join();
  return Registry::instance().size() == 2 ? 0 : 1;
}
// not at: path

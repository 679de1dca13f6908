// A producer hands blocks over through a queue; the consumer deletes them. Strings, vectors and maps on the way.
// expect: pass
// not at: path, addresses
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

struct Message {
  std::string text;
  std::map<int, std::string> parts;
};
static std::mutex lock;
static std::condition_variable filled;
static std::deque<Message*> queue;

int main() {
  size_t seen = 0;
  std::thread consumer([&] {
    for (int i = 0; i < 6; ++i) {
      std::unique_lock<std::mutex> guard(lock);
      filled.wait(guard, [] { return !queue.empty(); });
      Message* message = queue.front();
      queue.pop_front();
      guard.unlock();
      seen += message->text.size() + message->parts.size();
      delete message;
    }
  });
  for (int i = 0; i < 6; ++i) {
    Message* message = new Message{std::string(size_t(20 + i), 'x'), {}};
    message->parts[i] = message->text;
    message->parts.erase(i);
    message->parts[i + 1] = "kept";
    const std::lock_guard<std::mutex> guard(lock);
    queue.push_back(message);
    filled.notify_one();
  }
  consumer.join();
  return seen == 6 * 20 + 15 + 6 ? 0 : 1;
}

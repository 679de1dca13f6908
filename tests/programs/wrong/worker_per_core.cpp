// As many workers as there are cores, but at least two; each adds what it has counted without a lock.
// expect: assertion; lost update on total; lines 14 15; dsp 5
#include <cassert>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <vector>

static int total;

static void work() {
  int mine = 0;
  for (int i = 0; i < 3; ++i) ++mine;
  const int before = total;
  total = before + mine;
}

int main() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 2;
  const unsigned cores = std::thread::hardware_concurrency();
  if (long(cores) != sysconf(_SC_NPROCESSORS_ONLN)) return 3;
  unsigned count = unsigned(CPU_COUNT(&allowed));
  count = count < 2 ? 2 : count > 3 ? 3 : count;
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < count; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  assert(total == 3 * int(count));
}

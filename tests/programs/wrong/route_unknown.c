// A packet is forwarded by a table of routes that another thread is still filling.
// expect: exit 1; other path; decision 28
// The table is searched before the route has been learnt, and the error code is handed up to main.
#include <errno.h>
#include <pthread.h>

struct route {
  int prefix;
  int port;
};

static struct route routes[4];
static int known;
static int sent[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void learn(int prefix, int port) {
  pthread_mutex_lock(&lock);
  routes[known].prefix = prefix;
  routes[known].port = port;
  known++;
  pthread_mutex_unlock(&lock);
}

static int find_port(int prefix, int* port) {
  int error = -ENOENT;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < known; i++) {
    if (routes[i].prefix != prefix) continue;
    *port = routes[i].port;
    error = 0;
  }
  pthread_mutex_unlock(&lock);
  return error;
}

static int forward(int prefix) {
  int port = 0;
  int error = find_port(prefix, &port);
  if (error) return error;
  sent[port]++;
  return 0;
}

static void* discover(void* unused) {
  learn(10, 1);
  learn(20, 2);
  return unused;
}

static void* send_one(void* result) {
  *(int*)result = forward(20);
  return 0;
}

int main(void) {
  pthread_t discovery, sender;
  int result = 0;
  pthread_create(&discovery, 0, discover, 0);
  pthread_create(&sender, 0, send_one, &result);
  pthread_join(discovery, 0);
  pthread_join(sender, 0);
  return result < 0 ? 1 : 0;
}

// The settings are loaded by whoever finds none, and kept under a lock: two threads find none. A schedule of the same path
// passes only because one of the two counts of loads is lost; that explains nothing, so another path is shown.
// expect: exit 3; other path; decision 17
#include <pthread.h>
#include <stdlib.h>

struct settings {
  int port;
  const char* host;
};

static struct settings* current;
static int loads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings* get(void) {
  if (!current) {
    struct settings* loaded = malloc(sizeof *loaded);
    loaded->port = 80;
    loaded->host = "localhost";
    ++loads;
    pthread_mutex_lock(&lock);
    current = loaded;
    pthread_mutex_unlock(&lock);
  }
  return current;
}

static void* user(void* port) {
  *(int*)port = get()->port;
  return NULL;
}

int main(void) {
  pthread_t users[2];
  int ports[2];
  for (int i = 0; i < 2; ++i) pthread_create(&users[i], NULL, user, &ports[i]);
  for (int i = 0; i < 2; ++i) pthread_join(users[i], NULL);
  return loads == 1 ? 0 : 3;
}

// Clients of a server take the first free slot of a table; each cell of it is atomic.
// expect: assertion; other path; decision 14
// Finding the slot free and marking it as used are two steps, so both clients take the same one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 4

static atomic_int used[SLOTS];

static int allocate(void) {
  for (int slot = 0; slot < SLOTS; slot++) {
    if (!atomic_load(&used[slot])) {
      atomic_store(&used[slot], 1);
      return slot;
    }
  }
  return -1;
}

struct client {
  pthread_t thread;
  int slot;
};

static void* connect_to(void* argument) {
  struct client* client = argument;
  client->slot = allocate();
  return 0;
}

int main(void) {
  struct client clients[2];
  atomic_store(&used[0], 1);
  for (int i = 0; i < 2; i++) pthread_create(&clients[i].thread, 0, connect_to, &clients[i]);
  for (int i = 0; i < 2; i++) pthread_join(clients[i].thread, 0);
  assert(clients[0].slot != clients[1].slot);
}

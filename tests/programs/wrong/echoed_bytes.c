// Two servers answer over socket pairs and add what they have echoed to one sum, without a lock.
// expect: assertion; lost update on echoed; lines 16; dsp 6
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int echoed;

static void* server(void* argument) {
  const int socket = *(int*)argument;
  char text[8];
  for (ssize_t got; (got = read(socket, text, sizeof text)) > 0;) {
    if (send(socket, text, (size_t)got, 0) != got) break;
    echoed += (int)got;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int ends[2][2];
  for (int i = 0; i < 2; ++i) {
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) == 0);
    pthread_create(&threads[i], NULL, server, &ends[i][1]);
  }
  for (int i = 0; i < 2; ++i) assert(write(ends[i][0], "abc", 3) == 3);
  for (int i = 0; i < 2; ++i) {
    char answer[4] = "";
    assert(read(ends[i][0], answer, 3) == 3 && strcmp(answer, "abc") == 0);
    close(ends[i][0]);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(echoed == 6);
  return 0;
}

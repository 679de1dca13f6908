// Bytes between threads through pipes, eventfds, pairs of sockets and a connection on loopback, until its end.
// expect: pass
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int line[2], pair[2], tokens, listener;
static struct sockaddr_in address;
static int seen;

static void* sender(void* nothing) {
  const uint64_t two = 2;
  assert(write(line[1], "ab", 2) == 2 && write(line[1], "c", 1) == 1);
  close(line[1]);
  assert(write(tokens, &two, sizeof two) == sizeof two);
  assert(send(pair[0], "xyz", 3, 0) == 3);
  char answer;
  assert(read(pair[0], &answer, 1) == 1 && answer == '3');
  return nothing;
}

static void* client(void* nothing) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(connection, (struct sockaddr*)&address, sizeof address) == 0);
  assert(send(connection, "hello", 5, 0) == 5);
  shutdown(connection, SHUT_WR);
  char answer[2];
  assert(recv(connection, answer, sizeof answer, 0) == 2 && memcmp(answer, "ok", 2) == 0);
  close(connection);
  return nothing;
}

static void* receiver(void* nothing) {
  char text[8];
  for (ssize_t got; (got = read(line[0], text, sizeof text)) > 0;) seen += (int)got;
  for (int i = 0; i < 2; ++i) {
    uint64_t one = 0;
    assert(read(tokens, &one, sizeof one) == sizeof one && one == 1);
  }
  assert(read(pair[1], text, sizeof text) == 3 && write(pair[1], "3", 1) == 1);
  return nothing;
}

int main(void) {
  pthread_t threads[3];
  socklen_t length = sizeof address;
  assert(pipe(line) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  tokens = eventfd(0, EFD_SEMAPHORE);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, (struct sockaddr*)&address, sizeof address) == 0 && listen(listener, 2) == 0);
  assert(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  pthread_create(&threads[0], NULL, sender, NULL);
  pthread_create(&threads[1], NULL, receiver, NULL);
  pthread_create(&threads[2], NULL, client, NULL);
  const int connection = accept(listener, NULL, NULL);
  char text[8];
  int got = 0;
  for (ssize_t more; (more = read(connection, text, sizeof text)) > 0;) got += (int)more;
  assert(got == 5 && write(connection, "ok", 2) == 2);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(seen == 3);
  close(connection);
  return 0;
}

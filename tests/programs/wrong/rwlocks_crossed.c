// Each reads one table and, still reading, writes the other.
// expect: deadlock; deadlock on groups and users; lines 12 14 22 24; dsp 4
// class: deadlock
// says: holds users (line 12)|waits for groups (line 14)|holds groups (line 22)|waits for users (line 24)
#include <pthread.h>
#include <unistd.h>

static pthread_rwlock_t users = PTHREAD_RWLOCK_INITIALIZER, groups = PTHREAD_RWLOCK_INITIALIZER;
static int user_count, group_count;

static void* count_groups(void* unused) {
  pthread_rwlock_rdlock(&users);
  usleep(50000);
  pthread_rwlock_wrlock(&groups);
  group_count = user_count;
  pthread_rwlock_unlock(&groups);
  pthread_rwlock_unlock(&users);
  return unused;
}

static void* count_users(void* unused) {
  pthread_rwlock_rdlock(&groups);
  usleep(50000);
  pthread_rwlock_wrlock(&users);
  user_count = group_count;
  pthread_rwlock_unlock(&users);
  pthread_rwlock_unlock(&groups);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, count_groups, NULL);
  pthread_create(&two, NULL, count_users, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return user_count + group_count;
}

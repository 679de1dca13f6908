// Runs a tiny program with real threads, real memory and real locks: tiny_runner FILE [states]
//
// Compiled with `symbiosis c++`, except for the cursor, so that the accesses, sync operations and conditions of
// the tiny program are those of this one, and nothing else is: registers never leave their thread's stack, and a
// condition is a branch that decides whether the cursor jumps. A failing assertion says the line of the tiny
// program. A run that passes prints "ends x=1 y=0". With `states` it decides, for each variable, which value it
// has in the end: then runs with different final states take different paths.
#include "tests/reference/tiny_cursor.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

using namespace symbiosis::reference;

static int shared[kMostObjects];
static pthread_mutex_t mutexes[kMostObjects]; // all zero: as PTHREAD_MUTEX_INITIALIZER
static pthread_cond_t conditions[kMostObjects];
static sem_t semaphores[kMostObjects];

static bool holds(int left, Comparison comparison, int right) {
  switch (comparison) {
  case Comparison::equal: return left == right;
  case Comparison::unequal: return left != right;
  case Comparison::less: return left < right;
  case Comparison::lessOrEqual: return left <= right;
  case Comparison::greater: return left > right;
  default: return left >= right;
  }
}

static void fail(int line, const char* where) {
  __assert_fail("condition", "tiny program", unsigned(line), where);
}

static bool replace(int* cell, int expected, int desired) {
  return __atomic_compare_exchange_n(cell, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void* runThread(void* argument) {
  const int me = int(intptr_t(argument));
  int registers[kRegisters + 1] = {}; // the last one is always 0
  for (;;) {
    const int target = targetOf(me), object = objectOf(me);
    const int operand = registers[operandRegisterOf(me)] + operandConstantOf(me);
    switch (kindOf(me)) {
    case OpKind::read: registers[target] = shared[object]; break;
    case OpKind::write: shared[object] = operand; break;
    case OpKind::compute: registers[target] = operand; break;
    case OpKind::add: registers[target] = __atomic_fetch_add(&shared[object], operand, __ATOMIC_SEQ_CST); break;
    case OpKind::exchange:
      registers[target] = __atomic_exchange_n(&shared[object], operand, __ATOMIC_SEQ_CST);
      break;
    case OpKind::replace:
      registers[target] =
          replace(&shared[object], operand, registers[secondRegisterOf(me)] + secondConstantOf(me));
      break;
    case OpKind::lock: pthread_mutex_lock(&mutexes[object]); break;
    case OpKind::unlock: pthread_mutex_unlock(&mutexes[object]); break;
    case OpKind::tryLock: registers[target] = pthread_mutex_trylock(&mutexes[object]) == 0; break;
    case OpKind::wait: pthread_cond_wait(&conditions[object], &mutexes[mutexOf(me)]); break;
    case OpKind::signal: pthread_cond_signal(&conditions[object]); break;
    case OpKind::broadcast: pthread_cond_broadcast(&conditions[object]); break;
    case OpKind::post: sem_post(&semaphores[object]); break;
    case OpKind::take: sem_wait(&semaphores[object]); break;
    case OpKind::tryTake: registers[target] = sem_trywait(&semaphores[object]) == 0; break;
    case OpKind::branch:
      if (holds(registers[target], comparisonOf(me), operand)) break;
      jump(me);
      continue;
    case OpKind::jump: jump(me); continue;
    case OpKind::assertion:
      if (!holds(registers[target], comparisonOf(me), operand)) fail(lineOf(me), "thread");
      break;
    case OpKind::exit: exit(operand);
    case OpKind::end: return nullptr;
    }
    goOn(me);
  }
}

static void checkAndPrint() {
  for (int check = 0; check < finalCheckCount(); ++check)
    if (!holds(shared[variableOfFinal(check)], comparisonOfFinal(check), constantOfFinal(check)))
      fail(lineOfFinal(check), "final");
  printf("ends");
  for (int i = 0; i < variableCount(); ++i) printf(" %s=%d", variableName(i), shared[i]);
  printf("\n");
}

static volatile int decided;

static void decideStates() {
  for (int i = 0; i < variableCount(); ++i) {
    const int value = shared[i];
    for (int candidate = -16; candidate <= 16; ++candidate)
      if (value == candidate) decided = candidate;
  }
}

int main(int count, char** arguments) {
  if (count != 2 && count != 3) {
    fprintf(stderr, "usage: tiny_runner FILE [states]\n");
    return 2;
  }
  loadProgram(arguments[1]);
  for (int i = 0; i < variableCount(); ++i) shared[i] = initialValue(i);
  for (int i = 0; i < semaphoreCount(); ++i) sem_init(&semaphores[i], 0, unsigned(initialTokens(i)));
  pthread_t threads[kMostThreads];
  const int running = threadCount();
  for (int i = 0; i < running; ++i) pthread_create(&threads[i], nullptr, runThread, (void*)intptr_t(i));
  for (int i = 0; i < running; ++i) pthread_join(threads[i], nullptr);
  if (count == 3) decideStates();
  checkAndPrint();
}

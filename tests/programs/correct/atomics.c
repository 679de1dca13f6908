// Atomics of every width and order, fences and compare-exchange loops.
// expect: pass
// flags: -mcx16
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic uint8_t bytes;
static _Atomic uint16_t shorts;
static _Atomic uint32_t words;
static _Atomic uint64_t longs;
static _Atomic(int*) pointer;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static __int128 wide __attribute__((aligned(16)));
static int data, fenced, guarded, values[4];

static void addWide(__int128 amount) {
  __int128 old = __sync_val_compare_and_swap(&wide, 0, 0), seen;
  while ((seen = __sync_val_compare_and_swap(&wide, old, old + amount)) != old) old = seen;
}

static void* worker(void* unused) {
  atomic_fetch_add_explicit(&bytes, 200, memory_order_relaxed);
  atomic_fetch_sub_explicit(&shorts, 3, memory_order_acq_rel);
  atomic_fetch_or_explicit(&words, 6, memory_order_release);
  atomic_fetch_and_explicit(&words, ~1u, memory_order_acquire);
  atomic_fetch_xor(&longs, 0xF00000000ull);
  uint64_t old = atomic_load_explicit(&longs, memory_order_consume);
  while (!atomic_compare_exchange_weak_explicit(&longs, &old, old + (1ull << 40), memory_order_seq_cst,
                                                memory_order_relaxed)) {
  }
  int *none = 0, *mine = &values[1];
  if (!atomic_compare_exchange_strong(&pointer, &none, mine)) assert(none == mine);
  while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) {
  }
  ++guarded;
  atomic_flag_clear_explicit(&flag, memory_order_release);
  addWide(((__int128)1 << 64) + 1);
  return unused;
}

static void* publisher(void* unused) {
  data = 7;
  atomic_thread_fence(memory_order_release);
  __atomic_store_n(&fenced, 1, __ATOMIC_RELAXED);
  return unused;
}

static void* subscriber(void* unused) {
  if (__atomic_load_n(&fenced, __ATOMIC_RELAXED)) {
    atomic_thread_fence(memory_order_acquire);
    assert(data == 7);
  }
  atomic_signal_fence(memory_order_seq_cst);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  void* (*routines[4])(void*) = {worker, worker, publisher, subscriber};
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, routines[i], 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  assert(bytes == (400 & 255) && shorts == (uint16_t)-6 && words == 6 && longs == 2ull << 40);
  assert(pointer == &values[1] && guarded == 2);
  assert((uint64_t)wide == 2 && (uint64_t)(wide >> 64) == 2);
  return 0;
}

// Two tellers pay into one account.
//
// What is wrong: a deposit reads the balance, adds to it and writes it back without a lock. If the other teller
// deposits in between, that deposit is overwritten: a lost update, and the total at closing time is too small.
// Reading and writing the balance must be one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { kDeposits = 2, kAmount = 10 };

static int balance = 100;

static void deposit(int amount) {
  int before = balance;
  usleep(50); // print the receipt
  balance = before + amount;
}

static void* teller(void* unused) {
  for (int i = 0; i < kDeposits; ++i) deposit(kAmount);
  return unused;
}

int main(void) {
  pthread_t tellers[2];
  pthread_create(&tellers[0], NULL, teller, NULL);
  usleep(155); // the second teller often begins when the first has finished, and then all is well
  pthread_create(&tellers[1], NULL, teller, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(tellers[i], NULL);
  printf("balance %d\n", balance);
  assert(balance == 100 + 2 * kDeposits * kAmount);
  return 0;
}

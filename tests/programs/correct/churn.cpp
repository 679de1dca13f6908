// Each thread allocates and frees in every way that there is, aligned, sized, arrays, C's and C++'s, in a hurry.
// expect: pass
// not at: path, addresses
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

struct alignas(64) Wide {
  int numbers[16];
};

static int churn(int seed) {
  int wrong = 0;
  for (int i = 0; i < 8; ++i) {
    int* one = new int(seed + i);
    int* many = new int[size_t(4 + i)]();
    Wide* wide = new Wide();
    char* text = strdup("some text");
    void* aligned = std::aligned_alloc(64, 128);
    memset(aligned, seed, 128);
    text = static_cast<char*>(std::realloc(text, size_t(32 + i)));
    wrong += *one != seed + i || many[3] != 0 || wide->numbers[2] != 0 || text[5] != 't';
    wrong += static_cast<char*>(aligned)[127] != char(seed);
    delete one;
    delete[] many;
    delete wide;
    std::free(text);
    std::free(aligned);
    std::free(nullptr);
  }
  return wrong;
}

int main() {
  int wrong[2] = {};
  std::thread one([&] { wrong[0] = churn(1); });
  wrong[1] = churn(100);
  one.join();
  return wrong[0] + wrong[1];
}

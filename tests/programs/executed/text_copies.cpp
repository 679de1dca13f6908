// Text copied by libc: to the end, up to a bound, behind other text, into new memory, and with checks.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

static uint32_t mixed = 5;
static void mix(uint32_t value) { mixed = (mixed ^ value) * 0x01000193u; }

static char words[4][12] = {"", "a", "several", "eleven char"};
static char room[48];

// The text, and what is behind it.
static void mixRoom() {
  for (size_t i = 0; i < sizeof room; ++i) mix(uint8_t(room[i]));
}

static void mixFree(char* text) {
  for (const char* c = text; *c; ++c) mix(uint8_t(*c));
  std::free(text);
}

static void copyWord(const char* word) {
  for (size_t i = 0; i < sizeof room; ++i) room[i] = '-';
  mix(uint32_t(strcpy(room + 2, word) - room));
  mix(uint32_t(stpcpy(room + 20, word) - room));
  mixRoom();
  mix(uint32_t(strcat(room + 2, word) - room));
  mix(uint32_t(__builtin___strcat_chk(room + 20, word, sizeof room - 20) - room));
  mixRoom();
  for (size_t bound : {size_t{0}, size_t{1}, size_t{7}, size_t{14}}) {
    mix(uint32_t(strncpy(room + 1, word, bound) - room));
    mix(uint32_t(stpncpy(room + 16, word, bound) - room));
    mix(uint32_t(__builtin___strncpy_chk(room + 32, word, bound, sizeof room - 32) - room));
    mixRoom();
    room[3] = 0;
    mix(uint32_t(strncat(room + 3, word, bound) - room));
    mixRoom();
    mixFree(strndup(word, bound));
  }
  mix(uint32_t(__builtin___stpcpy_chk(room + 4, word, sizeof room - 4) - room));
  mix(uint32_t(__builtin___strcpy_chk(room + 30, word, 12) - room));
  mixRoom();
  mixFree(strdup(word));
}

uint32_t compute() {
  for (const char* word : words) copyWord(word);
  strcpy(room, "known");
  strcat(room, " beforehand");
  mixRoom();
  return mixed;
}

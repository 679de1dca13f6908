// The functions of libc that cut a text up: they write zeros into it where no copy of ours would see them, and
// strtok keeps the place where it stopped in a variable that all threads share. A program that is linked with
// these shows both. (Functions that copy text are spelt out where they are called: pass/text_copies.h.)
//
// As POSIX and BSD describe them; a thread that has reached the end goes on getting null.
#include <cstring>

// Where strtok goes on: that another thread uses it meanwhile is a failure that people have.
static char* strtok_position;

extern "C" char* strtok_r(char* text, const char* separators, char** position) noexcept {
  if (!text) text = *position;
  if (text) text += std::strspn(text, separators);
  if (!text || !*text) {
    *position = text;
    return nullptr;
  }
  char* end = text + std::strcspn(text, separators);
  if (*end) *end++ = 0;
  *position = end;
  return text;
}

extern "C" char* __strtok_r(char* text, const char* separators, char** position) noexcept {
  return strtok_r(text, separators, position);
}

extern "C" char* strtok(char* text, const char* separators) noexcept {
  return strtok_r(text, separators, &strtok_position);
}

extern "C" char* strsep(char** text, const char* separators) noexcept {
  char* begin = *text;
  if (!begin) return nullptr;
  char* end = begin + std::strcspn(begin, separators);
  if (*end)
    *end++ = 0;
  else
    end = nullptr;
  *text = end;
  return begin;
}

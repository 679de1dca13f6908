#include "tests/reference/tiny_cursor.h"
#include <cstdio>
#include <cstdlib>

namespace symbiosis::reference {

// Never destroyed: after an `exit`, the other threads run on for a while.
static TinyProgram& program = *new TinyProgram;
static size_t positions[kMostThreads];

static const Op& opOf(int thread) { return program.threads[size_t(thread)][positions[thread]]; }

static int registerOf(const Operand& operand) { return operand.from < 0 ? int(kRegisters) : operand.from; }

static std::string contentsOf(const char* file) {
  std::string text;
  std::FILE* stream = std::fopen(file, "r");
  if (!stream) {
    std::perror(file);
    std::exit(2);
  }
  char buffer[4096];
  while (const size_t got = std::fread(buffer, 1, sizeof buffer, stream)) text.append(buffer, got);
  std::fclose(stream);
  return text;
}

void loadProgram(const char* file) {
  Result<TinyProgram> parsed = parseTinyProgram(contentsOf(file));
  if (!parsed) {
    std::fprintf(stderr, "%s: %s\n", file, parsed.error().message.c_str());
    std::exit(2);
  }
  program = std::move(*parsed);
}

int threadCount() { return int(program.threads.size()); }
int variableCount() { return int(program.variables.size()); }
const char* variableName(int variable) { return program.variables[size_t(variable)].c_str(); }
int initialValue(int variable) { return program.initial[size_t(variable)]; }
int semaphoreCount() { return int(program.semaphores.size()); }
int initialTokens(int semaphore) { return int(program.tokens[size_t(semaphore)]); }

OpKind kindOf(int thread) { return opOf(thread).kind; }
int targetOf(int thread) { return opOf(thread).target; }
int objectOf(int thread) { return opOf(thread).object; }
int mutexOf(int thread) { return opOf(thread).mutex; }
Comparison comparisonOf(int thread) { return opOf(thread).comparison; }
int operandRegisterOf(int thread) { return registerOf(opOf(thread).operand); }
int operandConstantOf(int thread) { return opOf(thread).operand.constant; }
int secondRegisterOf(int thread) { return registerOf(opOf(thread).second); }
int secondConstantOf(int thread) { return opOf(thread).second.constant; }
int lineOf(int thread) { return opOf(thread).line; }
void goOn(int thread) { ++positions[thread]; }
void jump(int thread) { positions[thread] = opOf(thread).jump; }

int finalCheckCount() { return int(program.finals.size()); }
int variableOfFinal(int check) { return program.finals[size_t(check)].variable; }
Comparison comparisonOfFinal(int check) { return program.finals[size_t(check)].comparison; }
int constantOfFinal(int check) { return program.finals[size_t(check)].constant; }
int lineOfFinal(int check) { return program.finals[size_t(check)].line; }

} // namespace symbiosis::reference

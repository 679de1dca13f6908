#pragma once
// Where each thread of the executable stands in the tiny program, and what comes next there.
//
// This side is compiled without instrumentation: what it keeps is not part of the program that is recorded and
// scheduled. To the instrumented side (tiny_runner.cpp) its functions are functions outside, and what they return
// depends on nothing but on how that thread's own conditions went.
#include "tests/reference/tiny_program.h"

namespace symbiosis::reference {

// Reads the program; ends the process with a message and status 2 if it cannot be read.
void loadProgram(const char* file);

int threadCount();
int variableCount();
const char* variableName(int variable);
int initialValue(int variable);
int semaphoreCount();
int initialTokens(int semaphore);

// The op at which the thread stands, and its parts. A register of an operand is kRegisters if there is none.
OpKind kindOf(int thread);
int targetOf(int thread);
int objectOf(int thread);
int mutexOf(int thread);
Comparison comparisonOf(int thread);
int operandRegisterOf(int thread);
int operandConstantOf(int thread);
int secondRegisterOf(int thread);
int secondConstantOf(int thread);
int lineOf(int thread);
void goOn(int thread);
void jump(int thread); // instead of going on

int finalCheckCount();
int variableOfFinal(int check);
Comparison comparisonOfFinal(int check);
int constantOfFinal(int check);
int lineOfFinal(int check);

} // namespace symbiosis::reference

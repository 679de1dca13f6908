// Where a program that hardly ever hangs by itself must pause to hang every time: compile it with -DSLOWLY.
#pragma once
#ifdef SLOWLY
#include <unistd.h>
#define PAUSE() usleep(50000)
#else
#define PAUSE() ((void)0)
#endif

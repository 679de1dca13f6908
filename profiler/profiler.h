#pragma once
// The room `profiler`: everything that touches the user's program while it is compiled and while it runs: the
// compiler wrapper (driver/), the link-time pass (pass/) and the runtime (runtime/). It promises that a program
// built with `symbiosis cc` behaves as before when run alone, and that a recording decodes against the snapshot
// inside it.
#include "profiler/driver/compiler_driver.h"

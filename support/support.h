#pragma once
// The room `support`: Result and Error, files, text and logging for every other room.
// It knows nothing of traces, programs or solvers, and every failure that input can cause comes back as a Result.
#include "support/files.h"
#include "support/result.h"

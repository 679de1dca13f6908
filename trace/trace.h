#pragma once
// The room `trace`: the words that all other rooms share (events, expressions, symbolic traces, schedules) and the
// byte formats of recordings. It promises one meaning for each: the evaluator here is the definition of what a
// schedule does, and everything that any other room prints has been through it.
#include "trace/evaluated_schedule.h"
#include "trace/evaluator.h"
#include "trace/event.h"
#include "trace/expr.h"
#include "trace/schedule.h"
#include "trace/symbolic_trace.h"
#include "trace/trace_end.h"

/* Faults that a test asks the stand-in for, in $HT_STANDIN_FAULTS: entries between semicolons,
 *
 *   FUNCTION[:TEXT][@N]=ACTION
 *
 * FUNCTION is HIP's or hiprtc's. With TEXT only calls whose subject (a name expression, at
 * hiprtcCompileProgram) contains it count; with N only this process's N-th such call. ACTION is an
 * error code, a code with '!' after it (every later call of any function of the runtime fails with
 * it too, as after a fault on a GPU), or abort, segv, hang, oom. */
#ifndef HT_TESTS_STANDIN_FAULT_H
#define HT_TESTS_STANDIN_FAULT_H

/* The error that this call is to give, 0 for none. `subject` may be NULL. */
int standin_fault(const char *function, const char *subject);

#endif

/* Values that host functions get from their callers. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_PASSED_H
#define HT_REFACTOR_INFER_INFER_PASSED_H

#include "refactor/source/source.h"

/* Returns the expression that the first call of a host function passes for this parameter, through
 * parameters of further functions and variables that are set once. Null cursor: none is found. It
 * says how sizes hang together in one run of the program, and no more. */
CXCursor ht_infer_passed(const ht_source *source, CXCursor parameter);

#endif

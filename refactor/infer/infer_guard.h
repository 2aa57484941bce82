/* Values that sizes have where the host launches a kernel: `if (width == 1280) kernel<1280><<<>>>`,
 * `case 64:`, `if (n != 128) return;`. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_GUARD_H
#define HT_REFACTOR_INFER_INFER_GUARD_H

#include "refactor/infer/infer.h"

/* Gives fields the one value with which the first launch is reached, by the tests and the `switch`
 * around it, and by those that return ahead of it. Tests of callers are not looked at, nor what
 * says less than one value. */
void ht_infer_guards(ht_infer *in);

#endif

/* Private to tests/fuzz. */
#ifndef TESTS_FUZZ_BIND_ALL_H
#define TESTS_FUZZ_BIND_ALL_H

#include "templates/bind.h"

/* Evaluates everything a binding of the template and an instance can be asked, space included when
 * it is small. */
void fuzz_bind_all(const ht_template *template, const ht_problem *problem);

#endif

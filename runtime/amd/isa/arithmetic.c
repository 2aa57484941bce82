#include "runtime/amd/isa/arithmetic.h"

#define DEFINE(name, expression)                                                                   \
    uint64_t ht_isa_##name(uint64_t a, uint64_t b, uint64_t c) {                                   \
        (void)a, (void)b, (void)c;                                                                 \
        return (uint64_t)(expression);                                                             \
    }
HT_ISA_FUNCTIONS(DEFINE)
#undef DEFINE

#include "refactor/a.h"
int ht_a(void) {
    return ht_b();
}

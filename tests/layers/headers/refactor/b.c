#include "refactor/a.h"
int ht_b(void) {
    return 1;
}

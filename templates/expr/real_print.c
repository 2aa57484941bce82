#include "templates/expr/real_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_real_print(double value, ht_text *out) {
    char buffer[40];
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    /* 1e-06 as people write it: 1e-6 */
    char *exponent = strpbrk(buffer, "e");
    if (exponent && exponent[2] == '0')
        memmove(exponent + 2, exponent + 3, strlen(exponent + 2));
    ht_text_append(out, buffer);
}

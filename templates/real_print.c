#include "templates/real_print.h"

#include <stdio.h>
#include <stdlib.h>

void ht_real_print(double value, ht_text *out) {
    char buffer[40];
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    ht_text_append(out, buffer);
}

#include "base/memory.h"
#include "runtime/store/database_schema.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Finds the value of `name` (of `length` characters) in "N=1 C=64 ..."; false when it is not
 * there. */
static bool find_field(const char *text, const char *name, size_t length, double *out_value) {
    for (const char *at = text; *at != '\0';) {
        at += strspn(at, " ,");
        size_t word = strcspn(at, " ,");
        if (word > length && strncmp(at, name, length) == 0 && at[length] == '=') {
            *out_value = strtod(at + length + 1, NULL);
            return true;
        }
        at += word;
    }
    return false;
}

static double level(double value) {
    return log2(fmax(value, 0.5));
}

double ht_problem_distance(const char *a, const char *b) {
    double sum = 0;
    for (const char *at = a; *at != '\0';) {
        at += strspn(at, " ,");
        size_t word = strcspn(at, " ,"), length = strcspn(at, "=");
        double other = 0;
        if (length < word && find_field(b, at, length, &other))
            sum += fabs(level(strtod(at + length + 1, NULL)) - level(other));
        at += word;
    }
    return sum;
}

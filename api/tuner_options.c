#include "api/tuner_options.h"

#include "base/memory.h"
#include "base/nearest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { TEXT, COUNT, NUMBER, YES_NO, SANDBOX } kind;

typedef struct option {
    const char *name;
    kind kind;
    size_t offset;        /* in ht_tuner_options */
    const char *fallback; /* NULL: zero */
    double min;
} option;

#define AT(member) offsetof(ht_tuner_options, tuning.member)
static const option table[] = {
    {"device", TEXT, AT(device), "host", 0},
    {"max-evals", COUNT, AT(max_evals), "60", 0},
    {"max-time", NUMBER, AT(max_time), "0", 0},
    {"min-speedup", NUMBER, AT(min_speedup), "1.02", 1},
    {"final-time", NUMBER, AT(final_time), "3", 0},
    {"strategy", TEXT, AT(strategy), NULL, 0},
    {"cache", TEXT, AT(cache), "hot", 0},
    {"check", TEXT, AT(check), "finals", 0},
    {"seed", COUNT, AT(seed), "1", 0},
    {"compile-workers", COUNT, AT(compile_workers), "0", 0},
    {"db", TEXT, AT(database), NULL, 0},
    {"predictor", TEXT, AT(predictor), NULL, 0},
    {"predictor-seeds", COUNT, AT(predictor_seeds), "10", 1},
    {"sandbox", SANDBOX, offsetof(ht_tuner_options, sandbox), "auto", 0},
    {"fresh", YES_NO, AT(fresh), "no", 0},
};
enum { OPTIONS = sizeof table / sizeof *table };

static ht_status refuse(const option *option, const char *value, const char *wanted,
                        ht_error *error) {
    return ht_error_set(error, HT_ERROR_INPUT, "option %s: '%s' is not %s", option->name, value,
                        wanted);
}

static ht_status count_take(const option *option, const char *value, uint64_t *out,
                            ht_error *error) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    bool digits = *value >= '0' && *value <= '9' && !*end && errno == 0;
    if (!digits || (double)number < option->min)
        return refuse(option, value, option->min > 0 ? "a count from 1 on" : "a count", error);
    *out = number;
    return HT_OK;
}

static ht_status number_take(const option *option, const char *value, double *out,
                             ht_error *error) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number) || number < option->min)
        return refuse(option, value, option->min > 0 ? "a number from 1 on" : "a number from 0 on",
                      error);
    *out = number;
    return HT_OK;
}

static ht_status value_take(const option *option, const char *value, void *field, ht_error *error) {
    switch (option->kind) {
    case TEXT:
        if (!*value)
            return refuse(option, value, "a value", error);
        free(*(char **)field);
        *(char **)field = ht_strdup(value);
        return HT_OK;
    case COUNT:
        return count_take(option, value, field, error);
    case NUMBER:
        return number_take(option, value, field, error);
    case YES_NO:
        *(bool *)field = strcmp(value, "yes") == 0;
        return *(bool *)field || strcmp(value, "no") == 0
                   ? HT_OK
                   : refuse(option, value, "yes or no", error);
    case SANDBOX:
        return ht_sandbox_mode_parse(value, field)
                   ? HT_OK
                   : refuse(option, value, "on, off or auto", error);
    }
    return ht_error_set(error, HT_ERROR_INTERNAL, "option %s has no kind", option->name);
}

static void *field_of(ht_tuner_options *options, const option *option) {
    return (char *)options + option->offset;
}

void ht_tuner_options_init(ht_tuner_options *options) {
    *options = (ht_tuner_options){0};
    for (size_t i = 0; i < OPTIONS; ++i)
        if (table[i].fallback)
            value_take(&table[i], table[i].fallback, field_of(options, &table[i]), NULL);
}

ht_status ht_tuner_options_set(ht_tuner_options *options, const char *name, const char *value,
                               ht_error *error) {
    const char *names[OPTIONS + 1] = {NULL};
    for (size_t i = 0; i < OPTIONS; ++i) {
        names[i] = table[i].name;
        if (strcmp(table[i].name, name) == 0)
            return value_take(&table[i], value, field_of(options, &table[i]), error);
    }
    const char *near = ht_nearest_word(name, names);
    return ht_error_set(error, HT_ERROR_INPUT, "there is no option '%s'%s%s%s", name,
                        near ? "; did you mean '"
                             : " that the library sets; api/hiptemper.h lists "
                               "them",
                        near ? near : "", near ? "'?" : "");
}

void ht_tuner_options_free(ht_tuner_options *options) {
    for (size_t i = 0; i < OPTIONS; ++i)
        if (table[i].kind == TEXT)
            free(*(char **)field_of(options, &table[i]));
    *options = (ht_tuner_options){0};
}

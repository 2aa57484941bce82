/* Faults put into the library's templates one at a time: a barrier deleted, a guard weakened, a
 * halo narrowed. */
#ifndef HT_TESTS_MUTANTS_H
#define HT_TESTS_MUTANTS_H

#include <stddef.h>

typedef struct mutant {
    const char *file;    /* in templates/library */
    const char *what;    /* for people */
    const char *find;    /* text of the template */
    unsigned occurrence; /* of it, from 1 */
    const char *replacement;
    const char *problem;
    const char *config;
    const char *equivalent; /* why it changes nothing; NULL: it must be caught */
} mutant;

extern const mutant mutants[];
extern const size_t mutant_count;

#endif

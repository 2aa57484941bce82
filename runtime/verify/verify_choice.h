/* Which configurations a template is verified with: the default, then random ones, those first that
 * run a form of the code (verify_forms.h), and have pairs of values (verify_pairs.h), that none
 * before had. Private to runtime/. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_CHOICE_H
#define HT_RUNTIME_VERIFY_VERIFY_CHOICE_H

#include "base/random.h"
#include "runtime/verify/verify_forms.h"
#include "runtime/verify/verify_pairs.h"
#include "templates/space/space.h"

typedef struct ht_choice {
    const ht_template *template; /* borrowed */
    size_t wanted;               /* legal ones for each size, the default among them */
    ht_random random;
    ht_config *items; /* the default first, then in the order in which they were chosen; owned */
    size_t count;
    ht_binding binding; /* of the size at hand */
    ht_geometry usual;  /* the default's there */
    ht_forms forms;     /* of `items` */
    ht_pairs pairs;
} ht_choice;

/* Chooses the default alone. The template stays; `unit` is its text. */
void ht_choice_init(ht_choice *choice, const ht_template *template, const char *unit, size_t wanted,
                    uint64_t seed);
void ht_choice_free(ht_choice *choice);
/* Goes on to a size, whose space this is, and adds configurations until enough are legal there, or
 * no more are found, and each value has been had if drawing finds it. */
void ht_choice_draw(ht_choice *choice, const ht_binding *binding, const ht_space *space);

#endif

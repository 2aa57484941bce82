/* The forms that a template's code takes: for each statement, the parameters that the tests and
 * loops around it ask for. Which configuration comes first at a form, with these parameters at or
 * off their defaults, runs what none before has run. Read off the text, not the syntax tree: what
 * is not understood makes forms coarser, nothing else. Private to runtime/. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_FORMS_H
#define HT_RUNTIME_VERIFY_VERIFY_FORMS_H

#include "templates/annotations/template.h"

#include <stdbool.h>

typedef struct ht_form ht_form;

typedef struct ht_forms {
    const ht_template *template; /* borrowed */
    ht_form *items;
    size_t count;
} ht_forms;

/* The template stays; `unit` is its text. */
void ht_forms_init(ht_forms *forms, const ht_template *template, const char *unit);
void ht_forms_free(ht_forms *forms);
/* How much of a configuration no noted one has had. */
typedef struct ht_forms_news {
    size_t forms; /* that were not run at all (with blocks inside of the grid, if there are such) */
    size_t ways;  /* forms with values of other kinds, those among them */
} ht_forms_news;

/* `inner`: there are blocks inside of the grid, at whose edges other code may run. */
ht_forms_news ht_forms_new(const ht_forms *forms, const ht_config *config, bool inner);
void ht_forms_add(ht_forms *forms, const ht_config *config, bool inner);

#endif

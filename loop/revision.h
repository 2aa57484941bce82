/* A revision: what one step of a loop (docs/loop.md) made of a kernel, and what that is worth. */
#ifndef HT_LOOP_REVISION_H
#define HT_LOOP_REVISION_H

#include "base/error.h"
#include "pipeline/paired.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of a step. The names (ht_action_name) are in the database and in reports. */
typedef enum ht_action {
    HT_ACTION_ORIGINAL,   /* revision 0: the source as it was given */
    HT_ACTION_TUNE,       /* the search over a source's first template */
    HT_ACTION_LONGER,     /* the same template, more evaluations */
    HT_ACTION_REFINE,     /* the same template, first what is next to the best configuration */
    HT_ACTION_WIDEN,      /* values past the edge that the best configuration sits at */
    HT_ACTION_AGAIN,      /* the winner is the new source, and is refactored again */
    HT_ACTION_FREER,      /* forms that nobody writes by hand may win */
    HT_ACTION_LIBRARY,    /* a template that comes with hiptemper */
    HT_ACTION_SOURCE,     /* proposed: a rewritten source */
    HT_ACTION_TEMPLATE,   /* proposed: an annotated template */
    HT_ACTION_PARAMETERS, /* proposed: parameters with more values */
    HT_ACTION_STOP
} ht_action;
enum { HT_ACTION_COUNT = HT_ACTION_STOP + 1 };
const char *ht_action_name(ht_action action); /* "tune-longer" */
/* The action of a name; HT_ACTION_STOP of any other word. */
ht_action ht_action_find(const char *name);

typedef struct ht_revision {
    uint64_t number; /* from 0, the original, on */
    uint64_t parent; /* the revision that it was made from; its own number for the original */
    ht_action action;
    char *reason;          /* why this was chosen, in a sentence; owned */
    double predicted_gain; /* over the best before; 1: none */
    double predicted_cost; /* seconds */
    char *source; /* the whole file with the best configuration; owned; NULL: not made, or its
                     template is not of a file */
    char *template_text; /* unit with annotations that was searched; owned; NULL: none */
    char *config;        /* the best, ht_config_string; owned; NULL: nothing ran */
    char *verdict;       /* ht_verdict_name, or "refused"; owned */
    char *finding;       /* what verification said, or why there is no result; owned; NULL */
    bool verified;       /* of the source above against the original */
    bool kept;           /* the best from here on: faster than the best before it, measured */
    double original_ms, best_ms; /* medians in the same rounds; 0: not measured */
    ht_gain_interval speedup;    /* the original's time over this one's, in the same rounds */
    double template_speedup;     /* that its template gave, where `speedup` is the file's; 0: it is
                                    not */
    ht_gain_interval
        over_best; /* the time of the best before over this one's, in the same rounds */
    char *base; /* the text of the file that its template was made of; owned; NULL: the original's,
                   or it was made of no file */
    bool any;   /* forms that nobody writes by hand might win */
    bool exhausted;  /* every legal configuration was tried */
    char *edges;     /* parameters whose best value is the last that there is, and has further ones
                        past it: "COARSEN_X (8 of 1..8)"; owned; NULL: there are none */
    char *held_back; /* forms that the search was not allowed; owned; NULL: none */
    uint64_t evaluations; /* that the search asked for, those in the database included */
    json_t *tried;        /* the outcomes of those: rows of a configuration and its milliseconds,
                             null where it failed; owned; NULL: none */
    double seconds;       /* that the step took */
    /* The roofline: to move each byte once that has to be moved, at the GPU's full rate; 0: not
     * known. */
    double least_bytes, least_ms;
    bool slower;       /* than it may be at sizes that it was not tuned for: it is not kept */
    json_t *elsewhere; /* at those sizes, ht_elsewhere_json; owned; NULL: not timed */
    json_t *profile;   /* numbers that are at hand, an object; owned; NULL */
} ht_revision;

typedef struct ht_history {
    ht_revision *items; /* in the order of their numbers */
    size_t count;
} ht_history;

void ht_revision_free(ht_revision *revision); /* what it holds */
void ht_history_free(ht_history *history);
/* Takes over what the revision holds, and numbers it. Returns it; valid until the next is added. */
ht_revision *ht_history_add(ht_history *history, ht_revision *revision);
/* Returns the last revision that was kept: the best so far; NULL: there is no revision. */
const ht_revision *ht_history_best(const ht_history *history);

/* Returns how much of the best's time, or the original's, its roofline is; 0: not known. */
double ht_history_roofline(const ht_history *history);
/* Returns the configurations that steps have tried, each once. */
uint64_t ht_history_spent(const ht_history *history);
/* Returns true if both searched the same template, with the same forms. */
bool ht_revision_same_template(const ht_revision *a, const ht_revision *b);

/* The document that the database keeps. New reference. */
json_t *ht_revision_json(const ht_revision *revision);
/* HT_ERROR_INPUT for a document that is no revision. */
ht_status ht_revision_read(const json_t *document, ht_revision *out_revision, ht_error *error);

#endif

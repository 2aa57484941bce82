/* The parts of a space, wherever it came from: parameters, conditions and terms. Private to
 * templates/. */
#ifndef HT_TEMPLATES_SPACE_SPACE_MODEL_H
#define HT_TEMPLATES_SPACE_SPACE_MODEL_H

#include "templates/expr/code.h"
#include "templates/space/space.h"

#include <jansson.h>

/* A constraint as its author wrote it. */
typedef struct ht_space_source {
    char *text; /* "require(A < 3) in line 2"; owned */
    ht_place place;
} ht_space_source;

/* A condition that must be true, as small as can be: an author's `a && b` is two. */
typedef struct ht_space_condition {
    uint32_t instruction;
    uint32_t source;
} ht_space_condition;

typedef struct ht_space_term_entry {
    char *text; /* owned */
    uint32_t instruction;
    ht_routine *routine; /* owned; made by ht_space_model_finish */
} ht_space_term_entry;

typedef struct ht_space_model {
    char *subject;  /* "kernel k", "the space"; owned */
    ht_place place; /* of the whole; its file is owned below */
    char *file;
    ht_dimension *dimensions; /* owned, with their arrays, names and texts */
    size_t dimension_count;
    ht_code *code;
    ht_space_source *sources;
    size_t source_count;
    ht_space_condition *conditions;
    size_t condition_count;
    ht_space_term_entry *terms;
    size_t term_count;
    ht_space_launch launch[HT_SPACE_AXES];
    bool launches; /* the launch is known */
} ht_space_model;

/* The name and every text is copied. */
void ht_space_model_add_dimension(ht_space_model *model, const ht_dimension *dimension);
/* A constraint that is `instruction`, 0 or 1. Takes the text. */
uint32_t ht_space_model_add_source(ht_space_model *model, char *text, ht_place place);
/* Adds the conditions that `instruction` consists of. */
void ht_space_model_require(ht_space_model *model, uint32_t instruction, uint32_t source);
/* A numeric expression; takes the text. Dropped when it depends on fewer than two parameters or is
 * there already. */
void ht_space_model_add_term(ht_space_model *model, uint32_t instruction, char *text);
void ht_space_model_finish(ht_space_model *model);
void ht_space_model_free(ht_space_model *model);

/* space_template.c */
void ht_space_model_template(const ht_binding *binding, ht_space_model *out_model);
/* t1.c */
ht_status ht_space_model_t1(const char *text, const char *file, ht_space_model *out_model,
                            ht_error *error);
/* t1_launch.c: fills the model's launch, when its dimensions are there. `root`: the file. */
void ht_space_model_t1_launch(const json_t *root, ht_space_model *model);

#endif

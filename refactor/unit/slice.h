/* Cutting kernels out of a file with everything they reach. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_SLICE_H
#define HT_REFACTOR_UNIT_SLICE_H

#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/place.h"
#include "templates/annotations/template.h"

/* A piece of a user's file at namespace level: one or more declarations whose text overlaps. */
typedef struct ht_chunk {
    size_t file;
    ht_range range;
    int line;
    CXCursor *cursors;
    size_t cursor_count;
    char **scopes; /* text that opens the namespaces around it: "namespace a {", 'extern "C" {' */
    size_t scope_count;
    bool needed;
    bool visited;
} ht_chunk;

/* std::min and std::max. Runtime compilers know them from text in the unit itself. */
#define HT_SLICE_ALGORITHM "<algorithm>"
/* Also std::size_t and std::ptrdiff_t. */
#define HT_SLICE_SIZES "<cstddef>"

/* A preprocessor conditional outside of declarations that a parameter decides: it chooses which
 * macros are defined, or how. */
typedef struct ht_slice_conditional {
    size_t file;
    ht_range range; /* from #if to #endif */
    int line;
    char *decides; /* the parameter on which its conditions depend */
    bool needed;
} ht_slice_conditional;

/* A part of the unit, in the order of translation. */
typedef struct ht_slice_item {
    size_t file;
    ht_range range;
    int line;
    const ht_chunk *chunk;                   /* NULL: a directive line */
    const ht_slice_conditional *conditional; /* a whole conditional; NULL: it is not one */
} ht_slice_item;

/* A part left out of a chunk: the body of a function that only the host calls. */
typedef struct ht_slice_cut {
    size_t file;
    ht_range range;
} ht_slice_cut;

typedef struct ht_slice {
    const ht_source *source;
    bool without_host; /* classes lose the host's methods, and its constructors' bodies */
    ht_slice_cut *cuts;
    size_t cut_count;
    ht_chunk *chunks;
    size_t chunk_count;
    const char *headers[16]; /* "<cstdint>" */
    size_t header_count;
    char **numbers; /* "typedef unsigned char u_char;", from headers of the system */
    size_t number_count;
    char **macros; /* needed macros, by name */
    size_t macro_count;
    char **params; /* macros that are parameters of the template */
    size_t param_count;
    ht_slice_conditional *conditionals;
    size_t conditional_count;
    ht_slice_item *items;
    size_t item_count;
    char *reason; /* why the kernel cannot be cut out; NULL: it can */
    int reason_line;
} ht_slice;

/* Builds a slice, with the names in the annotations of `template` (may be NULL). Returns its
 * `reason`. Free the slice in any case. */
const char *ht_slice_build(const ht_source *source, const CXCursor *kernels, size_t kernel_count,
                           const ht_template *template, ht_slice *out_slice);
/* Builds the slice of one kernel with the types that its template arguments name: those of the
 * launch (`k<half>`), which the kernel itself need not name. */
const char *ht_slice_build_launched(const ht_kernel_facts *facts, CXCursor kernel,
                                    ht_slice *out_slice);
void ht_slice_free(ht_slice *slice);
/* Adds the header of a type that only the launch names (`k<half>`). */
void ht_slice_type(ht_slice *slice, const char *name);

/* For the parts of building: notes why the kernel cannot be cut out. */
void ht_slice_refuse(ht_slice *slice, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The declaration at this place of a file; NULL: there is none. */
ht_chunk *ht_slice_chunk(const ht_slice *slice, size_t file, size_t offset);
/* Notes what a declaration or macro of a system header requires: an include, or a refusal. */
void ht_slice_system(ht_slice *slice, const char *path, const char *name, int line);

#endif

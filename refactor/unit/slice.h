/* Cutting kernels out of a file with everything they reach. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_SLICE_H
#define HT_REFACTOR_UNIT_SLICE_H

#include "base/text.h"
#include "refactor/source/place.h"
#include "templates/annotations/template.h"

/* A piece of a user's file at namespace level: one or more declarations whose text overlaps. */
typedef struct ht_chunk {
    size_t file;
    ht_range range;
    int line;
    CXCursor *cursors;
    size_t cursor_count;
    char **scopes; /* what opens the namespaces around it: "namespace a {", 'extern "C" {' */
    size_t scope_count;
    bool needed;
    bool visited;
} ht_chunk;

/* std::min and std::max; compilers at run time know them by the unit's own words. */
#define HT_SLICE_ALGORITHM "<algorithm>"
/* std::size_t and std::ptrdiff_t, too. */
#define HT_SLICE_SIZES "<cstddef>"

/* What is printed, in the order of translation. */
typedef struct ht_slice_item {
    size_t file;
    ht_range range;
    int line;
    const ht_chunk *chunk; /* NULL: a directive line */
} ht_slice_item;

/* What is left out of a chunk: the body of a function that is the host's alone. */
typedef struct ht_slice_cut {
    size_t file;
    ht_range range;
} ht_slice_cut;

typedef struct ht_slice {
    const ht_source *source;
    bool without_host; /* the host's member functions lose their bodies */
    ht_slice_cut *cuts;
    size_t cut_count;
    ht_chunk *chunks;
    size_t chunk_count;
    const char *headers[16]; /* "<cstdint>" */
    size_t header_count;
    char **numbers; /* "typedef unsigned char u_char;", from headers of the system */
    size_t number_count;
    char **macros; /* names needed */
    size_t macro_count;
    ht_slice_item *items;
    size_t item_count;
    char *reason; /* why it cannot be cut out; NULL when it can */
    int reason_line;
} ht_slice;

/* With what the annotations of `template` (may be NULL) name. False: `reason` says why. Free in any
 * case. */
bool ht_slice_build(const ht_source *source, const CXCursor *kernels, size_t kernel_count,
                    const ht_template *template, ht_slice *out_slice);
void ht_slice_free(ht_slice *slice);
/* What a type that only the launch names (`k<half>`) takes. */
void ht_slice_type(ht_slice *slice, const char *name);

/* Prints includes and items. `replace` may print an item in another way (returning true); NULL:
 * none is. */
void ht_slice_print(const ht_slice *slice,
                    bool (*replace)(void *context, const ht_slice_item *item, ht_text *out),
                    void *context, ht_text *out);
void ht_line_directive(const ht_source *source, size_t file, int line, ht_text *out);

/* The parts of building, one file each. */
/* Marks what a template's annotations name as needed; for before what those reach is found. */
void ht_slice_named(ht_slice *slice, const ht_template *template);
void ht_chunks_collect(ht_slice *slice);
void ht_slice_refuse(ht_slice *slice, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes what a declaration or macro of a system header takes: an include, or a refusal. */
void ht_slice_system(ht_slice *slice, const char *path, const char *name, int line);
/* slice_host.c. Returns true if it is a member function that no device calls. */
bool ht_slice_is_host_member(CXCursor function);
/* Leaves out the body of one, with what it initializes. */
void ht_slice_cut_body(ht_slice *slice, CXCursor function, CXCursor body);
/* Returns true if the place lies in what is left out. */
bool ht_slice_is_cut(const ht_slice *slice, size_t file, size_t offset);
/* Finds the macros that the needed chunks use, and the final order. */
void ht_slice_macros(ht_slice *slice);

#endif

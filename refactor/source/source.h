/* A parsed source file: translation unit, texts of the user's files, macros, errors. Private to
 * refactor/. */
#ifndef HT_REFACTOR_SOURCE_SOURCE_H
#define HT_REFACTOR_SOURCE_SOURCE_H

#include "base/error.h"
#include "refactor/source/launch_names.h"
#include "refactor/source/lexer.h"
#include "refactor/source/options.h"
#include "refactor/source/split_index.h"
#include "refactor/source/whole_block.h"

/* One of the user's files in the unit: its main file or a header that is not a system header. */
typedef struct ht_user_file {
    char *path; /* as clang names it */
    CXFile file;
    bool in_memory; /* of a library (host_names.h): clang takes all such for the same file */
    char *text;     /* in ht_source.text */
    size_t length;
    size_t base;       /* offset of `text` there */
    ht_range *skipped; /* ranges skipped by #if; outermost ones only */
    size_t skipped_count;
    size_t parent; /* the file that first includes it; SIZE_MAX for the main file */
    size_t parent_offset;
    ht_tokens tokens; /* call ht_source_tokens instead */
    bool has_tokens;
    ht_range *never; /* call ht_conditional_never instead */
    size_t never_count;
    bool has_never;
} ht_user_file;

typedef struct ht_macro {
    char *name;
    size_t file;    /* index in files */
    ht_range range; /* the directive's line, from '#' */
    ht_range body;  /* replacement text */
    int line;
    bool function_like;
} ht_macro;

/* A place where a macro is expanded in a user's file. */
typedef struct ht_expansion {
    char *name;
    size_t file;
    ht_range range;
    CXCursor definition;
    bool system;       /* defined outside of the user's files, or predefined */
    char *system_file; /* the file that defines it; NULL for predefined ones */
} ht_expansion;

typedef struct ht_source_error {
    size_t file; /* SIZE_MAX: not in a user's file */
    size_t offset;
    int line, column;
    char *message;
} ht_source_error;

/* A call of libclang. */
typedef struct ht_call {
    const char *resource_dir;
    const char *cache; /* ht_refactor_options.cache */
    char *const *own;  /* the user's arguments */
    size_t own_count;
    const char *const *extra;
    size_t extra_count;
    unsigned libraries; /* bits: whose host names to declare (host_names.h) */
} ht_call;

/* A unit made to include two files of the user's. */
typedef struct ht_joined {
    char *text;  /* NULL: the unit is a file */
    char *other; /* the second file, as it was given */
} ht_joined;

typedef struct ht_macro_list {
    ht_macro *items; /* in order of definition */
    size_t count;
} ht_macro_list;

typedef struct ht_expansion_list {
    ht_expansion *items;
    size_t count;
} ht_expansion_list;

typedef struct ht_source_errors {
    ht_source_error *items;
    size_t count;
} ht_source_errors;

/* A file and the unit that it is a part of, as clang reads them. */
typedef struct ht_source {
    char *path;       /* the file being analysed: files[0] */
    char *unit_path;  /* the unit's main file: the same, or one that includes it */
    ht_joined joined; /* what is in unit_path, if that is not a file */
    ht_call call;     /* owned, but for `extra` */
    CXIndex index;
    CXTranslationUnit unit;
    ht_user_file *files;
    size_t file_count;
    char *text; /* texts of all files, each with a NUL after it: an offset in it is a place in any
                   of them; owned */
    size_t text_length;
    ht_macro_list macros;
    ht_expansion_list expansions;
    ht_source_errors errors;
    uint64_t operations;           /* limit of isl's operations */
    ht_index_splits splits;        /* differences between the text of files[0] and the file */
    ht_whole_blocks whole_blocks;  /* further ones */
    ht_whole_blocks macro_kernels; /* calls of macros that write kernels, the first to be changed */
    ht_launch_names launch_names;  /* written as calls */
} ht_source;

/* Loads libclang and parses HIP's header for sources with these options, if it is kept (options.h).
 * HT_ERROR_MISSING: there is no libclang. */
ht_status ht_source_prepare(const ht_refactor_options *options, ht_error *error);

ht_status ht_source_open(const char *path, const ht_refactor_options *options,
                         ht_source **out_source, ht_error *error);
void ht_source_free(ht_source *source);

/* Returns a text made of files[0] with the author's forms where it has those that the file was read
 * in. Takes over `text`; free(). */
char *ht_source_author_text(const ht_source *source, char *text);

/* Returns the index of a file among the user's; SIZE_MAX: it is not one of them. */
size_t ht_source_file(const ht_source *source, CXFile file);
/* Returns the tokens of one of the user's files, with each directive as one token. Owned by the
 * source. */
const ht_tokens *ht_source_tokens(const ht_source *source, size_t file);
/* Returns true if the name stands in a file's code, with what is skipped and without comments. */
bool ht_source_names(const ht_source *source, size_t file, const char *name);
/* Finds the expansion location of a cursor's begin and end. Returns false outside of the user's
 * files. */
bool ht_source_range(const ht_source *source, CXCursor cursor, size_t *out_file,
                     ht_range *out_range);
/* Returns the macro's definition in force at a place of a file; NULL: it is not one of the
 * user's. */
const ht_macro *ht_source_macro(const ht_source *source, const char *name, size_t file,
                                size_t offset);
/* Returns the index of the file that an offset in `text` is in. */
size_t ht_source_at(const ht_source *source, size_t offset);
bool ht_source_skipped(const ht_source *source, size_t file, size_t offset);

/* A changed file. */
typedef struct ht_file_text {
    char *path;
    char *text;
} ht_file_text;

/* Opens the unit again with some of its files changed, as a compiler would read them. Borrows the
 * texts while it opens them. */
ht_status ht_source_reopen(const ht_source *source, const ht_file_text *files, size_t count,
                           ht_source **out_source, ht_error *error);

#endif

/* A parsed source file: translation unit, texts of the user's files, macros, errors. Private to
 * refactor/. */
#ifndef HT_REFACTOR_SOURCE_SOURCE_H
#define HT_REFACTOR_SOURCE_SOURCE_H

#include "base/error.h"
#include "refactor/source/lexer.h"
#include "refactor/source/options.h"
#include "refactor/source/split_index.h"

/* One of the user's files in the unit: its main file or a header that is no system header. */
typedef struct ht_user_file {
    char *path; /* as clang names it */
    CXFile file;
    char *text; /* in ht_source.text */
    size_t length;
    size_t base;       /* offset of `text` there */
    ht_range *skipped; /* by #if, outermost */
    size_t skipped_count;
    size_t parent; /* the file that includes it first, and where; SIZE_MAX for the main file */
    size_t parent_offset;
    ht_tokens tokens; /* ask ht_source_tokens */
    bool has_tokens;
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
    char *system_file; /* where; NULL for predefined ones */
} ht_expansion;

typedef struct ht_source_error {
    size_t file; /* SIZE_MAX: not in a user's file */
    size_t offset;
    int line, column;
    char *message;
} ht_source_error;

typedef struct ht_source {
    char *path;      /* the file that is looked at: files[0] */
    char *unit_path; /* the unit's main file: the same, or one that includes it */
    char *join;      /* the text of that one, where there is no such file; NULL: there is */
    char *beside;    /* with that: the other file that it includes, as it was given */
    CXIndex index;
    CXTranslationUnit unit;
    CXFile file;
    char *text; /* of all files, one after the other, a NUL after each: an offset in it is a place
                   in any of them; owned */
    size_t length;      /* of files[0] */
    size_t text_length; /* of all */
    ht_tokens tokens;   /* of files[0] */
    ht_user_file *files;
    size_t file_count;
    ht_macro *macros; /* in order of definition */
    size_t macro_count;
    ht_expansion *expansions;
    size_t expansion_count;
    ht_source_error *errors;
    size_t error_count;
    char **arguments; /* the user's */
    size_t argument_count;
    char *resource_dir;
    uint64_t operations;                /* of its limits */
    char *cache;                        /* of ht_refactor_options; NULL: none */
    bool cuda;                          /* read with CUDA's host names declared */
    ht_index_splits splits;             /* how the text of files[0] differs from the file's */
    const struct ht_file_text *instead; /* while it is opened: texts of files that are changed */
    size_t instead_count;
} ht_source;

ht_status ht_source_open(const char *path, const ht_refactor_options *options,
                         ht_source **out_source, ht_error *error);
void ht_source_free(ht_source *source);

/* Index of a file among the user's; SIZE_MAX when it is not one of them. */
size_t ht_source_file(const ht_source *source, CXFile file);
/* Tokens of one of the user's files, directives as one each; kept in the source. */
const ht_tokens *ht_source_tokens(const ht_source *source, size_t file);
/* Expansion location of a cursor's begin and end. False outside of the user's files. */
bool ht_source_range(const ht_source *source, CXCursor cursor, size_t *out_file,
                     ht_range *out_range);
/* The definition of a macro that is in force at a place of a file; NULL when it is not one of the
 * user's. */
const ht_macro *ht_source_macro(const ht_source *source, const char *name, size_t file,
                                size_t offset);
/* Which of the files an offset in `text` lies in. */
size_t ht_source_at(const ht_source *source, size_t offset);
bool ht_source_skipped(const ht_source *source, size_t file, size_t offset);

/* A changed file. */
typedef struct ht_file_text {
    char *path;
    char *text;
} ht_file_text;

/* The same unit once more, with some of its files changed: as a compiler of the user's would find
 * them next to each other. The texts are borrowed while it is opened. */
ht_status ht_source_reopen(const ht_source *source, const ht_file_text *files, size_t count,
                           ht_source **out_source, ht_error *error);

/* clang's resource directory; NULL when none is found. free(). */
char *ht_resource_dir_find(void);

#endif

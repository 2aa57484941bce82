/* Launches of a kernel. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_LAUNCH_H
#define HT_REFACTOR_LAUNCH_LAUNCH_H

#include "refactor/launch/symbol.h"

typedef struct ht_extent3 {
    ht_symbol *axis[3]; /* NULL: not written, so 1 */
    size_t written;     /* number of axes that are written */
    ht_range argument;  /* text of the launch's argument; in the source's whole text */
    bool has_argument;
    CXCursor variable; /* the dim3 (or integer) variable that it names, or null */
    bool is_call;      /* the dim3 is returned by a function of the user that does nothing else */
    bool known;        /* the axes could be read */
} ht_extent3;

typedef struct ht_launch_site {
    CXCursor kernel;   /* the declaration that is named */
    CXCursor callee;   /* the expression that is called: the kernel's name, or a choice between
                          instances */
    CXCursor function; /* the host function around it */
    ht_range range;    /* the whole call, from the kernel's name */
    size_t file;       /* file of the launch; 0: the file being analysed */
    int line;
    ht_extent3 grid, block;
    ht_symbol *lds; /* NULL: none */
    CXCursor *arguments;
    size_t argument_count;
    CXCursor *template_arguments; /* expressions and types as written; may be empty */
    ht_range *template_ranges;    /* in `file` */
    size_t template_argument_count;
    bool in_macro; /* inside another macro's expansion, so it must not be edited */
    bool indirect; /* it does not name the kernel (indirect.h); `in_macro` too */
} ht_launch_site;

typedef struct ht_launches {
    ht_launch_site *items;
    size_t count;
    int other_use_line; /* line of another use of the kernel's name (address taken, macro); 0: there
                           is none */
    size_t other_use_file;
    bool kept; /* none of them is to be edited: how they are written does not matter */
} ht_launches;

/* The template arguments after a kernel's name in a launch; free(items). */
typedef struct ht_launch_arguments {
    CXCursor *items;  /* null: a type */
    ht_range *ranges; /* in the site's file */
    size_t count;
} ht_launch_arguments;
void ht_launch_arguments_read(const ht_source *source, const ht_launch_site *site, CXCursor name,
                              ht_launch_arguments *out);
void ht_launch_arguments_free(ht_launch_arguments *arguments);
/* Returns the cursor that names the kernel in a part of the callee; null cursor: none does. */
CXCursor ht_launch_name(const ht_launch_site *site, CXCursor callee);

/* Parts of a search for launches. ht_launch_kernel_name: the cursor that names the kernel
 * (canonical) in an expression; ht_launch_configuration: what a call with <<<>>> gets there; null
 * cursors: there is none. */
CXCursor ht_launch_kernel_name(CXCursor expression, CXCursor kernel);
CXCursor ht_launch_configuration(CXCursor call);
/* Returns true for a cursor to be looked into, one of the user's files, and sets *function where it
 * is the one around those that follow. */
bool ht_launch_enters(const ht_source *source, CXCursor cursor, CXCursor *function);
/* Reads grid or block of a launch that cannot be edited. `passed`: it may be a variable of unknown
 * value. */
void ht_launch_extent_read(const ht_source *source, CXCursor expression, bool passed,
                           ht_extent3 *out);

/* Finds all launches of `kernel` in the user's files, those of the file being analysed first. */
void ht_launches_find(const ht_source *source, CXCursor kernel, ht_launches *out_launches);
void ht_launches_free(ht_launches *launches);
/* NULL: there is none. */
const ht_launch_site *ht_launches_first(const ht_launches *launches);
/* Drops the launches whose block is another constant one than the first's. Returns false, with all
 * of them, if there are none, or if a block is no constant. */
bool ht_launches_keep_alike(ht_launches *launches);

#endif

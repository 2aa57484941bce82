/* HIP's header, parsed once and kept in a file for the parses that follow. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_PARSED_HEADER_H
#define HT_REFACTOR_SOURCE_PARSED_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* Arguments of libclang, and the file for the header as parsed with them. */
typedef struct ht_parsed_header {
    const char *const *arguments;
    size_t count;
    const char *path;
    bool lasting; /* the file outlives this run, and so may be out of date */
} ht_parsed_header;

/* Returns true if the file exists and fits; makes it if need be. False: the header is to be
 * included as text. If the file could not be written, a warning says so, once in this process and
 * those that it forks later, and no second attempt is made. libclang works in a process of its own,
 * since it aborts when the disk is full. */
bool ht_parsed_header_have(const ht_parsed_header *header);

#endif

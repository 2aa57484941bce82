/* gzip (RFC 1952) through zlib, in memory and with a limit. Private to search/. */
#ifndef HT_SEARCH_RECORDING_GZIP_H
#define HT_SEARCH_RECORDING_GZIP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if it begins like gzip. */
bool ht_gzip_is(const void *data, size_t length);
/* Unpacks all members. More than `limit` bytes, damage and a missing end are HT_ERROR_INPUT naming
 * `path`. `*out_data` gets a NUL after the last byte; free(). */
ht_status ht_gzip_unpack(const void *data, size_t length, size_t limit, const char *path,
                         char **out_data, size_t *out_length, ht_error *error);
/* free(). */
void *ht_gzip_pack(const void *data, size_t length, size_t *out_length);

#endif

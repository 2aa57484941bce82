/* The places of values in a JSON text, which parsers of JSON do not keep. */
#ifndef HT_BASE_JSON_PLACE_H
#define HT_BASE_JSON_PLACE_H

/* Finds line and column (1-based) of the value at `path`, such as "budget.seconds" or "sources[2]",
 * in a text that is known to be JSON; of its key, if it is a member. Keys in a path have no '.' and
 * no '['. The place of the innermost value on the way that is there when it is not; 1, 1 in a text
 * that is not JSON. */
void ht_json_place_find(const char *text, const char *path, int *out_line, int *out_column);

#endif

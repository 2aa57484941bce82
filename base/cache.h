/* Results of compilers, kept between runs: parsed headers, and objects. */
#ifndef HT_BASE_CACHE_H
#define HT_BASE_CACHE_H

/* The folder that $HIPTEMPER_CACHE names, made if it is missing; borrowed, and the same at every
 * call. NULL where the variable is unset or empty, or where the folder is another user's or may be
 * written by others: what lies in it is trusted as the compiler's own output is. */
const char *ht_cache_folder(void);

/* The same for $HIPTEMPER_OBJECTS, in which the compilers of untrusted sources write, too. */
const char *ht_cache_objects(void);

#endif

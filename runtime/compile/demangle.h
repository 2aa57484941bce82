/* Names as they stand in the source. */
#ifndef HT_RUNTIME_COMPILE_DEMANGLE_H
#define HT_RUNTIME_COMPILE_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* "tile" for the symbol of a variable `tile` of some function; free(). */
char *ht_demangle_variable(const char *symbol);
/* "tile(float)" for the symbol of a function, the symbol itself where it is a name of C; free(). */
char *ht_demangle(const char *symbol);

#ifdef __cplusplus
}
#endif

#endif

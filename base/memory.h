/* Allocation that does not fail: out of memory ends the process with one clear line. The tuner
 * itself needs little memory; what needs much (kernel buffers, compilers) runs in worker processes,
 * whose end is an ordinary outcome. */
#ifndef HT_BASE_MEMORY_H
#define HT_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed. Free with free(). */
void *ht_alloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
void *ht_realloc(void *block, size_t count, size_t size);
char *ht_strdup(const char *text) __attribute__((malloc));
char *ht_strndup(const char *text, size_t length) __attribute__((malloc));
char *ht_format(const char *format, ...) __attribute__((malloc, format(printf, 1, 2)));
char *ht_format_list(const char *format, va_list args)
    __attribute__((malloc, format(printf, 1, 0)));

/* Frees the strings of an array, and the array. */
void ht_strings_free(char **strings, size_t count);

/* Makes room for one more element: grows `*array` (elements of `size` bytes, `count` of them in
 * use) by doubling. */
#define HT_GROW(array, count) ((array) = ht_grow((array), (count), sizeof *(array)))
void *ht_grow(void *array, size_t count, size_t size);

#endif

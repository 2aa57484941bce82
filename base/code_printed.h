/* C++ code whose own lines and file names (__LINE__, __FILE__) go nowhere but into messages, as in
 * the usual macro around calls of a runtime. */
#ifndef HT_BASE_CODE_PRINTED_H
#define HT_BASE_CODE_PRINTED_H

#include <stdbool.h>

/* Returns true if each use of __LINE__, __FILE__ and __FILE_NAME__ is an argument of a statement
 * fprintf(stderr, ...); or fprintf(stdout, ...); or an operand of a statement std::cerr << ...; or
 * std::cout << ...; which only host code can have. False where other names of places
 * (__COUNTER__, source_location) are, or where it is not clear. */
bool ht_code_prints_places(const char *code);
/* Returns true if the code may give these functions and streams another meaning. */
bool ht_code_redefines_printing(const char *code);

#endif

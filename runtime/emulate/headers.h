/* The headers that a program includes. */
#ifndef HT_RUNTIME_EMULATE_HEADERS_H
#define HT_RUNTIME_EMULATE_HEADERS_H

#include "runtime/emulate/build.h"

/* The headers, other than the system's, that the files include, each as often as it is included;
 * after the build. The strings and the array are the caller's to free. */
size_t ht_emulate_headers(const ht_emulate_build *build, char ***out_names);

#endif

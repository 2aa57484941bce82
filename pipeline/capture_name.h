/* The name of a launched kernel, taken apart: "void ns::scale<float>(float const*, int)". */
#ifndef HT_PIPELINE_CAPTURE_NAME_H
#define HT_PIPELINE_CAPTURE_NAME_H

#include <stddef.h>

/* The kernel's own name, "ns::scale"; free(). */
char *ht_capture_kernel_name(const char *launched);

/* A template argument of the kernel, "float" or "3", counted from 0; NULL: there is no such;
 * free(). */
char *ht_capture_template_argument(const char *launched, size_t index);

/* A parameter's type as it is written there, "float const*", counted from 0; NULL: there is no
 * such; free(). */
char *ht_capture_parameter(const char *launched, size_t parameter);

/* The type that a parameter points to, "float", counted from 0; NULL: there is no such parameter,
 * or it is no plain pointer; free(). */
char *ht_capture_pointee(const char *launched, size_t parameter);

#endif

/* Compiling configurations of a template through a provider's hiprtc functions, in this process. */
#ifndef HT_RUNTIME_COMPILE_COMPILE_H
#define HT_RUNTIME_COMPILE_COMPILE_H

#include "runtime/provider/provider.h"

/* One compiled program: an image and the lowered names of its kernels and constants. */
typedef struct ht_program {
    char *code; /* owned */
    size_t code_size;
    char **kernels; /* lowered name of every launch, launches in order; owned */
    size_t kernel_count;
    char **constants; /* lowered name per constant argument, in the template's order, then per
                         structure (record.h); owned */
    size_t constant_count;
    char *log; /* compiler's text, warnings included; owned; never NULL */
    double seconds;
} ht_program;

/* Compiles the kernels of one of the template's sets of launches for one configuration (of the
 * reference's and the baseline's, with every parameter at its default). A rejected program is
 * HT_ERROR_COMPILE and the message holds the compiler's first errors. Free with ht_program_free. */
ht_status ht_program_compile(const ht_device *device, const ht_binding *binding,
                             const ht_config *config, ht_launch_set set, ht_program *out_program,
                             ht_error *error);
/* Returns true if both can be in one program. Macros hold for a whole program, so not when a macro
 * parameter differs. */
bool ht_program_shares(const ht_template *template, const ht_config *a, const ht_config *b);
/* The same for `count` configurations that share one program. Each gets a copy of its code. One bad
 * configuration fails them all; nothing is to be freed then. */
ht_status ht_program_compile_batch(const ht_device *device, const ht_binding *binding,
                                   const ht_config *configs, size_t count, ht_program *out_programs,
                                   ht_error *error);
/* The same, but a program that the compiler rejects is compiled again in halves, until the guilty
 * are alone with their own messages: one among n costs about log2(n) smaller programs more.
 * out_errors[i].status is HT_OK where out_programs[i] is valid. */
void ht_program_compile_each(const ht_device *device, const ht_binding *binding,
                             const ht_config *configs, size_t count, ht_program *out_programs,
                             ht_error *out_errors);
void ht_program_free(ht_program *program);

#endif

/* Compiling configurations of a template through a provider's hiprtc functions, in this process. */
#ifndef HT_RUNTIME_COMPILE_H
#define HT_RUNTIME_COMPILE_H

#include "runtime/provider.h"

/* One compiled program: an image and the lowered names of its kernels and constants. */
typedef struct ht_program {
    char *code; /* owned */
    size_t code_size;
    char **kernels; /* lowered name of every launch, launches in order; owned */
    size_t kernel_count;
    char **constants; /* lowered name per constant argument, in the template's order; owned */
    size_t constant_count;
    char *log; /* compiler's text, warnings included; owned; never NULL */
    double seconds;
} ht_program;

/* Compiles the kernels of the template's launches (or, with `reference`, of its reference launches,
 * every parameter at its default) for one configuration. A rejected program is HT_ERROR_COMPILE and
 * the message holds the compiler's first errors. Free with ht_program_free. */
ht_status ht_program_compile(const ht_device *device, const ht_binding *binding,
                             const ht_config *config, bool reference, ht_program *out_program,
                             ht_error *error);
/* The same for `count` configurations in one program: possible when all parameters are
 * template-bound. Each program owns a copy of the shared code. One bad configuration fails them
 * all. */
ht_status ht_program_compile_batch(const ht_device *device, const ht_binding *binding,
                                   const ht_config *configs, size_t count, ht_program *out_programs,
                                   ht_error *error);
void ht_program_free(ht_program *program);

#endif

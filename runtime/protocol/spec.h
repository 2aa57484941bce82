/* The subject of a job, handed to its workers as files in the job's folder: template, problem,
 * device. */
#ifndef HT_RUNTIME_PROTOCOL_SPEC_H
#define HT_RUNTIME_PROTOCOL_SPEC_H

#include "runtime/provider/provider.h"
#include "templates/annotations/template.h"

typedef struct ht_spec {
    ht_template *templates; /* owned; parsed from the spec's text */
    size_t template_count;
    ht_problem problem; /* owned */
    bool has_problem;
    ht_device device;
    ht_binding binding; /* of the above */
    ht_config default_config;
} ht_spec;

/* Writes the files. A template that does not survive printing and parsing is HT_ERROR_INTERNAL. */
ht_status ht_spec_write(const char *folder, const ht_binding *binding, const ht_device *device,
                        ht_error *error);
/* Reads them. `spec` must stay where it is: its binding points into it. */
ht_status ht_spec_read(const char *folder, ht_spec *spec, ht_error *error);
void ht_spec_free(ht_spec *spec);

#endif

/* Time models (predictor/times/) of templates: learnt from a tuning database, kept next to it. */
#ifndef HT_PIPELINE_TIMES_H
#define HT_PIPELINE_TIMES_H

#include "predictor/times/time_model.h"
#include "runtime/provider/provider.h"
#include "runtime/store/database_earlier.h"
#include "search/earlier.h"

/* The file of a kernel's model next to a database: FILE.times/KERNEL.times; free(). */
char *ht_times_path(const char *database, const char *kernel);

/* The hash of a template's code, by which a database knows its jobs on a device; free(). */
char *ht_times_code(const ht_template *template, const ht_device *device);

/* Reads the jobs of a template in a database: of this code, on any device and problem. */
ht_status ht_times_jobs(const char *database, const char *kernel, const char *code,
                        ht_database_earlier *out_jobs, ht_error *error);

/* The amount that a database had of a template. */
typedef struct ht_times_read {
    size_t jobs, evaluations;
    size_t foreign; /* evaluations of another form of the template */
} ht_times_read;

/* Adds the jobs of a template in a database to the data: those of the same code (`code`: the
 * template's hash), on any device and problem, but for the problem `without` (as the database has
 * it; NULL: none). `device`: whose limits the template is bound with. */
ht_status ht_times_read_database(const char *database, const ht_template *template,
                                 const char *code, const ht_device *device, const char *without,
                                 ht_time_data *data, ht_times_read *out_read, ht_error *error);

/* Learns a model from a database and replaces the template's file next to it. HT_ERROR_INPUT: there
 * is too little to learn from. `out_model` may be NULL. */
ht_status ht_times_learn(const char *database, const ht_template *template, const ht_device *device,
                         ht_times_read *out_read, ht_time_model **out_model, ht_error *error);

/* Opens the template's model next to a database; NULL: there is none of this code of the template,
 * or it cannot be read (*out_refused then says why; free()). */
ht_time_model *ht_times_open(const char *database, const ht_template *template, const char *code,
                             char **out_refused);

/* Opens a model's file along with the one template that it holds. Free both:
 * ht_template_free(templates, 1). */
ht_status ht_times_open_file(const char *path, ht_time_model **out_model,
                             ht_template **out_templates, ht_error *error);

/* "host: host emulation, 2 cores": a device as databases and models have it; free(). */
char *ht_times_device(const ht_device *device);
/* The columns of a bound space on a device. The device's numbers go to *out_numbers, which must
 * outlive the columns, like the space. */
ht_columns *ht_times_columns(const ht_space *space, const ht_device *device,
                             ht_time_device *out_numbers);

/* Adds what the model expects as a source of a search; false: there is no room, or it expects the
 * same of all. */
bool ht_times_source(const ht_time_model *model, const ht_space *space, const ht_device *device,
                     ht_earlier *sources, size_t *out_outcomes);

/* Sentences about what the model has not seen: the device, and sizes beyond those it learnt from;
 * each with how good first choices were in such a case. Returns how many; free each, then the
 * array.
 */
size_t ht_times_unseen(const ht_time_model *model, const ht_problem *problem, const char *device,
                       char ***out_sentences);

#endif

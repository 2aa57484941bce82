/* A recorded tuning run: which configurations were tried on a device, and what came of each. Read
 * from and written as Kernel Tuner cache files and T4 result files (docs/recording-format.md),
 * plain or packed by gzip. Knows no search space: search/replay.h puts a recording on one. */
#ifndef HT_SEARCH_RECORDING_H
#define HT_SEARCH_RECORDING_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_RECORDING_VALUES_MAX = 65535 };

typedef enum ht_recorded_kind {
    HT_RECORDED_INTEGER,
    HT_RECORDED_REAL,
    HT_RECORDED_BOOLEAN,
    HT_RECORDED_TEXT
} ht_recorded_kind;

typedef struct ht_recorded_value {
    ht_recorded_kind kind;
    int64_t integer; /* of an integer; 0 or 1 of a boolean */
    double number;   /* the same, or the real; 0 for a text */
    char *text;      /* as a cache key has it: "16", "0.5", "True", "float"; owned */
} ht_recorded_value;

/* A parameter with the values that the run declares or has, all different. */
typedef struct ht_recorded_parameter {
    char *name; /* owned */
    ht_recorded_value *values;
    size_t value_count;
} ht_recorded_parameter;

/* Where the time of an evaluation went, in milliseconds; negative: not recorded. */
typedef struct ht_recorded_times {
    double compile, verification, benchmark, framework, strategy;
} ht_recorded_times;

/* One configuration. Statuses: HT_OK, HT_ERROR_COMPILE, HT_ERROR_LAUNCH (failed at run time),
 * HT_ERROR_TIMEOUT, HT_ERROR_MISMATCH (wrong results), HT_ERROR_UNSUPPORTED (excluded by a
 * constraint). */
typedef struct ht_record {
    ht_status status;
    double cost; /* milliseconds, when HT_OK */
    ht_recorded_times times;
    size_t sample_first; /* of ht_recording.samples */
    size_t sample_count;
    char *timestamp; /* when it was evaluated, as the file has it; NULL: not recorded; owned */
} ht_record;

typedef enum ht_recording_format {
    HT_RECORDING_GUESS, /* from the content (reading) */
    HT_RECORDING_CACHE, /* Kernel Tuner cache file */
    HT_RECORDING_T4     /* T4 results */
} ht_recording_format;

typedef struct ht_recording {
    ht_recording_format format; /* it was read as; HT_RECORDING_GUESS when it was made otherwise */
    char *path;                 /* where it was read from; NULL for none */
    char *device;               /* "" when not given */
    char *kernel;               /* "" when not given */
    char *problem; /* the problem's size as JSON text: "[4096, 4096]"; "" when not given */
    ht_recorded_parameter *parameters;
    size_t parameter_count;
    ht_record *records; /* in the file's order */
    size_t record_count;
    uint16_t *choices; /* record_count rows of parameter_count indices into .values */
    double *samples;   /* all single runs, milliseconds */
    size_t sample_count;
} ht_recording; /* everything owned */

/* Reads a file, unpacking it when it begins like gzip. Errors are HT_ERROR_IO (cannot be read) and
 * HT_ERROR_INPUT (not such a file: damaged, cut short, too large, inconsistent), naming the file
 * and what is wrong where. */
ht_status ht_recording_read(const char *path, ht_recording_format format,
                            ht_recording **out_recording, ht_error *error);
/* The same from the unpacked bytes. `path` names them in errors; may be NULL. */
ht_status ht_recording_parse(const char *text, size_t length, const char *path,
                             ht_recording_format format, ht_recording **out_recording,
                             ht_error *error);
/* Writes, packed when the path ends in ".gz". */
ht_status ht_recording_write(const ht_recording *recording, ht_recording_format format,
                             const char *path, ht_error *error);
void ht_recording_print(const ht_recording *recording, ht_recording_format format, ht_text *out);
void ht_recording_free(ht_recording *recording);

/* Milliseconds that the evaluation took: compiling, checking and measuring as recorded. */
double ht_record_spent(const ht_record *record);
/* "compile", "runtime", "timeout", "correctness", "constraints", and "correct" for HT_OK: the words
 * of the T4 format. */
const char *ht_record_word(ht_status status);

/* Building one. All texts are copied. */
ht_recording *ht_recording_new(const char *path);
/* Index of the parameter; a new one when the name is new. */
size_t ht_recording_parameter(ht_recording *recording, const char *name);
/* Index of the value among those of the parameter, added when it is new; SIZE_MAX when there are
 * HT_RECORDING_VALUES_MAX already. `value.text` is copied. */
size_t ht_recording_value(ht_recording *recording, size_t parameter,
                          const ht_recorded_value *value);
/* A new record without samples, its choices all 0; borrowed until the next one is added. All
 * parameters must be there. */
ht_record *ht_recording_add(ht_recording *recording);
void ht_recording_add_sample(ht_recording *recording, double milliseconds);
/* Index of a record that has the same choices as an earlier one; SIZE_MAX when there is none. */
size_t ht_recording_double(const ht_recording *recording);
/* "block_size_x=16, tile_size=2"; free(). */
char *ht_recording_config(const ht_recording *recording, size_t record);

#endif

/* Shared by the formats of recordings. Private to search/. */
#ifndef HT_SEARCH_RECORDING_FORMAT_H
#define HT_SEARCH_RECORDING_FORMAT_H

#include "search/recording.h"

#include <jansson.h>

/* A file being read: where in it we are, for messages. */
typedef struct ht_recording_reader {
    ht_recording *recording;
    ht_error *error;
    size_t entry;    /* of the list of results, from 0; SIZE_MAX: not in it */
    const char *key; /* of the cache's entry; NULL for none */
    double unit;     /* milliseconds in the file's unit of time */
} ht_recording_reader;

/* HT_ERROR_INPUT at the entry that is being read. */
ht_status ht_recording_fail(const ht_recording_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The two formats' readers fill a recording that is new, from a parsed document. */
ht_status ht_recording_read_cache(ht_recording_reader *reader, const json_t *root);
ht_status ht_recording_read_t4(ht_recording_reader *reader, const json_t *root);
void ht_recording_print_cache(const ht_recording *recording, ht_text *out);
void ht_recording_print_t4(const ht_recording *recording, ht_text *out);

/* A JSON value as a parameter's value; its text must be freed. False: neither a number, a boolean
 * nor a text. */
bool ht_recorded_value_read(const json_t *json, ht_recorded_value *out_value);
bool ht_recorded_value_same(const ht_recorded_value *a, const ht_recorded_value *b);
bool ht_record_status(const char *word, ht_status *out_status);

/* `object[name]` as milliseconds when it is a finite number that is not negative; *out stays when
 * the member is missing or null. */
ht_status ht_recording_time(const ht_recording_reader *reader, const json_t *object,
                            const char *name, double *out);
/* A list of times as the last record's samples; NULL: there are none. */
ht_status ht_recording_samples(const ht_recording_reader *reader, const json_t *list,
                               const char *name);
/* The choice of one parameter of the last record. */
ht_status ht_recording_choose(const ht_recording_reader *reader, size_t parameter,
                              const json_t *value);
/* A member that is a text replaces *out_text. */
void ht_recording_text(const json_t *object, const char *name, char **out_text);

/* The member "problem_size", of any type, as JSON text. */
void ht_recording_problem(const json_t *object, ht_recording *recording);

/* Printing. */
void ht_print_json_text(const char *text, ht_text *out); /* quoted, escaped */
void ht_print_json_number(double number, ht_text *out);  /* reads back as the same */
void ht_print_json_value(const ht_recorded_value *value, ht_text *out);

#endif

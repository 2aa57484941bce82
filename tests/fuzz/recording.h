/* Shared by the targets of the recordings' formats. */
#ifndef TESTS_FUZZ_RECORDING_H
#define TESTS_FUZZ_RECORDING_H

#include "fuzz.h"

#include "search/recording.h"

#include <string.h>

/* A recording that is read can be printed, and reads as the same again. */
static inline int fuzz_recording(const uint8_t *data, size_t size, ht_recording_format format) {
    ht_recording *recording = NULL, *again = NULL;
    ht_text printed = {0}, reprinted = {0};
    ht_error error;
    ht_status status =
        ht_recording_parse((const char *)data, size, "f", format, &recording, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status != HT_OK)
        return 0;
    FUZZ_CHECK(recording->record_count > 0 && recording->parameter_count > 0);
    ht_recording_print(recording, format, &printed);
    status = ht_recording_parse(printed.data, printed.length, "again", format, &again, &error);
    if (status != HT_OK)
        fprintf(stderr, "%s\n%s\n", error.message, printed.data);
    FUZZ_CHECK(status == HT_OK);
    ht_recording_print(again, format, &reprinted);
    FUZZ_CHECK(!strcmp(printed.data, reprinted.data));
    ht_text_free(&printed);
    ht_text_free(&reprinted);
    ht_recording_free(recording);
    ht_recording_free(again);
    return 0;
}

#endif

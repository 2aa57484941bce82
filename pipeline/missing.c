#include "pipeline/missing.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static ht_missing_call *known_find(const ht_missing *in, const char *name, const char *place) {
    for (size_t i = 0; i < in->count; ++i)
        if (strcmp(in->items[i].name, name) == 0 && strcmp(in->items[i].place, place) == 0)
            return &in->items[i];
    return NULL;
}

void ht_missing_find(const ht_hip_program *program, const ht_emulate_report *report,
                     ht_missing *out_missing) {
    char **places = NULL;
    ht_error error = {0};
    *out_missing = (ht_missing){0};
    if (report->call_count == 0)
        return;
    ht_emulate_places(report, ht_hip_program_folder(program), &places, &error);
    for (uint32_t i = 0; i < report->call_count; ++i) {
        ht_text_make_printable(places[i], "", false);
        /* A compiler may have made several calls of one. */
        ht_missing_call *known = known_find(out_missing, report->calls[i].name, places[i]);
        if (known != NULL) {
            known->times += report->calls[i].times;
            free(places[i]);
            continue;
        }
        HT_GROW(out_missing->items, out_missing->count);
        out_missing->items[out_missing->count++] =
            (ht_missing_call){ht_strdup(report->calls[i].name), places[i], report->calls[i].times};
    }
    free(places);
}

void ht_missing_free(ht_missing *missing) {
    for (size_t i = 0; i < missing->count; ++i) {
        free(missing->items[i].name);
        free(missing->items[i].place);
    }
    free(missing->items);
    *missing = (ht_missing){0};
}

char *ht_missing_string(const ht_missing_call *call) {
    return ht_format("%s%s%s is not supported: it returned hipErrorNotSupported (%" PRIu64
                     " call%s)",
                     call->place, *call->place ? ": " : "", call->name, call->times,
                     call->times == 1 ? "" : "s");
}

json_t *ht_missing_json(const ht_missing *missing) {
    json_t *calls = json_array();
    for (size_t i = 0; i < missing->count; ++i)
        json_array_append_new(calls,
                              json_pack("{s:s, s:o, s:I}", "function", missing->items[i].name,
                                        "place", ht_report_json_text(missing->items[i].place),
                                        "calls", (json_int_t)missing->items[i].times));
    return calls;
}

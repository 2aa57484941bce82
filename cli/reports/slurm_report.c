#include "cli/reports/slurm_report.h"

#include "pipeline/report.h"

#include <string.h>

static const char *text_at(const json_t *object, const char *key) {
    return ht_report_text_of(object, key);
}

static long long number_at(const json_t *object, const char *key) {
    return (long long)json_integer_value(json_object_get(object, key));
}

static void task_print(const json_t *row, FILE *out) {
    const char *slurm = text_at(row, "slurm"), *host = text_at(row, "host");
    fprintf(out, " %-8s", text_at(row, "state"));
    if (*slurm)
        fprintf(out, "  job %s", slurm);
    if (*host)
        fprintf(out, " on %s", host);
    if (*text_at(row, "reason"))
        fprintf(out, ": %s; log: %s", text_at(row, "reason"), text_at(row, "log"));
    fprintf(out, "\n");
}

void ht_slurm_report(const json_t *status, FILE *out) {
    const json_t *shards = json_object_get(status, "shards");
    const char *state, *mark = ":";
    json_t *count, *row;
    size_t index;
    fprintf(out, "Night of %s, %zu shards", text_at(status, "began"), json_array_size(shards));
    json_object_foreach(json_object_get(status, "counts"), state, count) {
        if (json_integer_value(count) == 0 && strcmp(state, "unknown") == 0)
            continue;
        fprintf(out, "%s %lld %s", mark, (long long)json_integer_value(count), state);
        mark = ",";
    }
    fprintf(out, "\n");
    json_array_foreach(shards, index, row) {
        if (strcmp(text_at(row, "state"), "done") == 0)
            continue;
        fprintf(out, "%5lld  %-8s shard %lld/%lld", number_at(row, "number"),
                text_at(row, "device"), number_at(row, "shard"), number_at(row, "shards"));
        task_print(row, out);
    }
    fprintf(out, "merge:");
    task_print(json_object_get(status, "merge"), out);
}

#include "pipeline/progress.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

struct ht_progress {
    FILE *stream;
    bool live;
    size_t total, begun;
    char *label;
    uint64_t evaluations; /* planned */
    double original_ms;
    uint64_t rejected;
    double last; /* when a line was written */
};

static const double plain_interval = 2.0, live_interval = 0.08;

ht_progress *ht_progress_new(FILE *stream, size_t total) {
    ht_progress *progress = ht_alloc(1, sizeof *progress);
    progress->stream = stream;
    progress->total = total;
    progress->live = stream && ht_report_is_terminal(stream);
    progress->last = -1e9;
    return progress;
}

void ht_progress_free(ht_progress *progress) {
    if (!progress)
        return;
    ht_progress_pause(progress);
    free(progress->label);
    free(progress);
}

/* Writes the line, unless one was written just before. */
static void line_write(ht_progress *progress, const char *text, bool must) {
    double now = ht_clock_seconds();
    double interval = progress->live ? live_interval : plain_interval;
    if (!progress->stream)
        return;
    if (!must && now - progress->last < interval)
        return;
    progress->last = now;
    struct winsize size = {.ws_col = 80};
    if (progress->live && ioctl(fileno(progress->stream), TIOCGWINSZ, &size) == 0 && size.ws_col)
        fprintf(progress->stream, "\r\033[K%.*s", size.ws_col - 1, text);
    else if (progress->live)
        fprintf(progress->stream, "\r\033[K%.79s", text);
    else
        fprintf(progress->stream, "%s\n", text);
    fflush(progress->stream);
}

static char *head(const ht_progress *progress) {
    if (!progress->label) /* nothing is tuned */
        return ht_strdup("");
    if (progress->total == 0)
        return ht_format("%s: ", progress->label);
    return ht_format("[%zu/%zu] %s: ", progress->begun, progress->total, progress->label);
}

void ht_progress_begin(ht_progress *progress, const char *label) {
    ++progress->begun;
    free(progress->label);
    progress->label = ht_strdup(label);
    progress->rejected = 0;
    progress->evaluations = 0;
    progress->original_ms = 0;
}

static void phase_write(ht_progress *progress, const char *phase, bool must) {
    char *start = head(progress);
    char *text = ht_format("%s%s", start, phase);
    line_write(progress, text, must);
    free(text);
    free(start);
}

void ht_progress_phase(ht_progress *progress, const char *phase) {
    phase_write(progress, phase, progress->live);
}

void ht_progress_long_phase(ht_progress *progress, const char *phase) {
    phase_write(progress, phase, true);
}

void ht_progress_plan(ht_progress *progress, uint64_t evaluations, double original_ms) {
    progress->evaluations = evaluations;
    progress->original_ms = original_ms;
}

void ht_progress_event(void *context, const ht_search_event *event) {
    ht_progress *progress = context;
    progress->rejected += event->outcome->status != HT_OK;
    char *start = head(progress);
    ht_text text = {0};
    ht_text_printf(&text, "%s%lu/%lu configurations", start, (unsigned long)event->evaluated,
                   (unsigned long)progress->evaluations);
    if (event->best) {
        ht_text_printf(&text, ", best %.4g ms", event->best_cost);
        if (progress->original_ms > 0 && event->best_cost > 0)
            ht_text_printf(&text, " (%.2fx)", progress->original_ms / event->best_cost);
    }
    if (progress->rejected)
        ht_text_printf(&text, ", %lu rejected", (unsigned long)progress->rejected);
    line_write(progress, text.data, false);
    ht_text_free(&text);
    free(start);
}

void ht_progress_pause(ht_progress *progress) {
    if (!progress->live || progress->last < 0)
        return;
    fprintf(progress->stream, "\r\033[K");
    fflush(progress->stream);
}

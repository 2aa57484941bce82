#include "pipeline/entry.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/table.h"
#include "pipeline/style.h"
#include "pipeline/written_choice.h"

#include <stdlib.h>
#include <string.h>

enum { EXAMPLE_MAX = 110 };

static const char *color_of(ht_verdict verdict) {
    switch (verdict) {
    case HT_VERDICT_IMPROVED:
        return "\033[32m";
    case HT_VERDICT_FAILED:
    case HT_VERDICT_WITHHELD:
        return "\033[31m";
    default:
        return "\033[33m";
    }
}

/* Returns true if a configuration is faster than the original. Else the times that are next to the
 * original's are those of the template's defaults, and the reason has the best one's. */
static bool gained(const ht_pair_result *result) {
    return result->times.known &&
           (result->verdict == HT_VERDICT_IMPROVED || result->verdict == HT_VERDICT_WITHHELD);
}

static void verdict_print(ht_verdict verdict, FILE *out) {
    if (ht_report_has_color(out))
        fprintf(out, "%s%s\033[0m", color_of(verdict), ht_verdict_name(verdict));
    else
        fprintf(out, "%s", ht_verdict_name(verdict));
}

static void timing_print(const char *what, const ht_timing *timing, const ht_device *device,
                         FILE *out) {
    fprintf(out, "  %-10s %.4g ms [%.4g, %.4g]%s\n", what, timing->median_ms, timing->lo_ms,
            timing->hi_ms, device->emulated ? " (host emulation)" : "");
}

/* Prints the first line of a reason, cut to fit. The runtime's reasons name their kind
 * themselves. */
static void example_print(const ht_rejection *rejection, FILE *out) {
    size_t length = strcspn(rejection->example, "\n");
    bool cut = length > EXAMPLE_MAX;
    fprintf(out, "  %-10s %.*s%s\n", rejection->count > 1 ? "such as" : "rejected",
            (int)(cut ? EXAMPLE_MAX - 3 : length), rejection->example, cut ? "..." : "");
}

static void earlier_print(const ht_pair_earlier *earlier, FILE *out) {
    for (size_t i = 0; i < earlier->count; ++i)
        fprintf(out, "  %-10s %s: %zu outcomes, weight %.2f at the end\n", "source",
                earlier->runs[i].name, earlier->runs[i].outcomes, earlier->runs[i].weight);
    if (earlier->unused.length)
        fprintf(out, "  %-10s none from %s: no run of this kernel in it\n", "source",
                earlier->unused.data);
}

static void search_print(const ht_pair_result *result, FILE *out) {
    fprintf(out, "  %-10s %lu of %lu legal configurations%s: %lu compiled, %lu run, %lu reused",
            "searched", (unsigned long)result->search.result.trial_count,
            (unsigned long)result->space.size, result->search.result.exhausted ? " (all)" : "",
            (unsigned long)result->counts.compiled, (unsigned long)result->counts.run,
            (unsigned long)result->counts.reused);
    uint64_t total = 0;
    ht_text kinds = {0};
    for (size_t i = 0; i < result->rejections.count; ++i) {
        total += result->rejections.items[i].count;
        ht_text_printf(&kinds, "%s%lu %s", i ? ", " : "",
                       (unsigned long)result->rejections.items[i].count,
                       ht_status_name(result->rejections.items[i].status));
    }
    if (total)
        fprintf(out, ", %lu rejected (%s)\n", (unsigned long)total, kinds.data);
    else
        fprintf(out, ", none rejected\n");
    ht_text_free(&kinds);
    for (size_t i = 0; i < result->rejections.count; ++i) {
        if (result->rejections.items[i].example[0])
            example_print(&result->rejections.items[i], out);
    }
    if (result->counts.dropped)
        fprintf(out,
                "  %-10s %lu of them after three samples: clearly slower than the best so far\n",
                "dropped", (unsigned long)result->counts.dropped);
    if (result->counts.reused)
        fprintf(out,
                "  %-10s %lu of them were known from an earlier run (--fresh measures again)\n",
                "reused", (unsigned long)result->counts.reused);
    if (result->seeds.from_predictor)
        fprintf(out, "  %-10s %zu that the model proposes\n", "seeds",
                result->seeds.from_predictor);
    if (result->seeds.refused)
        fprintf(out, "  %-10s none from the model: %s\n", "seeds", result->seeds.refused);
    if (result->seeds.from_times)
        fprintf(out, "  %-10s %zu that the model of time chooses\n", "seeds",
                result->seeds.from_times);
    if (result->seeds.from_database)
        fprintf(out, "  %-10s %zu from the nearest problems in the database\n", "seeds",
                result->seeds.from_database);
    if (result->search.facts)
        fprintf(out, "  %-10s facts of launches: tiles that divide the problem, full wavefronts\n",
                "expected");
    earlier_print(&result->earlier, out);
}

static void reason_print(const ht_entry *entry, FILE *out) {
    const char *reason = entry->result.reason;
    fprintf(out, "  %-10s ", "because");
    if (entry->reason_line)
        fprintf(out, "%s:%d: ", entry->file, entry->reason_line);
    for (const char *at = reason; *at; ++at) { /* compilers' messages have many lines */
        fputc(*at, out);
        if (*at == '\n' && at[1])
            fprintf(out, "  %-10s ", "");
    }
    if (!*reason || reason[strlen(reason) - 1] != '\n')
        fputc('\n', out);
}

static void rival_print(const ht_entry *entry, FILE *out) {
    const ht_candidate *rival = ht_pair_result_rival(&entry->result);
    if (!rival)
        return;
    char *config = ht_config_brief(entry->template, &rival->config);
    fprintf(out, "  %-10s unclear: %s may be as fast; it takes %.3f [%.3f, %.3f] times as long\n",
            "choice", config, rival->final.over_best, rival->final.over_best_lo,
            rival->final.over_best_hi);
    free(config);
}

static void freer_print(const ht_entry *entry, FILE *out) {
    const ht_candidate *freer = ht_pair_result_freer(&entry->result);
    if (!freer)
        return;
    char *config = ht_config_brief(entry->template, &freer->config);
    char *forms = ht_style_forms(entry->template, &freer->config);
    fprintf(out, "  %-10s %.2fx [%.3f, %.3f] with --style any: %s; it has %s\n", "freer",
            freer->final.speedup, freer->final.speedup_lo, freer->final.speedup_hi, config,
            forms ? forms : "another form");
    free(forms);
    free(config);
}

static void plain_print(const ht_entry *entry, FILE *out) {
    const ht_candidate *plain = ht_pair_result_plain(&entry->result);
    char *forms = plain ? ht_style_forms(entry->template, &entry->result.config) : NULL;
    if (!forms)
        return;
    char *config = ht_config_brief(entry->template, &plain->config);
    fprintf(out, "  %-10s it has %s; with --style plain %.2fx [%.3f, %.3f]: %s\n", "form", forms,
            plain->final.speedup, plain->final.speedup_lo, plain->final.speedup_hi, config);
    free(config);
    free(forms);
}

static void ablation_print(const ht_ablation *ablation, FILE *out) {
    size_t width = 0;
    for (size_t i = 0; i < ablation->count; ++i) {
        size_t length = strlen(ablation->rows[i].transformation);
        width = ablation->rows[i].used && length > width ? length : width;
    }
    for (size_t i = 0; i < ablation->count; ++i) {
        const ht_ablation_row *row = &ablation->rows[i];
        if (!row->used)
            continue;
        fprintf(out, "  %-10s %-*s  ", "without", (int)width, row->transformation);
        if (!row->found)
            fprintf(out, "nothing was measured\n");
        else
            fprintf(out, "the best found is %.4g ms, %.2fx as long (of %lu)\n", row->cost,
                    row->ratio, (unsigned long)row->seen);
    }
}

/* Prints the kernels that stood for the original. */
static void kernels_print(const ht_template *template, FILE *out) {
    char *base = ht_template_set_words(template, ht_template_baseline_set(template));
    char *reference = ht_template_set_words(template, ht_template_reference_set(template));
    fprintf(out, "  %-10s %s", "baseline", base);
    if (template->reference_kind == HT_REFERENCE_BUILTIN)
        fprintf(out, "; reference: the built-in %s\n", template->reference_name);
    else
        fprintf(out, "; reference: %s\n", reference);
    free(base);
    free(reference);
}

/* Prints how fast it is at sizes that it was not tuned for. */
static void elsewhere_print(const ht_elsewhere *elsewhere, FILE *out) {
    for (size_t i = 0; i < elsewhere->count; ++i) {
        const ht_elsewhere_size *item = &elsewhere->items[i];
        fprintf(out, "  %-10s %.3fx [%.3f, %.3f] at %s%s\n", i ? "" : "elsewhere",
                item->speedup.ratio, item->speedup.lo, item->speedup.hi, item->fields,
                item->slower ? ", slower than the original" : "");
    }
}

void ht_entry_report(const ht_entry *entry, const ht_device *device, FILE *out) {
    const ht_pair_result *result = &entry->result;
    if (entry->earlier) {
        fprintf(out, "%s  %-10s found on %.10s (--fresh finds it again)\n\n",
                ht_report_text_of(entry->earlier, "text"), "earlier",
                ht_report_text_of(entry->earlier, "when"));
        return;
    }
    char *label = ht_entry_label(entry);
    fprintf(out, "%s  %s:%d\n", label, entry->file, entry->line);
    free(label);
    if (*entry->fields)
        fprintf(out, "  %-10s %s\n", "sizes", entry->fields);
    fprintf(out, "  %-10s ", "status");
    verdict_print(result->verdict, out);
    if (gained(result))
        fprintf(out, ", speedup %.2fx [%.3f, %.3f]", result->times.speedup,
                result->times.speedup_lo, result->times.speedup_hi);
    if (result->times.known)
        fprintf(out, ", %s against %s", result->verified ? "verified" : "not verified",
                result->reference);
    fputc('\n', out);
    if (result->reason)
        reason_print(entry, out);
    if (result->times.known)
        kernels_print(entry->template, out);
    if (result->times.known) {
        timing_print("original", &result->times.original, device, out);
        timing_print(gained(result) ? "tuned" : "default", &result->times.tuned, device, out);
    }
    char *difference = gained(result) ? ht_written_difference_words(entry) : NULL;
    if (difference)
        fprintf(out, "  %-10s %s\n", "written", difference);
    free(difference);
    if (result->has_config && gained(result)) {
        char *config = ht_config_brief(entry->template, &result->config);
        fprintf(out, "  %-10s %s\n", "config", config);
        free(config);
    }
    if (entry->doubt && gained(result))
        fprintf(out, "  %-10s %s\n", "warning", entry->doubt);
    rival_print(entry, out);
    freer_print(entry, out);
    plain_print(entry, out);
    if (result->original_finding)
        fprintf(out, "  %-10s the original itself: %s\n", "check", result->original_finding);
    if (result->search.result.trial_count)
        search_print(result, out);
    if (result->space.idle)
        fprintf(out, "  %-10s %s: nothing on this device depends on them\n", "left out",
                result->space.idle);
    if (result->space.left_out)
        fprintf(out, "  %-10s %s: with them the space would be too large to search\n", "left out",
                result->space.left_out);
    ablation_print(&result->ablation, out);
    elsewhere_print(&entry->elsewhere, out);
    fputc('\n', out);
}

void ht_entry_report_brief(const ht_entry *entry, const ht_device *device, FILE *out) {
    (void)device;
    char *label = ht_entry_label(entry);
    fprintf(out, "%s  %s:%d  ", label, entry->file, entry->line);
    verdict_print(entry->result.verdict, out);
    if (gained(&entry->result))
        fprintf(out, ", speedup %.2fx", entry->result.times.speedup);
    fprintf(out, "%s\n", entry->earlier ? " (earlier)" : "");
    free(label);
}

char *ht_entry_report_text(const ht_entry *entry, const ht_device *device) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    ht_entry_report(entry, device, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    if (length > 0) /* the empty line at its end is the report's, not the entry's */
        text[length - 1] = 0;
    return text;
}

static void summary_row(ht_table *table, const ht_entry *entry) {
    const ht_pair_result *result = &entry->result;
    char *original = NULL, *tuned = NULL, *speedup = NULL, *interval = NULL;
    if (result->times.known)
        original = ht_format("%.4g", result->times.original.median_ms);
    if (gained(result)) {
        tuned = ht_format("%.4g", result->times.tuned.median_ms);
        speedup = ht_format("%.2fx", result->times.speedup);
        interval = ht_format("[%.3f, %.3f]", result->times.speedup_lo, result->times.speedup_hi);
    }
    const char *cells[] = {entry->name,
                           entry->problem && *entry->problem ? entry->problem : "-",
                           ht_verdict_name(result->verdict),
                           result->verified ? "yes" : "no",
                           original ? original : "-",
                           tuned ? tuned : "-",
                           speedup ? speedup : "-",
                           interval ? interval : "-"};
    ht_table_row(table, cells);
    free(original);
    free(tuned);
    free(speedup);
    free(interval);
}

void ht_entries_report_summary(const ht_entries *entries, const ht_device *device, FILE *out) {
    size_t counts[HT_VERDICTS] = {0};
    if (entries->count == 0) {
        fprintf(out, "No kernels were found.\n");
        return;
    }
    const char *heads[] = {"kernel",      "problem",  "status",  "verified",
                           "original ms", "tuned ms", "speedup", "95 % interval"};
    ht_table *table = ht_table_new("llllrrrl", heads);
    for (size_t i = 0; i < entries->count; ++i) {
        summary_row(table, &entries->items[i]);
        ++counts[entries->items[i].result.verdict];
    }
    fprintf(out, "Summary, on %s: %s\n", device->name, device->description);
    ht_table_finish(table, out, 2);
    if (device->emulated)
        fprintf(out, "  All times are host emulation: they say nothing about a GPU.\n");
    fprintf(out, "  ");
    bool first = true;
    for (size_t i = 0; i < HT_VERDICTS; ++i) {
        if (!counts[i])
            continue;
        fprintf(out, "%s%zu %s", first ? "" : ", ", counts[i], ht_verdict_name((ht_verdict)i));
        first = false;
    }
    fprintf(out, "%s\n", first ? "no kernels" : "");
}

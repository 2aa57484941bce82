#include "cli/reports/database/plots.h"

#include "base/memory.h"
#include "pipeline/report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define BLUE "'#3b8fd6'"
#define ORANGE "'#e07b1a'"
#define GREY "'#8a8a8a'"
#define AXIS(which, text) "set " which "label '" text "' textcolor rgb " HT_GNUPLOT_INK "\n"

static double number_at(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

/* Forgets what an earlier drawing of the batch has set. */
static ht_text *script_begin(ht_gnuplot *batch) {
    ht_text *script = ht_gnuplot_script(batch);
    ht_text_append(script, "unset label\nunset xlabel\nunset ylabel\nunset logscale\n"
                           "unset lmargin\nset autoscale\nset xtics autofreq norotate\n"
                           "set ytics autofreq\nset key outside top horizontal right\n"
                           "undefine $*\n$d << END\n");
    return script;
}

/* ---- speedups */

static int largest_first(const void *a, const void *b) {
    double m = number_at(*(const json_t *const *)a, "speedup");
    double n = number_at(*(const json_t *const *)b, "speedup");
    return m > n ? -1 : m < n;
}

/* Returns the rows that have a speedup, the largest first; free(). */
static const json_t **speedups_sorted(const json_t *rows, size_t *out_count) {
    const json_t **sorted = ht_alloc(json_array_size(rows) + 1, sizeof *sorted);
    size_t index, count = 0;
    json_t *row;
    json_array_foreach(rows, index, row) if (number_at(row, "speedup") > 0) sorted[count++] = row;
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, largest_first);
    *out_count = count < HT_PLOTS_SPEEDUPS ? count : HT_PLOTS_SPEEDUPS;
    return sorted;
}

size_t ht_plot_speedups(ht_gnuplot *batch, const json_t *rows) {
    enum { ROW = 24, EDGES = 80, LABEL = 34 };
    size_t count;
    const json_t **sorted = speedups_sorted(rows, &count);
    size_t number = SIZE_MAX;
    if (count > 0) {
        number =
            ht_gnuplot_add(batch, "speedups with 95 % intervals", 640, EDGES + ROW * (int)count);
        ht_text *script = script_begin(batch);
        for (size_t i = 0; i < count; ++i) {
            const json_t *ends = json_object_get(sorted[i], "speedup_ci");
            double speedup = number_at(sorted[i], "speedup");
            double lo = json_number_value(json_array_get(ends, 0));
            double hi = json_number_value(json_array_get(ends, 1));
            ht_text_printf(script, "%.6g %zu %.6g %.6g\n", speedup, count - i,
                           lo > 0 ? lo : speedup, hi > 0 ? hi : speedup);
        }
        ht_text_append(script, "END\nunset key\nset lmargin 30\nset ytics (");
        for (size_t i = 0; i < count; ++i) {
            const char *problem = ht_report_text_of(sorted[i], "problem");
            const char *kernel = ht_report_text_of(sorted[i], "kernel");
            char *label = *problem ? ht_format("%s (%s)", kernel, problem) : ht_strdup(kernel);
            ht_text_append(script, i ? ", " : "");
            ht_gnuplot_label(batch, label, LABEL);
            ht_text_printf(script, " %zu", count - i);
            free(label);
        }
        ht_text_printf(
            script,
            ") noenhanced\n" AXIS(
                "x", "speedup over the original") "set yrange [0.3:%zu.7]\nset xrange [0:*]\n"
                                                  "set arrow 1 from 1, graph 0 to 1, graph 1 "
                                                  "nohead lc rgb " GREY " dt 2\n"
                                                  "plot $d using 1:2:3:4 with xerrorbars pt 7 ps "
                                                  "0.7 lw 1.5 lc rgb " BLUE
                                                  " notitle\nunset arrow 1\n",
            count);
    }
    free(sorted);
    return number;
}

/* ---- searches */

size_t ht_plot_progress(ht_gnuplot *batch, const json_t *search, bool seconds) {
    const json_t *steps = json_object_get(search, "best_so_far");
    double original = number_at(search, "original_ms");
    double end = json_number_value(
        json_array_get(json_array_get(steps, json_array_size(steps) - 1), seconds ? 1 : 0));
    size_t index;
    json_t *step;
    if (json_array_size(steps) == 0 || end <= 0)
        return SIZE_MAX;
    size_t number = ht_gnuplot_add(batch,
                                   seconds ? "best time so far against seconds"
                                           : "best time so far against evaluations",
                                   460, 270);
    ht_text *script = script_begin(batch);
    json_array_foreach(steps, index, step) ht_text_printf(
        script, "%.6g %.6g\n", json_number_value(json_array_get(step, seconds ? 1 : 0)),
        json_number_value(json_array_get(step, 2)));
    ht_text_append(script, "END\n");
    ht_text_append(script, seconds ? AXIS("x", "seconds of search") : AXIS("x", "evaluations"));
    ht_text_append(script, AXIS("y", "ms") "set yrange [0:*]\nset xrange [0:*]\n");
    ht_text_append(script, "plot $d using 1:2 with steps lw 2 lc rgb " BLUE
                           " title 'best so far', $d using 1:2 with points pt 7 ps 0.4 lc rgb " BLUE
                           " notitle");
    if (original > 0)
        ht_text_printf(script, ", %.6g with lines lw 1.5 dt 2 lc rgb " ORANGE " title 'original'",
                       original);
    ht_text_append(script, "\n");
    return number;
}

size_t ht_plot_effect(ht_gnuplot *batch, const json_t *effect) {
    enum { LABEL = 10, ROTATED = 6 };
    const json_t *values = json_object_get(effect, "values");
    size_t index, count = json_array_size(values), ran = 0;
    json_t *value;
    json_array_foreach(values, index, value) ran += number_at(value, "best_ms") > 0;
    if (ran < 2)
        return SIZE_MAX;
    size_t number = ht_gnuplot_add(batch, "best and median time for each value", 340, 230);
    ht_text *script = script_begin(batch);
    json_array_foreach(values, index, value) if (number_at(value, "best_ms") > 0)
        ht_text_printf(script, "%zu %.6g %.6g\n", index, number_at(value, "best_ms"),
                       number_at(value, "median_ms"));
    ht_text_append(script, "END\nset xtics ");
    ht_text_append(script, count > ROTATED ? "rotate by -40 (" : "(");
    json_array_foreach(values, index, value) {
        ht_text_append(script, index ? ", " : "");
        ht_gnuplot_label(batch, ht_report_text_of(value, "value"), LABEL);
        ht_text_printf(script, " %zu", index);
    }
    ht_text_printf(
        script,
        ") noenhanced\n" AXIS(
            "y", "ms") "set yrange [0:*]\nset xrange [-0.5:%zu.5]\n"
                       "plot $d using 1:2 with linespoints pt 7 ps 0.6 lw 1.5 lc rgb " BLUE
                       " title 'best', $d using 1:3 with linespoints pt 6 ps 0.6 lw 1 lc rgb " GREY
                       " title 'median'\n",
        count - 1);
    return number;
}

/* ---- nights */

size_t ht_plot_history(ht_gnuplot *batch, const json_t *kernel) {
    const json_t *history = json_object_get(kernel, "history");
    size_t index, timed = 0;
    json_t *point;
    json_array_foreach(history, index, point) timed += number_at(point, "tuned") > 0;
    if (timed < 2)
        return SIZE_MAX;
    size_t number = ht_gnuplot_add(batch, "times over nights", 460, 270);
    ht_text *script = script_begin(batch);
    json_array_foreach(history, index, point) if (number_at(point, "tuned") > 0) ht_text_printf(
        script, "%lld %.6g %.6g\n", (long long)json_integer_value(json_object_get(point, "night")),
        number_at(point, "tuned"), number_at(point, "original"));
    long long first = json_integer_value(json_object_get(json_array_get(history, 0), "night"));
    long long last = json_integer_value(
        json_object_get(json_array_get(history, json_array_size(history) - 1), "night"));
    ht_text_printf(script, "END\nset xtics %lld\nset yrange [0:*]\n", 1 + (last - first) / 10);
    ht_text_append(script, AXIS("x", "night") AXIS("y", "multiples of calibration"));
    ht_text_append(script,
                   "plot $d using 1:2 with linespoints pt 7 ps 0.6 lw 2 lc rgb " BLUE
                   " title 'tuned', $d using 1:3 with linespoints pt 6 ps 0.6 lw 1.5 lc rgb " ORANGE
                   " title 'original'\n");
    return number;
}

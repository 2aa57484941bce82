#include "cli/reports/database/gnuplot.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/tool.h"
#include "cli/reports/html_page.h"

#include <stdlib.h>
#include <string.h>

typedef struct drawing {
    char *title;
    int width, height;
    char *svg; /* NULL: not drawn */
} drawing;

struct ht_gnuplot {
    ht_text script;
    drawing *items;
    size_t count;
    char **labels;
    size_t label_count;
    char *shapes;
};

/* Seconds that one run may take, for any number of drawings. */
static const double limit = 120;

ht_gnuplot *ht_gnuplot_new(void) {
    ht_gnuplot *batch = ht_alloc(1, sizeof *batch);
    ht_text_append(&batch->script, "set border 3 lc rgb " HT_GNUPLOT_INK "\n"
                                   "set tics nomirror textcolor rgb " HT_GNUPLOT_INK "\n"
                                   "set grid lc rgb " HT_GNUPLOT_GRID "\n"
                                   "set pointintervalbox 0\n"
                                   "set key textcolor rgb " HT_GNUPLOT_INK "\n");
    return batch;
}

void ht_gnuplot_free(ht_gnuplot *batch) {
    if (!batch)
        return;
    for (size_t i = 0; i < batch->count; ++i) {
        free(batch->items[i].title);
        free(batch->items[i].svg);
    }
    for (size_t i = 0; i < batch->label_count; ++i)
        free(batch->labels[i]);
    ht_text_free(&batch->script);
    free(batch->items);
    free(batch->labels);
    free(batch->shapes);
    free(batch);
}

size_t ht_gnuplot_add(ht_gnuplot *batch, const char *title, int width, int height) {
    HT_GROW(batch->items, batch->count);
    batch->items[batch->count] = (drawing){ht_strdup(title), width, height, NULL};
    ht_text_printf(&batch->script,
                   "set terminal svg size %d,%d dynamic font 'sans-serif,13' name 'plot%zu'\n"
                   "set output '%zu.svg'\n",
                   width, height, batch->count, batch->count);
    return batch->count++;
}

ht_text *ht_gnuplot_script(ht_gnuplot *batch) {
    return &batch->script;
}

/* Returns the text up to `length` characters (UTF-8), "..." at the end of what was cut. free(). */
static char *shortened(const char *text, size_t length) {
    size_t at = 0, characters = 0, cut = 0;
    for (; text[at]; ++at)
        if (((unsigned char)text[at] & 0xc0) != 0x80) {
            if (characters + 3 == length)
                cut = at;
            if (++characters > length)
                return ht_format("%.*s...", (int)cut, text);
        }
    return ht_strdup(text);
}

void ht_gnuplot_label(ht_gnuplot *batch, const char *label, size_t length) {
    HT_GROW(batch->labels, batch->label_count);
    ht_text_printf(&batch->script, "'[[%zu]]'", batch->label_count);
    batch->labels[batch->label_count++] = shortened(label, length);
}

/* ---- what gnuplot wrote, made part of a page */

/* Takes all from `begin` to `end` out, both included. */
static char *cut_all(const char *text, const char *begin, const char *end) {
    ht_text out = {0};
    const char *at = text, *from;
    while ((from = strstr(at, begin)) != NULL) {
        const char *to = strstr(from, end);
        if (!to)
            break;
        ht_text_append_n(&out, at, (size_t)(from - at));
        at = to + strlen(end);
    }
    ht_text_append(&out, at);
    return ht_text_take(&out);
}

/* Takes groups without content out, of which gnuplot writes many. */
static char *empty_groups_cut(const char *text) {
    static const char begin[] = "<g fill=\"none\"", end[] = ">\n</g>\n";
    ht_text out = {0};
    const char *at = text, *from;
    while ((from = strstr(at, begin)) != NULL) {
        const char *close = strchr(from, '>');
        bool empty = close && strncmp(close, end, sizeof end - 1) == 0;
        const char *next = empty ? close + sizeof end - 1 : from + sizeof begin - 1;
        ht_text_append_n(&out, at, (size_t)((empty ? from : next) - at));
        at = next;
    }
    ht_text_append(&out, at);
    return ht_text_take(&out);
}

/* Puts the labels where their numbers stand. */
static char *labels_put(const ht_gnuplot *batch, const char *text) {
    ht_text out = {0};
    const char *at = text, *from;
    while ((from = strstr(at, "[[")) != NULL) {
        char *end;
        size_t number = strtoul(from + 2, &end, 10);
        bool is = end > from + 2 && strncmp(end, "]]", 2) == 0 && number < batch->label_count;
        ht_text_append_n(&out, at, (size_t)(from + (is ? 0 : 2) - at));
        if (is)
            ht_html_text(batch->labels[number], &out);
        at = is ? end + 2 : from + 2;
    }
    ht_text_append(&out, at);
    return ht_text_take(&out);
}

/* Replaces *text by what a step makes of it. */
static void step(char **text, char *made) {
    free(*text);
    *text = made;
}

static char *page_part(const ht_gnuplot *batch, const drawing *of, const char *svg) {
    const char *open = strstr(svg, "<svg"), *body = open ? strchr(open, '>') : NULL;
    if (!body)
        return NULL;
    char *text = ht_strdup(body + 1);
    step(&text, cut_all(text, "<title>", "</title>"));
    step(&text, cut_all(text, "<desc>", "</desc>\n"));
    step(&text, cut_all(text, "<defs>", "</defs>\n"));
    step(&text, empty_groups_cut(text));
    step(&text, ht_text_replaced(text, " id=\"gnuplot_canvas\"", ""));
    step(&text, ht_text_replaced(text, "rgb(  1,   2,   3)", "currentColor"));
    step(&text, ht_text_replaced(text, "rgb(1,2,3)", "currentColor"));
    step(&text, labels_put(batch, text));
    ht_text out = {0};
    ht_text_printf(&out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", of->width,
                   of->height);
    ht_html_text(of->title, &out);
    ht_text_printf(&out, "\">%s", text);
    free(text);
    return ht_text_take(&out);
}

static ht_status drawings_take(ht_gnuplot *batch, const char *folder, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < batch->count && status == HT_OK; ++i) {
        char *name = ht_format("%zu.svg", i), *path = ht_path_join(folder, name), *svg = NULL;
        status = ht_file_read_text(path, "a drawing", &svg, error);
        const char *begin = svg ? strstr(svg, "<defs>") : NULL;
        const char *end = begin ? strstr(begin, "</defs>") : NULL;
        if (end && !batch->shapes)
            batch->shapes = ht_strndup(begin, (size_t)(end - begin) + strlen("</defs>"));
        if (svg)
            batch->items[i].svg = page_part(batch, &batch->items[i], svg);
        free(svg);
        free(path);
        free(name);
    }
    return status;
}

static ht_status gnuplot_run(const ht_gnuplot *batch, const char *folder, ht_error *error) {
    char *path = ht_path_join(folder, "plots.gp");
    const char *const words[] = {"gnuplot", "--default-settings", "plots.gp", NULL};
    const ht_tool_call call = {.arguments = words, .seconds = limit, .folder = folder};
    ht_text out = {0};
    int code = 0;
    ht_status status = ht_file_write(path, batch->script.data, batch->script.length, error);
    if (status == HT_OK)
        status = ht_tool_run(&call, &out, &code, error);
    if (status == HT_OK && code != 0)
        status = ht_error_set(error, HT_ERROR_INTERNAL, "gnuplot failed (exit code %d): %.300s",
                              code, out.data ? out.data : "");
    ht_text_free(&out);
    free(path);
    return status;
}

ht_status ht_gnuplot_draw(ht_gnuplot *batch, ht_error *error) {
    char *found = ht_tool_find("gnuplot");
    ht_scratch scratch = {0};
    if (!found)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "gnuplot is not installed: the page has no plots; install it (Debian: "
                            "gnuplot-nox)");
    free(found);
    if (batch->count == 0)
        return HT_OK;
    ht_text_append(&batch->script, "set output\n");
    ht_status status = ht_scratch_make("plots", &scratch, error);
    if (status == HT_OK)
        status = gnuplot_run(batch, scratch.path, error);
    if (status == HT_OK)
        status = drawings_take(batch, scratch.path, error);
    ht_scratch_remove(&scratch);
    return status;
}

const char *ht_gnuplot_svg(const ht_gnuplot *batch, size_t number) {
    return number < batch->count ? batch->items[number].svg : NULL;
}

const char *ht_gnuplot_shapes(const ht_gnuplot *batch) {
    return batch->shapes ? batch->shapes : "";
}

#include "runtime/compile/compile_log.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/compile/compile_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_SHOWN = 3, LINES_SHOWN = 24 };

/* The place that the head of a diagnostic names. */
typedef enum site {
    SITE_AUTHOR, /* in the author's code */
    SITE_NAME,   /* in a name expression */
    SITE_HEADER  /* in the providers' headers */
} site;

typedef struct diagnostic {
    const char *begin, *end; /* the head and the lines that show its place */
    const char *words;       /* in the head: "error: ..." */
    site site;
    const ht_asked_name *name; /* of SITE_NAME; NULL: unknown */
} diagnostic;

typedef struct report {
    const ht_asked_names *names;
    diagnostic *items; /* owned */
    size_t count;
    ht_text text;
    int lines, errors;
} report;

static const char *line_end(const char *line) {
    return line + strcspn(line, "\n");
}

/* Returns "error: ..." of "k.hip:3:12: error: ..."; NULL where the line is not a head. */
static const char *words_find(const char *line) {
    static const char *const kinds[] = {"fatal error: ", "error: ", "warning: ", "note: "};
    const char *end = line_end(line), *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const char *at = memmem(line, (size_t)(end - line), kinds[i], strlen(kinds[i]));
        bool whole = at && (at == line || (at - line > 1 && at[-1] == ' ' && at[-2] == ':') ||
                            (at - line == 6 && ht_text_begins(line, "ptxas ")));
        if (whole && (!first || at < first))
            first = at;
    }
    return first;
}

static bool is_error(const diagnostic *in) {
    return ht_text_begins(in->words, "error: ") || ht_text_begins(in->words, "fatal error: ");
}

/* ---- whose place */

/* Returns the expression that the host's place names, in front of ":1:COLUMN". */
static const ht_asked_name *name_by_text(const ht_asked_names *names, const char *text,
                                         const char *end) {
    const ht_asked_name *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; names && i < names->count; ++i) {
        size_t length = strlen(names->items[i].expression);
        if (length >= longest && length <= (size_t)(end - text) && text[length] == ':' &&
            memcmp(text, names->items[i].expression, length) == 0) {
            found = &names->items[i];
            longest = length;
        }
    }
    return found;
}

/* Returns the expression that hiprtc's line of code shows: "extern "C" constexpr auto __hiprtc_1 =
 * k<64, 2>;". */
static const ht_asked_name *name_by_code(const ht_asked_names *names, const diagnostic *in) {
    for (size_t i = 0; names && i < names->count; ++i) {
        char *code = ht_format("= %s;", names->items[i].expression);
        bool found = memmem(in->begin, (size_t)(in->end - in->begin), code, strlen(code)) != NULL;
        free(code);
        if (found)
            return &names->items[i];
    }
    return NULL;
}

/* Returns one that has a word of the message, quoted there; else the first. */
static const ht_asked_name *name_by_word(const ht_asked_names *names, const char *words) {
    const char *end = line_end(words);
    const char *quote = memchr(words, '"', (size_t)(end - words));
    size_t length = quote ? strcspn(quote + 1, "\"\n") : 0;
    for (size_t i = 0; names && length && i < names->count; ++i)
        if (memmem(names->items[i].expression, strlen(names->items[i].expression), quote + 1,
                   length))
            return &names->items[i];
    return names && names->count ? &names->items[0] : NULL;
}

static bool is_known_header(const char *name, size_t length) {
    static const char *const names[] = {"ht_core.h",  "ht_fp16.h",    "ht_half.h",
                                        "ht_names.h", "ht_prelude.h", "ht_std.h",
                                        "ht_types.h", "ht_vector.h",  "ht_wave.h"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

/* Returns true for "/tmp/.../prelude/ht_core.h:322:52", or "ht_core.h(12)" where headers have no
 * folder. */
static bool is_header(const char *place, const char *end) {
    static const char folder[] = "/prelude/";
    const char *name = memrchr(place, '/', (size_t)(end - place));
    name = name ? name + 1 : place;
    size_t before = (size_t)(name - place), length = strcspn(name, ":(\n");
    if (before == 0)
        return is_known_header(name, length);
    return before >= sizeof folder - 1 &&
           memcmp(name - (sizeof folder - 1), folder, sizeof folder - 1) == 0 &&
           ht_text_begins(name, "ht_");
}

static void site_find(const ht_asked_names *names, diagnostic *in) {
    const char *place = in->begin;
    if (ht_text_begins(place, HT_NAME_EXPRESSIONS ":")) {
        in->site = SITE_NAME;
        in->name = name_by_code(names, in);
    } else if (ht_text_begins(place, HT_NAME_EXPRESSION)) {
        in->site = SITE_NAME;
        in->name = name_by_text(names, place + sizeof HT_NAME_EXPRESSION - 1, in->words);
    } else if (ht_text_begins(place, "__nv_name_map")) {
        in->site = SITE_NAME;
        in->name = name_by_word(names, in->words);
    } else if (is_header(place, in->words)) {
        in->site = SITE_HEADER;
    }
}

/* ---- reading */

/* Returns true for "1 warning and 1 error generated.", from which nothing more can be learnt
 * here. */
static bool is_summary(const char *line) {
    static const char tail[] = " generated.";
    size_t length = (size_t)(line_end(line) - line);
    return isdigit((unsigned char)*line) && length > sizeof tail &&
           memcmp(line + length - (sizeof tail - 1), tail, sizeof tail - 1) == 0;
}

static void log_read(const char *log, report *out) {
    diagnostic *open = NULL;
    for (const char *line = log; *line;) {
        const char *end = line_end(line), *words = words_find(line);
        if (words) {
            HT_GROW(out->items, out->count);
            open = &out->items[out->count++];
            *open = (diagnostic){.begin = line, .end = end, .words = words};
        } else if (is_summary(line) || ht_text_begins(line, "In file included from ")) {
            open = NULL; /* units are whole: only the providers' headers are included */
        } else if (open) {
            open->end = end;
        }
        line = end + (*end != 0);
    }
    for (size_t i = 0; i < out->count; ++i)
        site_find(out->names, &out->items[i]);
}

/* ---- writing */

static void line_put(report *out, const char *line, size_t length) {
    if (out->lines++ > 0)
        ht_text_append(&out->text, "\n");
    ht_text_append_n(&out->text, line, length);
}

/* Writes the head with `place` for its own place (NULL: as it is). */
static void head_put(report *out, const diagnostic *in, const char *place) {
    char *words = ht_compile_words(in->words, (size_t)(line_end(in->words) - in->words));
    char *own = ht_format("%.*s", (int)(in->words - in->begin), in->begin);
    char *head = place ? ht_format("%s: %s", place, words) : ht_format("%s%s", own, words);
    line_put(out, head, strlen(head));
    free(head);
    free(own);
    free(words);
}

static void snippet_put(report *out, const diagnostic *in) {
    for (const char *at = line_end(in->begin); at < in->end && out->lines < LINES_SHOWN;) {
        const char *line = at + 1, *end = line_end(line);
        line_put(out, line, (size_t)(end - line));
        at = end;
    }
}

static void name_put(report *out, const diagnostic *in) {
    if (!in->name) {
        head_put(out, in, "a kernel's template arguments");
        return;
    }
    const ht_place *at = &in->name->place;
    char *place = at->line ? ht_format("%s:%d:%d", at->file, at->line, at->column)
                           : ht_strdup(at->file ? at->file : "a kernel's template arguments");
    const char *expression = in->name->expression;
    char *shown = ht_format("      | %s", expression + (*expression == '&'));
    head_put(out, in, place);
    line_put(out, shown, strlen(shown));
    free(shown);
    free(place);
}

static void diagnostic_put(report *out, const diagnostic *in) {
    if (in->site == SITE_NAME)
        name_put(out, in);
    else if (in->site == SITE_AUTHOR) {
        head_put(out, in, NULL);
        snippet_put(out, in);
    } else if (is_error(in))
        head_put(out, in, "hip/hip_runtime.h");
}

/* Finds the error of a brace that is never closed. It stands at the end of all, after what follows
 * the author's code, and has nothing to do with the text there. */
static const diagnostic *open_brace(const report *in) {
    for (size_t i = 0; i + 1 < in->count; ++i)
        if (is_error(&in->items[i]) && in->items[i].site != SITE_AUTHOR &&
            ht_text_begins(in->items[i].words, "error: expected '}'") &&
            ht_text_begins(in->items[i + 1].words, "note: to match this '{'") &&
            in->items[i + 1].site == SITE_AUTHOR)
            return &in->items[i + 1];
    return NULL;
}

static bool has_errors_at(const report *in, site site) {
    for (size_t i = 0; i < in->count; ++i)
        if (in->items[i].site == site && is_error(&in->items[i]))
            return true;
    return false;
}

static void all_put(report *out) {
    const diagnostic *brace = open_brace(out);
    if (brace) {
        diagnostic error = *brace;
        error.words = "error: this '{' is never closed";
        char *place = ht_format("%.*s", (int)(brace->words - brace->begin - 2), brace->begin);
        head_put(out, &error, place);
        snippet_put(out, brace);
        out->errors = 1;
        free(place);
        return;
    }
    /* Errors in the headers follow from those in the author's code. */
    bool headers = !has_errors_at(out, SITE_AUTHOR) && !has_errors_at(out, SITE_NAME);
    bool shown = true;
    for (size_t i = 0; i < out->count && out->lines < LINES_SHOWN; ++i) {
        const diagnostic *in = &out->items[i];
        if (is_error(in)) {
            shown = in->site != SITE_HEADER || headers;
            out->errors += shown;
        }
        if (out->errors > ERRORS_SHOWN)
            break;
        if (shown && out->errors > 0)
            diagnostic_put(out, in);
    }
}

ht_status ht_compile_log_error(const char *log, const char *otherwise, const ht_asked_names *names,
                               ht_error *error) {
    report out = {.names = names};
    log_read(log, &out);
    all_put(&out);
    ht_status status = ht_error_set(error, HT_ERROR_COMPILE, "%s",
                                    out.errors > 0 ? out.text.data
                                    : *log         ? log
                                                   : otherwise);
    ht_text_free(&out.text);
    free(out.items);
    return status;
}

#include "refactor/rewrite/long_launch.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/plan/launch_ahead.h"
#include "refactor/source/lexer.h"
#include "refactor/source/names.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100 };

typedef struct declaring {
    const ht_source *source;
    ht_replacement **items;
    size_t *count, owner;
    ht_names given;
} declaring;

static int by_place(const void *a, const void *b) {
    const ht_replacement *one = *(const ht_replacement *const *)a;
    const ht_replacement *other = *(const ht_replacement *const *)b;
    return one->range.begin < other->range.begin ? -1 : one->range.begin > other->range.begin;
}

/* Returns the text of a range with the replacements in it, whose number is *out_count; free().
 * NULL: one reaches out of it. */
static char *replaced(const declaring *in, ht_range range, size_t *out_count) {
    const ht_replacement **inner = ht_alloc(*in->count + 1, sizeof *inner);
    size_t count = 0, at = range.begin;
    bool whole = true;
    for (size_t i = 0; i < *in->count; ++i) {
        const ht_replacement *item = &(*in->items)[i];
        bool apart = item->range.end <= range.begin || range.end <= item->range.begin;
        if (ht_range_within(item->range, range) && item->range.begin < item->range.end)
            inner[count++] = item;
        else if (!apart)
            whole = false;
    }
    qsort(inner, count, sizeof *inner, by_place);
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < count && whole; ++i) {
        whole = inner[i]->range.begin >= at;
        if (!whole)
            break;
        ht_text_append_n(&text, in->source->text + at, inner[i]->range.begin - at);
        ht_text_append(&text, inner[i]->text);
        at = inner[i]->range.end;
    }
    ht_text_append_n(&text, in->source->text + at, range.end - at);
    free(inner);
    *out_count = count;
    if (whole)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

/* Returns the lines that hold the argument. */
static ht_range lines_of(const declaring *in, ht_range argument) {
    const char *text = in->source->text;
    return (ht_range){ht_line_begin(text, argument.begin),
                      argument.end + strcspn(text + argument.end, "\n")};
}

static size_t longest_line(const char *text, size_t length) {
    size_t longest = 0;
    for (const char *at = text, *end = text + length; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop ? stop : end) - at);
        longest = size > longest ? size : longest;
        at += size + 1;
    }
    return longest;
}

/* Returns true if the argument's lines become too long, and longer than the author has them. */
static bool is_too_long(const declaring *in, ht_range argument) {
    ht_range lines = lines_of(in, argument);
    size_t count;
    char *text = replaced(in, lines, &count);
    size_t own = longest_line(in->source->text + lines.begin, lines.end - lines.begin);
    bool longer =
        text && count && longest_line(text, strlen(text)) > (own > COLUMNS ? own : COLUMNS);
    free(text);
    return longer;
}

/* Returns true if the name stands in a text, but for its comments. */
static bool stands_in_code(const char *text, const char *name) {
    ht_tokens tokens;
    bool found = false;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i)
        found = found || ht_tokens_is(&tokens, i, name);
    ht_tokens_free(&tokens);
    return found;
}

/* Returns true if a text that is written has the name. */
static bool is_written(const declaring *in, const char *name) {
    bool found = ht_names_has(&in->given, name);
    for (size_t i = 0; i < *in->count; ++i) {
        const char *text = (*in->items)[i].text;
        found = found || stands_in_code(text, name);
    }
    return found;
}

/* Returns a name for a value, or the kernel's with it, that the function around the launch does not
 * have; free(). */
static char *name_make(declaring *in, const ht_plan *plan, const ht_launch_site *site,
                       const char *value) {
    size_t file;
    ht_range function;
    if (!ht_source_range(in->source, site->function, &file, &function) || file != 0)
        return NULL;
    char *own = ht_name_joined(plan->model->name, value), *found = NULL;
    const char *const words[] = {value, own};
    for (size_t i = 0; i < sizeof words / sizeof *words && !found; ++i)
        if (!is_written(in, words[i]) && !ht_name_stands(in->source->text + function.begin,
                                                         function.end - function.begin, words[i]))
            found = ht_strdup(words[i]);
    free(own);
    if (found)
        ht_names_add(&in->given, found);
    return found;
}

static void item_add(declaring *in, ht_range range, char *text) {
    ht_replacement *items = *in->items;
    HT_GROW(items, *in->count);
    items[*in->count] = (ht_replacement){
        .range = range, .text = text, .owner = in->owner, .order = SIZE_MAX / 2 + *in->count};
    ++*in->count;
    *in->items = items;
}

static void items_drop(declaring *in, ht_range range) {
    size_t left = 0;
    for (size_t i = 0; i < *in->count; ++i) {
        ht_replacement *item = &(*in->items)[i];
        if (ht_range_within(item->range, range))
            free(item->text);
        else
            (*in->items)[left++] = *item;
    }
    *in->count = left;
}

/* Returns true of a variable's name, which a name of its own would make no shorter. */
static bool is_name(const char *text) {
    for (; *text; ++text)
        if (!ht_name_has(*text))
            return false;
    return true;
}

/* Returns the length of the threads in a grid of one axis, "(n + 3) / 4" in "((n + 3) / 4 + 127) /
 * 128"; 0: it is written otherwise. */
static size_t threads_length(const char *text) {
    int depth = 1;
    size_t at = 2;
    if (strncmp(text, "((", 2) != 0)
        return 0;
    for (; text[at] && depth; ++at)
        depth += (text[at] == '(') - (text[at] == ')');
    if (strncmp(text + at, " / ", 3) != 0)
        return 0;
    at += 3;
    while (ht_name_has(text[at]))
        ++at;
    return strncmp(text + at, " + ", 3) == 0 && strstr(text + at, ") / ") ? at - 1 : 0;
}

/* Returns the begin of the statement that has the text: the launch, or the declaration of its grid.
 * SIZE_MAX: neither. */
static size_t statement_begin(const declaring *in, const ht_launch_site *site, ht_range place,
                              const ht_plan *plan, size_t *out_line) {
    size_t file;
    ht_range own;
    if (site->grid.has_argument && ht_range_within(place, site->grid.argument))
        return ht_launch_ahead_place(plan, site, out_line) ? site->grid.argument.begin : SIZE_MAX;
    bool declared = !clang_Cursor_isNull(site->grid.variable) &&
                    ht_source_range(in->source, site->grid.variable, &file, &own) && file == 0 &&
                    ht_range_within(place, own);
    return declared && ht_launch_ahead_of(plan, site, own.begin, out_line) ? own.begin : SIZE_MAX;
}

/* Returns true if the author's own text divides threads that it computes within. */
static bool divides_threads(const declaring *in, ht_range place) {
    char *text = ht_strndup(in->source->text + place.begin, place.end - place.begin);
    bool divides = threads_length(text) > 0;
    free(text);
    return divides;
}

/* Declares the threads along an axis ahead of the statement that divides them into blocks, so that
 * this looks as the author's. Does nothing where that cannot be. */
static void declare_threads(declaring *in, const ht_plan *plan, const ht_launch_site *site,
                            int axis) {
    const ht_symbol *grid = site->grid.axis[axis];
    while (grid && grid->kind == HT_SYMBOL_VARIABLE && grid->value_of)
        grid = grid->value_of;
    if (!grid || !grid->has_place || grid->bits != 32 ||
        ht_source_at(in->source, grid->place.begin) || divides_threads(in, grid->place))
        return;
    size_t line, count, length = 0;
    char *text = replaced(in, grid->place, &count);
    bool wanted = text && count && !strchr(text, '\n') && (length = threads_length(text)) > 0 &&
                  statement_begin(in, site, grid->place, plan, &line) < SIZE_MAX;
    char *value = ht_strdup("threads");
    for (int other = 0; other < axis; ++other)
        if (wanted && is_written(in, value)) {
            char letter[2] = {(char)('x' + axis), 0};
            free(value);
            value = ht_name_joined("threads", letter);
        }
    char *name = wanted ? name_make(in, plan, site, value) : NULL;
    if (name) {
        const char *own = in->source->text + line;
        items_drop(in, grid->place);
        item_add(in, (ht_range){line, line},
                 ht_format("%.*sconst %s %s = %.*s;\n", (int)strspn(own, " \t"), own,
                           grid->is_unsigned ? "unsigned" : "int", name, (int)length, text + 1));
        item_add(in, grid->place, ht_format("(%s%s", name, text + 1 + length));
    }
    free(value);
    free(text);
    free(name);
}

/* Declares the grid ahead of the launch. */
static void declare(declaring *in, const ht_plan *plan, const ht_launch_site *site) {
    static const char type[] = "dim3(";
    ht_range argument = site->grid.argument;
    size_t line, count;
    char *text = replaced(in, argument, &count);
    bool wanted = text && count && !strchr(text, '\n') && !is_name(text);
    char *name = wanted && ht_launch_ahead_place(plan, site, &line)
                     ? name_make(in, plan, site, "grid")
                     : NULL;
    if (name) {
        bool built = strncmp(text, type, sizeof type - 1) == 0;
        bool constant = strstr(in->source->text, "const dim3 ") != NULL;
        const char *own = in->source->text + line;
        items_drop(in, argument);
        item_add(in, (ht_range){line, line},
                 ht_format("%.*s%sdim3 %s%s%s%s;\n", (int)strspn(own, " \t"), own,
                           constant ? "const " : "", name, built ? "" : "(",
                           text + (built ? sizeof type - 2 : 0), built ? "" : ")"));
        item_add(in, argument, ht_strdup(name));
    }
    free(name);
    free(text);
}

void ht_long_launches_declare(const ht_plan *plan, ht_replacement **items, size_t *count,
                              size_t owner) {
    const ht_launches *launches = &plan->model->facts->launches;
    declaring in = {
        .source = plan->model->facts->source, .items = items, .count = count, .owner = owner};
    for (size_t i = 0; i < launches->count; ++i) {
        const ht_launch_site *site = &launches->items[i];
        if (site->file != 0 || site->in_macro)
            continue;
        for (int axis = 0; axis < 3; ++axis)
            declare_threads(&in, plan, site, axis);
        if (site->grid.has_argument && is_too_long(&in, site->grid.argument))
            declare(&in, plan, site);
    }
    ht_names_free(&in.given);
}

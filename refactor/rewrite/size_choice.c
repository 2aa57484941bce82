#include "refactor/rewrite/size_choice.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/plan/launch_ahead.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/rewrite/size_condition.h"
#include "refactor/source/names.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100 };

/* The places of a launch that may change. */
typedef struct places {
    ht_range name; /* with template arguments, without namespaces */
    ht_range arguments;
    size_t qualifier; /* where the namespaces begin */
    size_t line;
} places;

typedef struct choosing {
    const ht_kernel_work *work;
    const ht_model *model;
    const ht_template *template;
    const ht_size_samples *sizes;
    const ht_replacement *given; /* as they were; borrowed */
    size_t given_count;
    ht_replacement *made; /* owned */
    size_t made_count;
    char *kept;  /* the original kernel's name; owned; NULL: the kernel stays as it is */
    char *asked; /* the variable of the launch at hand; owned */
    bool ahead;  /* declarations ahead of that launch ask, too */
} choosing;

static bool places_find(const choosing *in, const ht_launch_site *site, places *out) {
    const ht_source *source = in->model->facts->source;
    size_t base = source->files[site->file].base;
    bool found = !site->in_macro && site->file == 0 && site->grid.has_argument &&
                 site->block.has_argument &&
                 base + site->range.begin > in->model->definition.range.end &&
                 ht_launch_name_place(in->model, site, &out->name, &out->arguments) &&
                 ht_launch_ahead_place(&in->work->plan, site, &out->line);
    if (found)
        out->qualifier = ht_qualifier_begin(in->model->text, out->name.begin);
    return found;
}

/* Returns the function around the launch, from its name on; an empty range: it is not of this file,
 * or has further launches of the kernel. */
static ht_range function_of(const choosing *in, const ht_launch_site *site) {
    const ht_launches *launches = &in->model->facts->launches;
    size_t file, count = 0;
    ht_range function;
    if (!ht_source_range(in->model->facts->source, site->function, &file, &function) || file != 0)
        return (ht_range){0, 0};
    for (size_t i = 0; i < launches->count; ++i)
        count += launches->items[i].file == 0 &&
                 ht_range_within(
                     (ht_range){launches->items[i].range.begin, launches->items[i].range.begin},
                     function);
    return count == 1 ? function : (ht_range){0, 0};
}

/* Returns true if a replacement is of a declaration ahead of the launch, in its function's body. */
static bool is_declared(const choosing *in, const ht_launch_site *site, const places *at,
                        const ht_replacement *item) {
    ht_range function = function_of(in, site);
    const char *body = memchr(in->model->text + function.begin, '{', function.end - function.begin);
    return body && item->range.begin < item->range.end && item->range.end <= at->line &&
           in->model->text + item->range.begin > body;
}

/* Returns true if a replacement is of the kernel, or of what a launch chooses. Lines that
 * are put ahead of the kernel change nothing that the original reaches. */
static bool is_chosen(const choosing *in, const ht_replacement *item) {
    const ht_launches *launches = &in->model->facts->launches;
    ht_range range = item->range, kernel = in->model->definition.range;
    bool ahead = range.begin == range.end && range.end <= kernel.begin &&
                 strspn(in->model->text + range.end, " \t\r\n") >= kernel.begin - range.end;
    bool chosen = ht_range_within(range, kernel) || ahead;
    for (size_t i = 0; i < launches->count && !chosen; ++i) {
        const ht_launch_site *site = &launches->items[i];
        places at;
        chosen = places_find(in, site, &at) &&
                 (ht_range_within(range, site->grid.argument) ||
                  ht_range_within(range, site->block.argument) || ht_range_within(range, at.name) ||
                  is_declared(in, site, &at, item));
    }
    return chosen;
}

/* Returns why the launches cannot choose by the size; NULL: they can; free(). */
static char *obstacle(const choosing *in, const ht_values *values) {
    const ht_model *model = in->model;
    const ht_launches *launches = &model->facts->launches;
    if (launches->count == 0)
        return ht_strdup("its launch is not in the file");
    if (launches->other_use_line)
        return ht_format("its name is used in line %d", launches->other_use_line);
    if (model->definition.is_declared_ahead)
        return ht_strdup("it is declared ahead of its definition");
    if (ht_launch_fallback_of(&in->work->plan, &in->work->grid, values) != HT_FALLBACK_NONE)
        return ht_strdup("its launch chooses between two blocks already");
    for (size_t i = 0; i < launches->count; ++i) {
        places at;
        if (!places_find(in, &launches->items[i], &at))
            return ht_format(
                "the launch in line %d is no statement of its own line that can choose",
                launches->items[i].line);
    }
    for (size_t i = 0; i < in->given_count; ++i)
        if (!is_chosen(in, &in->given[i])) {
            const ht_source *source = model->facts->source;
            size_t file = ht_source_at(source, in->given[i].range.begin), line = 1;
            for (size_t at = source->files[file].base; at < in->given[i].range.begin; ++at)
                line += model->text[at] == '\n';
            return ht_format("line %zu changes too, which the original's launch is made of", line);
        }
    return NULL;
}

/* ---- the condition ---- */

/* Returns true for a name, a field or a number, which may be repeated at the launch. */
static bool is_plain(const char *text, size_t length) {
    bool plain = length > 0;
    for (size_t i = 0; i < length; ++i)
        plain = plain && (ht_name_has(text[i]) || text[i] == '.');
    return plain && !(text[0] >= '0' && text[0] <= '9');
}

static const ht_arg *argument_of(const choosing *in, const char *parameter) {
    for (size_t i = 0; i < in->template->arg_count; ++i) {
        const ht_arg *arg = &in->template->args[i];
        bool number = arg->role == HT_ARG_SCALAR && !arg->is_struct && !arg->is_pointed &&
                      !arg->is_real && arg->value_count == 1;
        if (number && strcmp(arg->name, parameter) == 0)
            return arg;
    }
    return NULL;
}

/* Returns true if the function has the number from its begin on: as a parameter. */
static bool is_parameter(const choosing *in, const ht_launch_site *site, const char *text) {
    ht_range function = function_of(in, site);
    const char *begin = in->model->text + function.begin;
    const char *body = memchr(begin, '{', function.end - function.begin);
    char *name = ht_strndup(text, strcspn(text, "."));
    bool found = body && ht_name_stands(begin, (size_t)(body - begin), name);
    free(name);
    return found;
}

/* Takes over `text`. */
static void number_add(const choosing *in, const ht_launch_site *site, char *text,
                       const ht_expr *value, ht_host_number **numbers, size_t *count) {
    if (in->ahead && !is_parameter(in, site, text)) {
        free(text);
        return;
    }
    HT_GROW(*numbers, *count);
    (*numbers)[(*count)++] = (ht_host_number){text, value};
}

/* Adds the kernel's whole numbers, by the words that the launch passes them with. */
static void arguments_add(const choosing *in, const ht_launch_site *site, ht_host_number **numbers,
                          size_t *count) {
    const ht_source *source = in->model->facts->source;
    for (size_t i = 0; i < site->argument_count && i < in->model->parameters.count; ++i) {
        const ht_parameter *parameter = &in->model->parameters.items[i];
        const ht_arg *arg = parameter->is_integer ? argument_of(in, parameter->name) : NULL;
        size_t file;
        ht_range range;
        if (!arg || !ht_source_range(source, site->arguments[i], &file, &range))
            continue;
        const char *text = source->files[file].text + range.begin;
        if (is_plain(text, range.end - range.begin))
            number_add(in, site, ht_strndup(text, range.end - range.begin), arg->values[0], numbers,
                       count);
    }
}

/* Adds the host's variables that the problem says, if the function names them ahead of the
 * launch. */
static void variables_add(const choosing *in, const ht_launch_site *site, ht_host_number **numbers,
                          size_t *count) {
    const ht_source *source = in->model->facts->source;
    const ht_problem_entry *entry = in->model->entry;
    size_t file;
    ht_range function;
    if (!entry || !ht_source_range(source, site->function, &file, &function) || file != site->file)
        return;
    const char *text = source->files[file].text + function.begin;
    for (size_t i = 0; i < entry->host_count; ++i) {
        const char *name = entry->host[i].name;
        if (is_plain(name, strlen(name)) &&
            ht_name_stands(text, site->range.begin - function.begin, name))
            number_add(in, site, ht_strdup(name), entry->host[i].expr, numbers, count);
    }
}

static char *condition_of(const choosing *in, const ht_launch_site *site) {
    ht_host_number *numbers = NULL;
    size_t count = 0;
    variables_add(in, site, &numbers, &count);
    arguments_add(in, site, &numbers, &count);
    char *text = ht_size_condition(in->template, numbers, count, in->sizes);
    for (size_t i = 0; i < count; ++i)
        free((char *)(size_t)numbers[i].text);
    free(numbers);
    return text;
}

/* ---- writing ---- */

static void item_add(choosing *in, ht_range range, char *text) {
    HT_GROW(in->made, in->made_count);
    in->made[in->made_count] = (ht_replacement){.range = range, .text = text};
    ++in->made_count;
}

/* Returns the text of a range with the replacements in it, which are in the order of their places;
 * free(). */
static char *replaced(const choosing *in, ht_range range) {
    ht_text text = {0};
    size_t at = range.begin;
    ht_text_append(&text, "");
    for (size_t i = 0; i < in->given_count; ++i) {
        const ht_replacement *item = &in->given[i];
        if (!ht_range_within(item->range, range) || item->range.begin < at)
            continue;
        ht_text_append_n(&text, in->model->text + at, item->range.begin - at);
        ht_text_append(&text, item->text);
        at = item->range.end;
    }
    ht_text_append_n(&text, in->model->text + at, range.end - at);
    return ht_text_take(&text);
}

static char *dim3_of(const char *text, const char *other) {
    static const char type[] = "dim3(";
    bool wanted =
        strncmp(other, type, sizeof type - 1) == 0 && strncmp(text, type, sizeof type - 1) != 0;
    return ht_format(wanted ? "dim3(%s)" : "%s", text);
}

/* Lets an argument choose, if it is another one than the original's. */
static void argument_choose(choosing *in, ht_range argument) {
    char *new = replaced(in, argument);
    char *old = ht_strndup(in->model->text + argument.begin, argument.end - argument.begin);
    if (strcmp(new, old) != 0) {
        char *one = dim3_of(new, old), *other = dim3_of(old, new);
        bool chooses = strstr(one, " ? ") && strncmp(one, "dim3(", strlen("dim3(")) != 0;
        item_add(in, argument,
                 ht_format(chooses ? "%s ? (%s) : %s" : "%s ? %s : %s", in->asked, one, other));
        free(one);
        free(other);
    }
    free(new);
    free(old);
}

/* Returns a name that nothing in the file has, nor a text that is written; free(). */
static char *name_free(const choosing *in, char *wanted) {
    const ht_source *source = in->model->facts->source;
    char *name = ht_strdup(wanted);
    for (int number = 2;; ++number) {
        bool used = ht_source_names(source, 0, name);
        for (size_t i = 0; i < in->given_count; ++i)
            used = used || ht_name_stands(in->given[i].text, strlen(in->given[i].text), name);
        for (size_t i = 0; i < in->made_count; ++i)
            used = used || ht_name_stands(in->made[i].text, strlen(in->made[i].text), name);
        if (!used)
            break;
        free(name);
        name = ht_format("%s_%d", wanted, number);
    }
    free(wanted);
    return name;
}

/* Lets the name of the kernel choose. */
static void name_choose(choosing *in, const places *at) {
    const char *text = in->model->text;
    size_t own = strlen(in->model->name);
    char *new = replaced(in, at->name);
    int ahead = (int)(at->name.begin - at->qualifier);
    int listed = (int)(at->name.end - at->name.begin - own);
    item_add(in, (ht_range){at->qualifier, at->name.end},
             ht_format("(%s ? %.*s%s : %.*s%s%.*s)", in->asked, ahead, text + at->qualifier, new,
                       ahead, text + at->qualifier, in->kept, listed, text + at->name.begin + own));
    free(new);
}

/* Returns true if the replacement is all between commas or parentheses, or all that is assigned. */
static bool is_whole(const choosing *in, ht_range range) {
    const char *text = in->model->text;
    size_t begin = range.begin;
    while (begin > 0 && strchr(" \t\n", text[begin - 1]) && text[begin - 1])
        --begin;
    char after = text[range.end + strspn(text + range.end, " \t\n")];
    return begin > 0 && text[begin - 1] && strchr("(,={", text[begin - 1]) && after &&
           strchr("),;}", after);
}

/* Finds where lines ahead of the first declaration that changes begin; the launch's own line if
 * none does. Returns false where they are no statements. */
static bool ahead_find(choosing *in, const ht_launch_site *site, const places *at,
                       size_t *out_line) {
    const char *text = in->model->text;
    *out_line = at->line;
    in->ahead = false;
    for (size_t i = 0; i < in->given_count; ++i)
        if (is_declared(in, site, at, &in->given[i])) {
            in->ahead = true;
            *out_line = in->given[i].range.begin < *out_line ? in->given[i].range.begin : *out_line;
        }
    if (!in->ahead)
        return true;
    *out_line = ht_line_begin(text, *out_line);
    size_t before = *out_line;
    while (before > 0 && strchr(" \t\r\n", text[before - 1]) && text[before - 1])
        --before;
    return before > 0 && text[before - 1] && strchr(";{}", text[before - 1]);
}

/* Lets declarations choose. */
static void declarations_choose(choosing *in, const ht_launch_site *site, const places *at) {
    for (size_t i = 0; i < in->given_count; ++i) {
        const ht_replacement *item = &in->given[i];
        if (!is_declared(in, site, at, item))
            continue;
        int length = (int)(item->range.end - item->range.begin);
        const char *old = in->model->text + item->range.begin;
        item_add(in, item->range,
                 ht_format(is_whole(in, item->range) ? "%s ? %s : %.*s" : "(%s ? %s : %.*s)",
                           in->asked, item->text, length, old));
    }
}

/* Returns why the launch cannot choose; NULL: it does; free(). */
static char *launch_choose(choosing *in, const ht_launch_site *site) {
    static const char why[] = " // else the original is faster";
    const char *text = in->model->text;
    places at;
    size_t first;
    bool found = places_find(in, site, &at) && ahead_find(in, site, &at, &first);
    char *condition = found ? condition_of(in, site) : NULL;
    if (!condition)
        return ht_format("nothing in line %d distinguishes those sizes from the others",
                         site->line);
    free(in->asked);
    in->asked = name_free(in, ht_strdup("tuned"));
    int blank = (int)strspn(text + first, " \t");
    const char *indent = text + first;
    char *line = ht_format("%.*sconst bool %s = %s;", blank, indent, in->asked, condition);
    bool fits = strlen(line) + sizeof why <= COLUMNS;
    item_add(in, (ht_range){first, first},
             fits ? ht_format("%s%s\n", line, why)
                  : ht_format("%.*s%s\n%s\n", blank, indent, why + 1, line));
    if (in->ahead)
        declarations_choose(in, site, &at);
    argument_choose(in, site->grid.argument);
    argument_choose(in, site->block.argument);
    if (in->kept)
        name_choose(in, &at);
    free(line);
    free(condition);
    return NULL;
}

/* Adds the original kernel under its other name. */
static void kernel_keep(choosing *in) {
    const ht_model *model = in->model;
    ht_range range = model->definition.range;
    size_t name = model->definition.name_begin, after = name + strlen(model->name);
    item_add(in, (ht_range){range.end, range.end},
             ht_format("\n\n// as it was, for sizes at which it is faster\n%.*s%s%.*s",
                       (int)(name - range.begin), model->text + range.begin, in->kept,
                       (int)(range.end - after), model->text + after));
}

static bool is_of_launch(const choosing *in, const ht_replacement *item) {
    return !ht_range_within(item->range, in->model->definition.range) &&
           item->range.begin > in->model->definition.range.end;
}

/* Returns true if more than the launches changes. */
static bool is_kernel_changed(const choosing *in) {
    bool changed = false;
    for (size_t i = 0; i < in->given_count; ++i)
        changed = changed || !is_of_launch(in, &in->given[i]);
    return changed;
}

/* Puts what was made in the place of the launches' replacements. */
static void settle(choosing *in, ht_replacement **items, size_t *count) {
    size_t left = 0;
    for (size_t i = 0; i < *count; ++i) {
        if (is_of_launch(in, &(*items)[i]))
            free((*items)[i].text);
        else
            (*items)[left++] = (*items)[i];
    }
    *count = left;
    for (size_t i = 0; i < in->made_count; ++i) {
        HT_GROW(*items, *count);
        (*items)[(*count)++] = in->made[i];
    }
    in->made_count = 0;
}

char *ht_size_choice_write(const ht_kernel_work *work, const ht_values *values,
                           const ht_size_samples *sizes, ht_replacement **items, size_t *count) {
    choosing in = {.work = work,
                   .model = &work->model,
                   .template = values->template,
                   .sizes = sizes,
                   .given = *items,
                   .given_count = *count};
    const ht_launches *launches = &in.model->facts->launches;
    char *why = obstacle(&in, values);
    if (why)
        return why;
    if (is_kernel_changed(&in))
        in.kept = name_free(&in, ht_name_joined(in.model->name, "plain"));
    for (size_t i = 0; i < launches->count && !why; ++i)
        why = launch_choose(&in, &launches->items[i]);
    if (!why) {
        if (in.kept)
            kernel_keep(&in);
        settle(&in, items, count);
    }
    for (size_t i = 0; i < in.made_count; ++i)
        free(in.made[i].text);
    free(in.made);
    free(in.kept);
    free(in.asked);
    return why;
}

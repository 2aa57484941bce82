#include "refactor/plan/render.h"
#include "base/memory.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/value_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_EDIT = -1, DEPTH_MAX = 64 };

typedef struct rendering {
    const ht_plan *plan;
    const ht_values *values;
    const char *sized; /* a parameter that is 0 in the general kernel of an applied source, where
                          edits that need sizes are off; NULL: there is no general kernel */
    int *parent;       /* by edit: the nearest active edit around it */
    bool *active;
    unsigned *shown;
    char *problem;
    const char *watched; /* "A,B": parameters; NULL: none */
    bool seen;           /* a value of one of them was printed */
} rendering;

/* The source of parameters' values. */
typedef struct chosen {
    const ht_values *values;
    /* plan whose general kernel is meant; NULL: the kernel with constant sizes */
    const ht_plan *general;
} chosen;

static const ht_planned_param *planned(const ht_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].name, name) == 0)
            return &plan->params.items[i];
    return NULL;
}

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    const chosen *of = context;
    const ht_planned_param *own = of->general ? planned(of->general, name) : NULL;
    for (size_t i = 0; i < of->values->template->param_count; ++i) {
        const ht_param *param = &of->values->template->params[i];
        if (strcmp(param->name, name) != 0)
            continue;
        size_t choice = own && own->by_size ? param->default_index : of->values->config->choice[i];
        *out_value = param->values[choice].number;
        return true;
    }
    return false;
}

static bool evaluate(const chosen *of, const char *expression, int64_t *out_value) {
    ht_scope scope = {.lookup = lookup, .context = of};
    return ht_expr_text_value(expression, &scope, out_value);
}

bool ht_plan_value(const ht_values *values, const char *expression, int64_t *out_value) {
    return evaluate(&(chosen){.values = values}, expression, out_value);
}

/* Evaluates an expression for the kernel with constant sizes and for the general one. */
static bool values_of(const rendering *in, const char *expression, int64_t *out_value,
                      int64_t *out_general) {
    if (!ht_plan_value(in->values, expression, out_value))
        return false;
    *out_general = *out_value;
    return !in->sized || evaluate(&(chosen){in->values, in->plan}, expression, out_general);
}

/* Returns the parameter whose value distinguishes the two kernels; NULL: there is only one. */
static const char *sized_find(const ht_plan *plan, const ht_values *values) {
    for (size_t i = 0; i < plan->params.count; ++i) {
        const ht_planned_param *param = &plan->params.items[i];
        int64_t value;
        if (param->by_size && ht_plan_value(values, param->name, &value) && value != 0)
            return param->by_size;
    }
    return NULL;
}

static bool one_default(const rendering *in, const char *name, size_t length) {
    const ht_template *template = in->values->template;
    for (size_t i = 0; i < template->param_count; ++i)
        if (strlen(template->params[i].name) == length &&
            memcmp(template->params[i].name, name, length) == 0)
            return in->values->config->choice[i] == template->params[i].default_index;
    return true;
}

/* Returns true if all parameters in a comma-separated list have their defaults. */
static bool is_default(const rendering *in, const char *names) {
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ",");
        if (!one_default(in, at, length))
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

static bool inside(const ht_edit *edits, size_t inner, size_t outer) {
    ht_range i = edits[inner].range, o = edits[outer].range;
    if (inner == outer || o.begin == o.end)
        return false;
    if (i.begin == o.begin && i.end == o.end)
        return edits[outer].wraps > edits[inner].wraps ||
               (edits[inner].wraps == HT_WRAPS_ALL && edits[outer].wraps == HT_WRAPS_ALL &&
                outer > inner);
    if (i.begin == i.end)
        return (o.begin < i.begin && i.begin < o.end) ||
               ((i.begin == o.begin || i.begin == o.end) && inner < outer);
    return o.begin <= i.begin && i.end <= o.end;
}

static void find_parents(rendering *in) {
    const ht_edit *edits = in->plan->edits.items;
    for (size_t i = 0; i < in->plan->edits.count; ++i) {
        in->parent[i] = NO_EDIT;
        for (size_t o = 0; o < in->plan->edits.count; ++o) {
            if (!in->active[o] || !inside(edits, i, o))
                continue;
            if (in->parent[i] == NO_EDIT || inside(edits, o, (size_t)in->parent[i]))
                in->parent[i] = (int)o;
        }
    }
}

static bool is_atom(const char *text) {
    return strpbrk(text, " +-*/%<>?:&|!~(") == NULL;
}

/* Prints a value; if that of the general kernel differs, as "R_SIZE > 0" or "R_SIZE > 0 ? 34 :
 * 1". */
static void print_values(const char *sized, int64_t value, int64_t general, ht_text *out) {
    if (value == general)
        ht_text_printf(out, value < 0 ? "(%lld)" : "%lld", (long long)value);
    else if (value == 1 && general == 0)
        ht_text_printf(out, "%s > 0", sized);
    else
        ht_text_printf(out, "%s > 0 ? %lld : %lld", sized, (long long)value, (long long)general);
}

/* Returns true if the text needs no parentheses: it is in some already, or ends before the question
 * mark of the choice in them. */
static bool is_enclosed(char before, const char *text, size_t length) {
    const char *after = text + length + 1;
    return (before == '[' && *after == ']') ||
           (before == '(' &&
            (*after == ')' || (strncmp(after, " ? ", 3) == 0 && !memchr(text, '?', length))));
}

static void on_watched(void *context, const char *name) {
    rendering *in = context;
    size_t length = strlen(name);
    for (const char *at = in->watched; *at; at += strcspn(at, ","), at += *at == ',')
        in->seen = in->seen || (strcspn(at, ",") == length && strncmp(at, name, length) == 0);
}

static void watch(rendering *in, const char *expression) {
    if (in->watched)
        (void)ht_expr_text_names(expression, on_watched, in);
}

static bool ends_with(const ht_text *text, const char *end) {
    size_t length = strlen(end);
    return text->length >= length && strcmp(text->data + text->length - length, end) == 0;
}

/* Returns the `}` that closes the `{` at `open`; NULL: there is none before `end`. */
static const char *closing(const char *open, const char *end) {
    int nested = 0;
    for (const char *at = open; at < end; ++at) {
        nested += (*at == '{') - (*at == '}');
        if (nested == 0)
            return at;
    }
    return NULL;
}

/* Returns the text after choices that show nothing. */
static const char *past_choices(rendering *in, const char *at) {
    while (at[0] == '$' && at[1] == '?' && at[2] == '{') {
        const char *open = at + 2, *close = NULL;
        int64_t value = 1, general = 1;
        for (int i = 0; i < 3; ++i) {
            close = open && *open == '{' ? closing(open, open + strlen(open)) : NULL;
            if (i == 0 && close) {
                char *expression = ht_strndup(open + 1, (size_t)(close - open - 1));
                bool known = values_of(in, expression, &value, &general);
                free(expression);
                value = known ? value : 1;
            }
            open = close ? close + 1 : NULL;
        }
        if (!open || value != 0 || general != 0)
            return at;
        at = open;
    }
    return at;
}

/* Returns true for "+ 0", "- 0", "* 1" and "/ 1", which nobody would write, and removes the
 * operator from the output. */
static bool is_nothing(rendering *in, int64_t value, const char *after, ht_text *out) {
    after = past_choices(in, after);
    after += strspn(after, " ");
    bool sum = value == 0 && *after && !strchr("*/%$}", *after) &&
               (ends_with(out, " + ") || ends_with(out, " - "));
    bool product = value == 1 && (ends_with(out, " * ") || ends_with(out, " / "));
    if (sum || product)
        out->data[out->length -= 3] = 0;
    return sum || product;
}

static bool print_expression(rendering *in, const char *text, size_t length, ht_text *out) {
    char *expression = ht_strndup(text, length);
    int64_t value = 0, general = 0;
    char before = out->length ? out->data[out->length - 1] : 0;
    bool done = true, enclosed = is_enclosed(before, text, length);
    watch(in, expression);
    if (in->values) {
        done = values_of(in, expression, &value, &general);
        if (done && value == general && is_nothing(in, value, text + length + 1, out)) {
            free(expression);
            return true;
        }
        if (done && value == general &&
            ht_value_mark_print(in->plan, in->values, expression, value, enclosed, out)) {
            free(expression);
            return true;
        }
        bool alone = enclosed || value == general || (value == 1 && general == 0);
        ht_text_append(out, alone ? "" : "(");
        print_values(in->sized, value, general, out);
        ht_text_append(out, alone ? "" : ")");
    } else
        ht_text_printf(out, enclosed || is_atom(expression) ? "%s" : "(%s)", expression);
    if (!done && !in->problem)
        in->problem = ht_format("no value for \"%s\"", expression);
    free(expression);
    return done;
}

static bool render_range(rendering *in, ht_range range, int parent, int depth, ht_text *out);

static bool render_text(rendering *in, size_t index, const char *at, const char *end, int depth,
                        ht_text *out);

/* Renders {EXPR}{text of the template}{text of an applied source in which EXPR is not 0}: the part
 * that holds, or the first one if the general kernel's value differs. Returns the end; NULL: it is
 * malformed. */
static const char *render_choice(rendering *in, size_t index, const char *at, const char *end,
                                 int depth, ht_text *out) {
    const char *open[3], *close[3];
    int64_t value = 1, general = 1;
    for (int i = 0; i < 3; ++i) {
        open[i] = at < end && *at == '{' ? at : NULL;
        close[i] = open[i] ? closing(at, end) : NULL;
        if (!close[i])
            return NULL;
        at = close[i] + 1;
    }
    char *expression = ht_strndup(open[0] + 1, (size_t)(close[0] - open[0] - 1));
    bool known = !in->values || values_of(in, expression, &value, &general);
    free(expression);
    bool both = (value != 0) != (general != 0);
    int part = in->values && !both ? 2 : 1;
    if (!known || ((both || value != 0) && depth < DEPTH_MAX &&
                   !render_text(in, index, open[part] + 1, close[part], depth + 1, out)))
        return NULL;
    return at;
}

/* Begins a line as the one above it begins: as the output has that, or the source where the edit
 * itself is the first on its line. */
static void print_indent(const rendering *in, size_t index, ht_text *out) {
    const char *source = in->plan->model->facts->source->text;
    size_t end = out->length ? out->length - 1 : 0, begin = ht_line_begin(out->data, end);
    if (begin == 0) {
        size_t edit = in->plan->edits.items[index].range.begin;
        size_t line = ht_blank_begin(source, edit);
        ht_text_append_n(out, source + line, edit - line);
    }
    size_t length = strspn(out->data + begin, " \t");
    char *indent = ht_strndup(out->data + begin, begin + length <= end ? length : 0);
    ht_text_append(out, indent);
    free(indent);
}

/* Renders the source of the range at `at`, "BEGIN,END]"; hidden: only notes that its edits are not
 * lost. */
static bool render_source(rendering *in, size_t index, const char *at, bool hidden, int depth,
                          ht_text *out) {
    ht_text nothing = {0};
    unsigned long first, last;
    bool done =
        sscanf(at, "%lu,%lu", &first, &last) == 2 && first <= last &&
        last <= in->plan->model->facts->source->text_length &&
        render_range(in, (ht_range){first, last}, (int)index, depth + 1, hidden ? &nothing : out);
    ht_text_free(&nothing);
    return done;
}

static bool render_text(rendering *in, size_t index, const char *at, const char *end, int depth,
                        ht_text *out) {
    for (const char *dollar; (dollar = memchr(at, '$', (size_t)(end - at))) != NULL;) {
        ht_text_append_n(out, at, (size_t)(dollar - at));
        char open = dollar + 1 < end ? dollar[1] : 0;
        if (open == '$') {
            ht_text_append(out, "$");
            at = dollar + 2;
            continue;
        }
        if (open == '^') {
            print_indent(in, index, out);
            at = dollar + 2;
            continue;
        }
        if (open == '?') {
            if (!(at = render_choice(in, index, dollar + 2, end, depth, out)))
                return false;
            continue;
        }
        bool hidden = open == '-' && dollar + 2 < end && dollar[2] == '[';
        dollar += hidden;
        open = hidden ? '[' : open;
        size_t left = (size_t)(end - dollar);
        const char *close = open == '{'   ? memchr(dollar, '}', left)
                            : open == '[' ? memchr(dollar, ']', left)
                                          : NULL;
        if (!close)
            return false;
        if (open == '{') {
            if (!print_expression(in, dollar + 2, (size_t)(close - dollar - 2), out))
                return false;
        } else if (!render_source(in, index, dollar + 2, hidden, depth, out))
            return false;
        at = close + 1;
    }
    ht_text_append_n(out, at, (size_t)(end - at));
    return true;
}

static bool render_edit(rendering *in, size_t index, int depth, ht_text *out) {
    const ht_edit *edit = &in->plan->edits.items[index];
    bool prints = edit->print && in->values;
    char *text = prints ? ht_launch_print_text(in->plan, edit->print, in->values) : edit->text;
    ++in->shown[index];
    bool done = text && render_text(in, index, text, text + strlen(text), depth, out);
    if (!text && !in->problem)
        in->problem = ht_strdup("a launch cannot be written");
    if (prints)
        free(text);
    return done;
}

static bool belongs(const rendering *in, size_t index, ht_range range, int parent) {
    const ht_edit *edits = in->plan->edits.items;
    ht_range edit = edits[index].range;
    int up =
        in->parent[index]; /* up through edits of more than this range: the parent wraps them */
    while (up != parent && up != NO_EDIT && !ht_range_within(edits[up].range, range))
        up = in->parent[up];
    if (!in->active[index] || up != parent)
        return false;
    if (edit.begin != edit.end)
        return ht_range_within(edit, range);
    size_t outer_end = parent == NO_EDIT ? in->plan->model->facts->source->files[0].length
                                         : in->plan->edits.items[parent].range.end;
    return range.begin <= edit.begin &&
           (edit.begin < range.end || (edit.begin == range.end && edit.begin == outer_end));
}

/* Returns the next edit at or after `at`: first by place, then insertions before replacements, then
 * by age. */
static int next_edit(const rendering *in, ht_range range, int parent, size_t at, int passed) {
    int best = NO_EDIT;
    const ht_edit *edits = in->plan->edits.items;
    for (size_t i = 0; i < in->plan->edits.count; ++i) {
        if (!belongs(in, i, range, parent) || edits[i].range.begin < at)
            continue;
        if (edits[i].range.begin == edits[i].range.end && edits[i].range.begin == at &&
            (int)i <= passed)
            continue;
        if (best == NO_EDIT || edits[i].range.begin < edits[best].range.begin ||
            (edits[i].range.begin == edits[best].range.begin &&
             edits[i].range.end < edits[best].range.end))
            best = (int)i;
    }
    return best;
}

static bool render_range(rendering *in, ht_range range, int parent, int depth, ht_text *out) {
    const ht_edit *edits = in->plan->edits.items;
    size_t at = range.begin;
    int passed = NO_EDIT, next;
    if (depth > DEPTH_MAX)
        return false;
    while ((next = next_edit(in, range, parent, at, passed)) != NO_EDIT) {
        ht_text_append_n(out, in->plan->model->text + at, edits[next].range.begin - at);
        if (!render_edit(in, (size_t)next, depth, out))
            return false;
        passed = edits[next].range.begin == edits[next].range.end ? next : NO_EDIT;
        at = edits[next].range.end;
    }
    ht_text_append_n(out, in->plan->model->text + at, range.end - at);
    return true;
}

static rendering rendering_start(const ht_plan *plan, const ht_values *values) {
    rendering in = {
        .plan = plan, .values = values, .sized = values ? sized_find(plan, values) : NULL};
    in.parent = ht_alloc(plan->edits.count + 1, sizeof *in.parent);
    in.active = ht_alloc(plan->edits.count + 1, sizeof *in.active);
    in.shown = ht_alloc(plan->edits.count + 1, sizeof *in.shown);
    for (size_t i = 0; i < plan->edits.count; ++i) {
        const ht_edit *edit = &plan->edits.items[i];
        in.active[i] = values ? !edit->param || !is_default(&in, edit->param) : !edit->applied_only;
    }
    find_parents(&in);
    return in;
}

/* Returns true if the edit is inside of one that was shown and may leave out edits. */
static bool may_be_lost(const rendering *in, size_t index) {
    for (int up = in->parent[index]; up != NO_EDIT; up = in->parent[up])
        if (in->plan->edits.items[up].wraps == HT_WRAPS_FORM && in->shown[up])
            return true;
    return false;
}

/* Ends the rendering. An edit inside the range that was not shown is a defect. Returns why it is
 * not done; NULL: it is. free(). */
static char *rendering_end(rendering *in, ht_range range, bool done) {
    for (size_t i = 0; done && i < in->plan->edits.count; ++i) {
        ht_range edit = in->plan->edits.items[i].range;
        if (in->active[i] && in->shown[i] == 0 && !may_be_lost(in, i) &&
            edit.begin >= range.begin && edit.end <= range.end &&
            !(edit.begin == edit.end && edit.begin == range.end)) {
            done = false;
            free(in->problem);
            in->problem = ht_format("an edit at offset %zu is lost", edit.begin);
        }
    }
    if (!done && !in->problem)
        in->problem = ht_strdup("an edit cannot be rendered");
    free(in->parent);
    free(in->active);
    free(in->shown);
    if (!done)
        return in->problem;
    free(in->problem);
    return NULL;
}

char *ht_plan_render(const ht_plan *plan, ht_range range, const ht_values *values, ht_text *out) {
    rendering in = rendering_start(plan, values);
    bool done = render_range(&in, range, NO_EDIT, 0, out);
    return rendering_end(&in, range, done);
}

bool ht_plan_kernel_names(const ht_plan *plan, const ht_values *values, const char *names) {
    rendering in = rendering_start(plan, values);
    ht_text text = {0};
    ht_range range = plan->model->definition.range;
    in.watched = names;
    bool done = render_range(&in, range, NO_EDIT, 0, &text);
    bool seen = in.seen || !done;
    free(rendering_end(&in, (ht_range){range.begin, range.begin}, done));
    ht_text_free(&text);
    return seen;
}

char *ht_plan_flatten(const ht_plan *plan, const ht_values *values, ht_replacement **out_list,
                      size_t *out_count) {
    rendering in = rendering_start(plan, values);
    ht_replacement *list = NULL;
    size_t count = 0;
    bool done = true;
    for (size_t i = 0; done && i < plan->edits.count; ++i) {
        if (!in.active[i] || in.parent[i] != NO_EDIT)
            continue;
        ht_text text = {0};
        done = render_edit(&in, i, 0, &text);
        HT_GROW(list, count);
        list[count++] =
            (ht_replacement){.range = plan->edits.items[i].range, .text = ht_text_take(&text)};
    }
    *out_list = list;
    *out_count = count;
    return rendering_end(&in, (ht_range){0, plan->model->facts->source->text_length}, done);
}

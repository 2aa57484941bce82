#include "refactor/transformations/coarsen/coarsen_again.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/geometry.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/launch_outputs.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/values.h"
#include "refactor/transformations/coarsen/coarsen_checks.h"

#include <stdlib.h>
#include <string.h>

/* ---- iterations of the loop are independent ---- */

enum { DEPTH_MAX = 16 };

typedef struct apart_walk {
    ht_coarsen *c;
    const ht_own_outputs *outputs;
} apart_walk;

/* How a value depends on the loop's counter. */
typedef enum ht_part_of {
    HT_PART_NONE,   /* not at all */
    HT_PART_LINEAR, /* the counter times what is the same for all outputs, plus such */
    HT_PART_OTHER
} ht_part_of;

static ht_part_of part_of(const apart_walk *in, const ht_syntax *node, int depth);

static ht_part_of part_of_name(const apart_walk *in, const ht_syntax *node, int depth) {
    const ht_syntax_variable *variable = ht_syntax_named(node);
    const ht_syntax *loop = in->outputs->loop;
    if (variable->index == in->outputs->counter)
        return HT_PART_LINEAR;
    const ht_syntax *kept = ht_syntax_kept(variable);
    bool inside = variable->declaration && ht_syntax_within(variable->declaration, loop);
    if (!inside)
        return HT_PART_NONE; /* nothing of it changes in the loop */
    return kept && depth < DEPTH_MAX ? part_of(in, kept, depth + 1) : HT_PART_OTHER;
}

static ht_part_of part_of_binary(const apart_walk *in, const ht_syntax *node, int depth) {
    ht_part_of left = part_of(in, node->children[0], depth);
    ht_part_of right = part_of(in, node->children[1], depth);
    if (left == HT_PART_NONE && right == HT_PART_NONE)
        return HT_PART_NONE;
    bool one = left == HT_PART_NONE || right == HT_PART_NONE;
    bool linear =
        left != HT_PART_OTHER && right != HT_PART_OTHER &&
        (node->op == HT_BINARY_ADD || node->op == HT_BINARY_MUL || node->op == HT_BINARY_SUB);
    return one && linear ? HT_PART_LINEAR : HT_PART_OTHER;
}

static ht_part_of part_of(const apart_walk *in, const ht_syntax *node, int depth) {
    switch (node->kind) {
    case HT_SYNTAX_NAME:
        return part_of_name(in, node, depth);
    case HT_SYNTAX_BINARY:
        return part_of_binary(in, node, depth);
    case HT_SYNTAX_PAREN:
        return part_of(in, node->children[0], depth);
    case HT_SYNTAX_CAST:
        if (node->bits >= 32)
            return part_of(in, node->children[0], depth);
        break;
    default:
        break;
    }
    for (size_t i = 0; i < node->count; ++i)
        if (node->children[i] && part_of(in, node->children[i], depth) != HT_PART_NONE)
            return HT_PART_OTHER;
    return HT_PART_NONE;
}

/* Returns true if each output accesses an element of its own, alone. */
static bool is_own_element(const apart_walk *in, size_t variable) {
    const ht_syntax_tree *tree = in->c->tree;
    const ht_syntax *first = NULL;
    if (!tree->variables[variable].is_parameter || tree->variables[variable].changed)
        return false;
    for (size_t i = 0; i < tree->count; ++i) {
        const ht_syntax *name = tree->nodes[i];
        if (name->kind != HT_SYNTAX_NAME || name->variable != variable)
            continue;
        const ht_syntax *up = name->parent;
        while (up && (up->kind == HT_SYNTAX_PAREN || (up->kind == HT_SYNTAX_CAST && !up->written)))
            up = up->parent;
        if (!up || up->kind != HT_SYNTAX_SUBSCRIPT || ht_syntax_strip(up->children[0]) != name)
            return false;
        const ht_syntax *index = ht_syntax_written(up->children[1]);
        if (part_of(in, index, 0) != HT_PART_LINEAR ||
            (first && !ht_syntax_is_same_text(first, index)))
            return false;
        first = first ? first : index;
    }
    return first != NULL;
}

static void on_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    apart_walk *in = context;
    const ht_syntax_variable *variable = ht_syntax_named(name);
    bool step = variable->index == in->outputs->counter &&
                ht_syntax_within(change, in->outputs->loop->children[2]);
    bool own = variable->declaration &&
               ht_syntax_within(variable->declaration, in->outputs->loop->children[3]);
    if (!step && (!own || variable->is_static))
        ht_coarsen_refuse(in->c, name->at,
                          "`%s` goes from one output of a thread to the next, so their number "
                          "stays",
                          variable->name);
}

static void check_apart(ht_coarsen *c, const ht_own_outputs *outputs) {
    apart_walk in = {c, outputs};
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        bool leaves = node->kind == HT_SYNTAX_RETURN || node->kind == HT_SYNTAX_BREAK;
        if (leaves && ht_syntax_within(node, outputs->loop) &&
            ht_syntax_escapes(node, ht_syntax_body(outputs->loop)))
            ht_coarsen_refuse(c, node->at, "the loop over a thread's outputs is left here");
    }
    ht_syntax_changes(outputs->loop, on_change, &in);
    ht_coarsen_check_calls(c);
    if (c->atomic)
        ht_coarsen_refuse(c, c->atomic->at, "there is an atomic operation");
    ht_effects effects;
    ht_effects_collect(c->tree->body, &effects);
    ht_position place = effects.first_write ? effects.first_write->at : HT_AT_KERNEL;
    if (effects.writes.unknown || effects.reads.unknown)
        ht_coarsen_refuse(c, place, "it is not known which memory is read and which is written");
    for (size_t i = 0; i < c->tree->variable_count; ++i)
        if (effects.writes.variables[i] && !is_own_element(&in, i))
            ht_coarsen_refuse(c, place,
                              "`%s` is not proved to have an element for each output of a thread",
                              c->tree->variables[i].name);
    ht_effects_free(&effects);
}

/* ---- the constant ---- */

/* Where the constant is named. */
typedef struct constant_uses {
    ht_range value; /* in its definition */
    size_t definitions;
    bool elsewhere; /* it serves something else, too */
} constant_uses;

/* Notes a mention in a directive: the definition of a macro, or something else. */
static void note_directive(const ht_source *source, ht_token directive, const char *name,
                           constant_uses *uses) {
    ht_tokens line;
    ht_tokens_read(source->text, (ht_range){directive.begin, directive.end}, false, &line);
    bool defines = line.count == 4 && ht_tokens_is(&line, 1, "define") &&
                   ht_tokens_is(&line, 2, name) && line.items[3].kind == HT_TOKEN_NUMBER;
    if (defines) {
        uses->value = (ht_range){line.items[3].begin, line.items[3].end};
        ++uses->definitions;
    }
    for (size_t i = 0; i < line.count && !defines; ++i)
        uses->elsewhere = uses->elsewhere || ht_tokens_is(&line, i, name);
    ht_tokens_free(&line);
}

static constant_uses uses_find(const ht_coarsen *c, const char *name, ht_range launched) {
    const ht_source *source = c->model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    constant_uses uses = {0};
    for (size_t i = 0; i < tokens->count; ++i) {
        ht_token token = tokens->items[i];
        if (token.kind == HT_TOKEN_DIRECTIVE)
            note_directive(source, token, name, &uses);
        ht_range place = {token.begin, token.end};
        if (token.kind != HT_TOKEN_NAME || !ht_tokens_is(tokens, i, name) ||
            ht_range_within(place, c->model->definition.body_range) ||
            ht_range_within(place, launched))
            continue;
        bool declares = i > 0 && i + 3 < tokens->count &&
                        tokens->items[i - 1].kind == HT_TOKEN_NAME &&
                        ht_tokens_is(tokens, i + 1, "=") && ht_tokens_is(tokens, i + 3, ";") &&
                        tokens->items[i + 2].kind == HT_TOKEN_NUMBER;
        if (declares) {
            uses.value = (ht_range){tokens->items[i + 2].begin, tokens->items[i + 2].end};
            ++uses.definitions;
        }
        uses.elsewhere = uses.elsewhere || !declares;
    }
    for (size_t file = 1; file < source->file_count; ++file)
        uses.elsewhere = uses.elsewhere || ht_source_names(source, file, name);
    return uses;
}

/* Shows the parameter's name in the template wherever the kernel names the constant. */
static bool edit_kernel(ht_coarsen *c, const char *name) {
    const ht_tokens *tokens = ht_source_tokens(c->model->facts->source, 0);
    ht_range body = c->model->definition.body_range;
    bool done = true;
    for (size_t i = ht_tokens_at(tokens, body.begin);
         i < tokens->count && tokens->items[i].begin < body.end && done; ++i)
        if (ht_tokens_is(tokens, i, name)) {
            ht_range place = {tokens->items[i].begin, tokens->items[i].end};
            done = ht_plan_editf(c->plan, place, NULL, "$?{%s > 0}{%s}{$[%zu,%zu]}",
                                 c->names.factor, c->names.factor, place.begin, place.end);
        }
    return done;
}

/* ---- the launch ---- */

/* Divides first where a sum with more outputs could overflow in 32 bits where the author's does
 * not. */
static bool edit_launch(ht_coarsen *c, const ht_form *each, int64_t count) {
    bool atom;
    if (!each->dividend || ht_form_is_safe(each, 0, count, count + 1, false))
        return true;
    char *items = ht_form_items(each, &atom);
    ht_range place = each->quotient->place, divisor = each->divisor->place;
    const char *open = atom ? "" : "(", *close = atom ? "" : ")";
    char *whole = items ? ht_format("%s%s%s", open, items, close) : NULL;
    char *text = whole ? ht_format("$?{%s > %lld}{}{%s / $[%zu,%zu] + (%s %% $[%zu,%zu] != 0)}"
                                   "$?{%s <= %lld}{}{$[%zu,%zu]}",
                                   c->names.factor, (long long)count, whole, divisor.begin,
                                   divisor.end, whole, divisor.begin, divisor.end, c->names.factor,
                                   (long long)count, place.begin, place.end)
                       : NULL;
    bool done = text && ht_plan_edit_applied(c->plan, place, c->names.factor, text);
    free(text);
    free(whole);
    free(items);
    return done;
}

/* Compares the difference where the sum x0 + COUNT with more outputs could overflow where the
 * author's does not. */
static bool edit_test(ht_coarsen *c, const ht_own_outputs *of) {
    const ht_syntax *counter, *sum;
    int op;
    if (!ht_syntax_binary(of->test, &op, &counter, &sum) ||
        ht_syntax_strip(counter)->kind == HT_SYNTAX_BINARY) /* it is the difference */
        return true;
    const ht_syntax *last = ht_syntax_strip(ht_syntax_strip(sum)->children[1]);
    ht_range count = last->range, test = of->test->range;
    char *text =
        ht_format("$?{%s > %lld}{}{%s - %s < $[%zu,%zu]}$?{%s <= %lld}{}{$[%zu,%zu]}",
                  c->names.factor, (long long)of->count, c->tree->variables[of->counter].name,
                  c->tree->variables[of->first].name, count.begin, count.end, c->names.factor,
                  (long long)of->count, test.begin, test.end);
    bool done = of->test->plain && test.begin < count.begin && count.end <= test.end &&
                ht_plan_edit_applied(c->plan, test, c->names.factor, text);
    free(text);
    return done;
}

/* Returns true if the variable with the number of threads, where there is one, is read by the
 * launch's grid alone. */
static bool serves_grid_alone(const ht_coarsen *c, const ht_form *form) {
    const ht_tokens *tokens = ht_source_tokens(c->model->facts->source, 0);
    size_t others = 0;
    if (!form->through)
        return true;
    for (size_t i = 0; i < tokens->count; ++i) {
        ht_range place = {tokens->items[i].begin, tokens->items[i].end};
        others += tokens->items[i].kind == HT_TOKEN_NAME &&
                  ht_tokens_is(tokens, i, form->through->name) &&
                  !ht_range_within(place, form->quotient->place);
    }
    return form->quotient->has_place && others == 1; /* its declaration */
}

/* Returns true if the launch's grid follows the constant by its name. */
static bool is_followed(const ht_coarsen *c, const ht_own_outputs *outputs, const ht_form *form) {
    const ht_form *each = form->each;
    bool joined = !form->block_count || (ht_launch_joined_can(form) && !c->plan->request.stay);
    return joined && c->model->facts->launches.count == 1 && each && each->divisor->name &&
           strcmp(each->divisor->name, outputs->name) == 0 && each->quotient &&
           each->quotient->has_place && each->divisor->has_place && serves_grid_alone(c, form);
}

static bool write_again(ht_coarsen *c, const ht_own_outputs *outputs, const ht_form *each,
                        ht_range value) {
    static const int64_t counts[] = {1, 2, 4, 8};
    ht_plan *plan = c->plan;
    c->names.factor = ht_plan_name(plan, "COARSEN_X");
    char *values = ht_values_around(counts, 4, outputs->count, 1, 8);
    char *number = ht_format("%lld", (long long)outputs->count);
    char *text = ht_format("${%s}", c->names.factor);
    bool done = ht_plan_param(plan, c->names.factor, values, number) &&
                edit_kernel(c, outputs->name) && edit_test(c, outputs) &&
                edit_launch(c, each, outputs->count) &&
                ht_plan_edit_applied(plan, value, c->names.factor, text);
    char *bound = ht_own_outputs_threads(outputs, c->names.factor);
    if (done && bound) {
        free(plan->axes[0].bound);
        plan->axes[0].bound = bound;
        plan->axes[0].each = c->names.factor;
        bound = NULL;
    }
    plan->running.failed = plan->running.failed || bound || !done;
    free(bound);
    free(text);
    free(number);
    free(values);
    return done;
}

void ht_coarsen_again(ht_coarsen *c, const ht_own_outputs *outputs) {
    ht_plan *plan = c->plan;
    const ht_planned_axis *axis = &plan->axes[0];
    ht_grid grid;
    ht_grid_read(c->model, &grid);
    const ht_form *form = &grid.form[0];
    char *number = ht_format("%lld", (long long)outputs->count);
    char *threads = ht_own_outputs_threads(outputs, number);
    constant_uses uses = {0};
    if (!axis->changed || axis->exact_cover || axis->keep_cover || axis->keep_grid ||
        plan->launches.renumbered)
        ht_coarsen_refuse(c, HT_AT_KERNEL, "the outputs of a thread, `%s`, stay: so does the block",
                          outputs->name);
    else if (!is_followed(c, outputs, form) || !threads || !ht_grid_has_enough(plan, form, threads))
        ht_coarsen_refuse(c, outputs->loop->at,
                          "the outputs of a thread stay: the launch's grid is not what they are "
                          "divided by `%s`",
                          outputs->name);
    else
        uses = uses_find(c, outputs->name, form->each->quotient->place);
    if (!c->refused && (uses.elsewhere || uses.definitions != 1))
        ht_coarsen_refuse(c, outputs->loop->at,
                          "the outputs of a thread stay: `%s` serves more than this kernel and its "
                          "launch",
                          outputs->name);
    if (!c->refused)
        check_apart(c, outputs);
    if (!c->refused && write_again(c, outputs, form->each, uses.value))
        ht_plan_remark_place(plan, HT_REMARK_APPLIED, outputs->loop->at,
                             "`%s`, the outputs of a thread, became %s", outputs->name,
                             c->names.factor);
    free(threads);
    free(number);
    ht_grid_free(&grid);
}

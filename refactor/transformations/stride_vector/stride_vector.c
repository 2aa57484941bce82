/* stride-vector: neighbouring iterations of loops that stride by the block,
 *
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = f(in[i]);
 *
 * that a thread runs one after the other, with their elements loaded and stored at once. Which
 * thread runs an iteration does not matter (block_stride.h), and neighbours are other threads'
 * iterations with no barrier between, so loads may come before the stores of others: had they
 * anything in common, the original would have a race. docs/vectors.md. */
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/block_size/block_stride.h"
#include "refactor/transformations/coarsen/coarsen_access.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/stride_vector/formula.h"
#include "refactor/transformations/stride_vector/formula_text.h"
#include "refactor/transformations/stride_vector/stride_keep.h"
#include "refactor/transformations/stride_vector/wide_front.h"
#include "refactor/transformations/stride_vector/widening.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 16 };

/* ---- which loops ---- */

static bool is_plain(const ht_widening *in, const ht_syntax *node) {
    return node && node->plain && node->begins && ht_model_is_plain(in->c.model, node->range.begin);
}

/* Returns true if a preprocessor directive stands in the loop. */
static bool has_directive(const ht_widening *in) {
    const ht_syntax *loop = in->of->loop;
    const ht_tokens *tokens = ht_source_tokens(in->c.model->facts->source, 0);
    for (size_t i = ht_tokens_at(tokens, loop->start);
         i < tokens->count && tokens->items[i].begin < loop->range.end; ++i)
        if (tokens->items[i].kind == HT_TOKEN_DIRECTIVE)
            return true;
    return false;
}

/* Returns why the loop's header cannot be written for several iterations; NULL: it can. */
static const char *header_obstacle(const ht_widening *in) {
    const ht_syntax *loop = in->of->loop, *condition = loop->children[1];
    const ht_syntax_variable *counter = in->of->counter;
    if (in->of->factor != 1)
        return "its counter goes in steps of more than one";
    if (!loop->children[0])
        return "its counter is declared ahead of it";
    if (!is_plain(in, loop) || !is_plain(in, loop->children[0]) || !is_plain(in, condition) ||
        !is_plain(in, loop->children[2]) || !is_plain(in, in->of->start) ||
        !is_plain(in, in->of->step) || !is_plain(in, ht_syntax_body(loop)))
        return "a macro writes a part of it";
    if (has_directive(in))
        return "a preprocessor conditional stands in it";
    if (counter->type != HT_TYPE_INTEGER ||
        !ht_syntax_strip(ht_syntax_strip(condition)->children[1])->is_whole)
        return "its counter or its bound is not an integer";
    return ht_syntax_strip(condition)->op == HT_BINARY_LT ? NULL : "its bound is inclusive";
}

/* ---- what is in them ---- */

static void on_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    ht_widening *in = context;
    in->c.values[name->variable].share = HT_SHARE_OWN;
}

static bool on_declaration(const ht_syntax *node, void *context) {
    ht_widening *in = context;
    if (node->kind != HT_SYNTAX_VARIABLE)
        return true;
    const ht_syntax_variable *variable = ht_syntax_named(node);
    const ht_syntax *kept = ht_syntax_kept(variable);
    bool index = kept && variable->type == HT_TYPE_INTEGER && !variable->is_reference;
    in->c.values[node->variable].share = index ? ht_node_share(&in->c, kept) : HT_SHARE_OWN;
    in->c.marks[node->index].apart = true;
    in->again[node->variable] = index && node->parent->parent == ht_syntax_body(in->of->loop) &&
                                ht_vectors_settled(&in->c, in->items, in->count, in->again, kept);
    return true;
}

static bool is_own_text(const void *context, const ht_syntax *node) {
    const ht_widening *in = context;
    return is_plain(in, node);
}

static bool is_indirect(const ht_syntax *node, const void *context) {
    const ht_widening *in = context;
    return node->kind == HT_SYNTAX_NAME && in->again[node->variable];
}

/* Finds the accesses that neighbouring iterations make to neighbouring elements. */
static void find_accesses(ht_widening *in) {
    const ht_syntax *body = ht_syntax_body(in->of->loop);
    bool compound = body->kind == HT_SYNTAX_COMPOUND;
    in->items = compound ? body->children : &in->of->loop->children[3];
    in->count = compound ? body->count : 1;
    for (size_t i = 0; i < in->c.tree->variable_count; ++i)
        in->c.values[i].share = HT_SHARE_SAME;
    ht_syntax_changes(body, on_change, in);
    in->c.values[in->c.x].share = HT_SHARE_STEP;
    ht_syntax_walk(body, on_declaration, in);
    for (size_t i = 0; i < in->c.tree->count; ++i) {
        const ht_syntax *node = in->c.tree->nodes[i];
        in->c.marks[node->index].next = ht_syntax_within(node, body) && ht_node_steps(&in->c, node);
    }
    ht_vectors_find(&in->c, in->items, in->count, is_own_text, in, in->again, &in->vectors);
    for (size_t i = 0; i < in->vectors.count; ++i)
        in->indirect |= ht_syntax_first(in->vectors.items[i].node, is_indirect, in) != NULL;
}

/* Elements that one access may have at most; 0: there is no access. */
static size_t most_elements(const ht_widening *in) {
    size_t largest = 0;
    for (size_t i = 0; i < in->vectors.count; ++i) {
        size_t size = ht_syntax_launched_size(in->vectors.items[i].node);
        if (!size)
            return 0;
        largest = size > largest ? size : largest;
    }
    return largest ? BYTES_MAX / largest : 0;
}

/* ---- edits ---- */

static void rename_counter(ht_widening *in, const ht_syntax *node) {
    const ht_tokens *tokens = ht_source_tokens(in->c.model->facts->source, 0);
    for (size_t i = ht_tokens_at(tokens, node->range.begin);
         i < tokens->count && tokens->items[i].begin < node->range.end; ++i)
        if (ht_tokens_is(tokens, i, in->of->counter->name))
            ht_plan_edit(in->c.plan, (ht_range){tokens->items[i].begin, tokens->items[i].end},
                         in->param, in->first);
}

/* Goes around the blocks of a row, where there are any, which add to the start. */
static void multiply(ht_widening *in, const ht_syntax *node) {
    const char *blocks = in->c.plan->launches.row_blocks;
    ht_range range = node->range;
    char *whole = ht_format("$[%zu,%zu]", range.begin, range.end);
    char *sum = blocks && node == in->of->start
                    ? ht_format("$?{%s > 1}{(}{(}%s$?{%s > 1}{)}{)}", blocks, whole, blocks)
                    : ht_strdup(whole);
    char *text = ht_format("%s * ${%s}", sum, in->param);
    if (blocks)
        ht_plan_wrap_all(in->c.plan, range, in->param, text);
    else
        ht_plan_edit(in->c.plan, range, in->param, text);
    free(text);
    free(sum);
    free(whole);
}

/* Returns the loop's body: with the blanks ahead of it where it has no braces, so that its new ones
 * begin where the author's do. */
static ht_range body_range(const ht_widening *in) {
    const char *text = in->c.model->text;
    size_t begin = in->body.begin;
    while (begin > 0 && isspace((unsigned char)text[begin - 1]))
        --begin;
    bool alone = ht_syntax_body(in->of->loop)->kind != HT_SYNTAX_COMPOUND && begin > 0 &&
                 text[begin - 1] == ')';
    return (ht_range){alone ? begin : in->body.begin, in->body.end};
}

/* Ends the loop where no whole turn is left, if the end of the row is a loop of its own. */
static void shorten(ht_widening *in) {
    const ht_syntax *left, *bound;
    int op;
    (void)ht_syntax_binary(in->of->loop->children[1], &op, &left, &bound);
    ht_writer writer = {.c = &in->c};
    ht_widening_bound(in, &writer);
    if (in->end)
        ht_plan_editf(in->c.plan, bound->range, in->param, "$?{%s}{%s}{%s}$?{!(%s)}{}{%s}",
                      in->ends_apart, writer.text.data, in->end, in->ends_apart, writer.text.data);
    else
        ht_plan_editf(in->c.plan, bound->range, in->param, "%s$?{%s}{}{ - %s %% ${%s}}",
                      writer.text.data, in->ends_apart, writer.text.data, in->param);
    ht_writer_free(&writer);
}

/* Returns true if the loop's header stays as the author has it, for a copy of his words: no edit
 * changes it, and none will for another spelling of the threads' names. */
static bool is_header_own(const ht_widening *in) {
    const ht_plan *plan = in->c.plan;
    const char *blocks = plan->launches.row_blocks; /* one: its edits are left out */
    size_t begin = in->of->loop->range.begin, end = ht_syntax_body(in->of->loop)->range.begin;
    char *words = ht_strndup(in->c.model->text + begin, end - begin);
    bool own = !strstr(words, "hipThreadIdx") && !strstr(words, "hipBlock");
    for (size_t i = 0; i < plan->edits.count; ++i) {
        const ht_edit *edit = &plan->edits.items[i];
        own &= edit->range.end <= begin || edit->range.begin >= end ||
               (blocks && edit->param && strcmp(edit->param, blocks) == 0);
    }
    free(words);
    return own;
}

/* Returns when the end of a row may be a loop of its own, after this one: a template expression;
 * NULL: never; free(). */
static char *when_apart(const ht_widening *in, const char *keep) {
    const char *blocks = in->c.plan->launches.row_blocks; /* they add to the loop's start */
    if (in->of->loop->parent->kind != HT_SYNTAX_COMPOUND || !is_header_own(in))
        return NULL;
    return blocks && keep ? ht_format("%s == 1 && %s == 0", blocks, keep)
           : blocks       ? ht_format("%s == 1", blocks)
           : keep         ? ht_format("%s == 0", keep)
                          : ht_strdup("1");
}

/* Settles how the end of a row is written, and whether both loops call a function for it. */
static void part(ht_widening *in, const char *keep) {
    in->ends_apart = when_apart(in, keep);
    in->formula = in->ends_apart ? ht_formula_read(in) : NULL;
    if (!in->formula)
        return;
    char *where = ht_format("%s > 1 && (%s)", in->param, in->ends_apart);
    char *text = ht_formula_function(in);
    ht_plan_function(in->c.plan, where, text);
    free(where);
    free(text);
}

static void edit(ht_widening *in) {
    const ht_syntax *loop = in->of->loop;
    ht_range body = body_range(in);
    ht_writer writer = {.c = &in->c};
    ht_writer_printf(&writer, body.begin < in->body.begin ? " " : "");
    ht_widening_body(in, &writer);
    for (size_t i = 0; i < 3; ++i)
        rename_counter(in, loop->children[i]);
    multiply(in, in->of->start);
    multiply(in, in->of->step);
    if (in->ends_apart)
        shorten(in);
    if (writer.failed)
        in->c.plan->running.failed = true;
    else
        ht_plan_edit(in->c.plan, body, in->param, writer.text.data);
    ht_writer_free(&writer);
}

/* ---- the kernel ---- */

static void begin(ht_widening *in, const ht_model *model, ht_plan *plan, const ht_stride_loop *of,
                  const char *aligned) {
    const ht_syntax_tree *tree = ht_syntax_of(model);
    const ht_syntax *body = ht_syntax_body(of->loop);
    *in = (ht_widening){.c = {.model = model, .plan = plan, .tree = tree, .x = of->counter->index},
                        .of = of};
    in->c.meets = true;
    in->c.vector.aligned = aligned;
    in->c.marks = ht_alloc(tree->count + 1, sizeof *in->c.marks);
    in->c.values = ht_alloc(tree->variable_count + 1, sizeof *in->c.values);
    in->again = ht_alloc(tree->variable_count + 1, sizeof *in->again);
    in->body = (ht_range){body->range.begin, ht_statement_end(&in->c, body)};
}

static void end(ht_widening *in) {
    ht_vectors_free(&in->vectors);
    free(in->c.marks);
    free(in->c.values);
    free(in->again);
    free(in->ends_apart);
    ht_formula_free(in->formula);
}

/* Returns why the loop stays; NULL: it was read, and has accesses for several iterations. */
static const char *read_loop(ht_widening *in, ht_position *out_at) {
    const char *why = header_obstacle(in);
    *out_at = in->of->loop->at;
    if (why)
        return why;
    find_accesses(in);
    if (in->vectors.why)
        *out_at = in->vectors.at;
    if (!in->vectors.count)
        return in->vectors.why ? in->vectors.why : "it accesses no element in each iteration";
    return most_elements(in) < 2 ? "an element's size is not known" : NULL;
}

/* Returns true if the loop's variables are out of scope in another one. */
static bool is_ended(const ht_widening *before, const ht_widening *in) {
    return before->vectors.count && !ht_syntax_within(in->of->loop, before->of->loop) &&
           !ht_syntax_within(before->of->loop, in->of->loop);
}

/* Returns true if an access of the loop has the name. */
static bool is_named(const ht_widening *in, const char *name) {
    bool found = false;
    for (size_t i = 0; i < in->vectors.count; ++i)
        found |= strcmp(in->vectors.items[i].name, name) == 0;
    return found;
}

/* Puts a name in the place of a numbered one: that of an access of the same kind in a loop that has
 * ended, or a store's own. */
static void rename_row(ht_widening *in, ht_vector_access *access, ht_plan *plan,
                       const ht_widening *before, size_t count) {
    static const char suffix[] = "_pack";
    const char *at = strrchr(access->name, '_');
    size_t length = (size_t)(at - access->name), tail = sizeof suffix - 1;
    if (strcmp(at, suffix) == 0 || length < tail ||
        strncmp(access->name + length - tail, suffix, tail) != 0)
        return;
    char *wanted = ht_strndup(access->name, length);
    const char *found = NULL;
    for (size_t l = 0; l < count && !is_named(in, wanted); ++l)
        for (size_t k = 0; k < before[l].vectors.count && is_ended(&before[l], in); ++k) {
            const ht_vector_access *other = &before[l].vectors.items[k];
            if (other->load == access->load && strcmp(other->name, wanted) == 0)
                found = other->name;
        }
    char *own = ht_format("new_%s", wanted);
    access->name = found ? found : access->load ? access->name : ht_plan_name(plan, own);
    free(own);
    free(wanted);
}

/* Names the type of several elements without the underscores that begin a type's name, `__half`,
 * which are the language's. */
static void clean_packs(ht_widening *in, ht_plan *plan) {
    for (size_t i = 0; i < in->vectors.count; ++i) {
        ht_vector_access *access = &in->vectors.items[i];
        const char *found = NULL;
        for (size_t k = 0; k < i && !found; ++k)
            if (strcmp(in->vectors.items[k].type, access->type) == 0)
                found = in->vectors.items[k].pack;
        if (access->pack[0] == '_')
            access->pack =
                found ? found : ht_plan_name(plan, access->pack + strspn(access->pack, "_"));
    }
}

/* Chooses names: those of an earlier loop over a counter of the same name, which is no longer in
 * scope, and its types. */
static void choose_names(ht_widening *in, ht_plan *plan, const ht_widening *before, size_t count) {
    const char *counter = in->of->counter->name;
    ht_vectors_name(&in->c, &in->vectors);
    clean_packs(in, plan);
    for (size_t l = 0; l < count; ++l) {
        if (!is_ended(&before[l], in))
            continue;
        if (!in->first && strcmp(before[l].of->counter->name, counter) == 0) {
            in->first = before[l].first;
            in->each = before[l].each;
            in->whole = before[l].whole;
        }
        for (size_t i = 0; i < in->vectors.count; ++i)
            for (size_t k = 0; k < before[l].vectors.count; ++k)
                if (strcmp(in->vectors.items[i].type, before[l].vectors.items[k].type) == 0)
                    in->vectors.items[i].pack = before[l].vectors.items[k].pack;
    }
    for (size_t i = 0; i < in->vectors.count; ++i)
        rename_row(in, &in->vectors.items[i], plan, before, count);
    if (in->first)
        return;
    char *first = ht_format("%s_first", counter), *each = ht_format("%s_each", counter);
    in->first = ht_plan_name(plan, first);
    in->each = ht_plan_name(plan, each);
    in->whole = ht_plan_name(plan, "whole");
    free(first);
    free(each);
}

/* Returns the number of elements that an access may have at most; 0: the loop stays. */
static size_t widen(ht_widening *loops, size_t index, ht_plan *plan, const char *param) {
    ht_widening *in = &loops[index];
    const ht_stride_loop *of = in->of;
    ht_position at;
    const char *why = read_loop(in, &at);
    if (why) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, at,
                             "elements of neighbouring iterations are accessed one by one: %s",
                             why);
        ht_vectors_free(&in->vectors);
        return 0;
    }
    in->param = param;
    choose_names(in, plan, loops, index);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, of->loop->at,
                         "%s: a thread runs this many neighbouring iterations, with their "
                         "elements in one access",
                         param);
    return most_elements(in);
}

static void add_parameter(ht_plan *plan, const char *param, size_t most, bool rounds) {
    ht_text values = {0};
    for (size_t value = 1; value <= most; value *= 2)
        ht_text_printf(&values, value > 1 ? ", %zu" : "%zu", value);
    if (ht_plan_param(plan, param, values.data, "1"))
        plan->params.items[plan->params.count - 1].rounds = rounds;
    ht_plan_call(plan, param, "elements per access");
    ht_text_free(&values);
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_stride_loop *loops;
    size_t count, most = 0;
    if (!model->launch_known || model->facts->problem.text || model->axes[0].block < BYTES_MAX ||
        ht_syntax_unknown(ht_syntax_of(model), true, &(ht_position){0}) ||
        !ht_block_stride_loops(model, 0, &loops, &count))
        return;
    const char *param = ht_plan_name(plan, "VECTOR_STRIDE");
    const char *aligned = ht_plan_name(plan, "VECTOR_ALIGNED");
    ht_widening *wide = ht_alloc(count + 1, sizeof *wide);
    bool rounds = false, alignable = false;
    for (size_t i = 0; i < count; ++i) {
        begin(&wide[i], model, plan, &loops[i], aligned);
        size_t fit = widen(wide, i, plan, param);
        most = fit && (!most || fit < most) ? fit : most;
        rounds |= loops[i].rounds;
        alignable |= fit && wide[i].c.vector.alignable;
    }
    /* what is kept is found again by the block's threads alone */
    ht_stride_keep *keep = ht_stride_keep_new(plan, wide, plan->launches.row_blocks ? 0 : count);
    for (size_t i = 0; i < count; ++i)
        if (wide[i].vectors.count)
            part(&wide[i], ht_stride_keep_param(keep));
    ht_wide_front(model, plan, wide, count);
    for (size_t i = 0; i < count; ++i)
        if (wide[i].vectors.count)
            edit(&wide[i]);
    if (most)
        add_parameter(plan, param, most, rounds);
    if (most && alignable)
        ht_vectors_align(plan, aligned, param);
    ht_stride_keep_apply(keep);
    ht_stride_keep_free(keep);
    for (size_t i = 0; i < count; ++i)
        end(&wide[i]);
    free(wide);
    free(loops);
}

const ht_transformation ht_transformation_stride_vector = {
    .name = "stride-vector",
    .summary = "neighbouring iterations of loops that stride by the block, their elements at once",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_FORMS | HT_PINNED_REPEATS,
    .searched = {.drops = {{110, NULL}},
                 .steps = {{70,
                            {{.prefix = "VECTOR_STRIDE", .values = {4, 8, 2}},
                             {.prefix = "VECTOR_ALIGNED", .values = {1}}}},
                           {75,
                            {{.prefix = "KEEP", .values = {4, 8, 2}},
                             {.prefix = "VECTOR_STRIDE", .values = {4, 2}},
                             {.prefix = "VECTOR_ALIGNED", .values = {1}}}}}},
};

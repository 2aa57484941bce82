#include "refactor/transformations/block_size/block_group.h"
#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel/uniform.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/test.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/block_size/block_renumber.h"
#include "refactor/transformations/launch_bounds.h"
#include "refactor/transformations/tile_constant/tile.h"
#include "refactor/transformations/tile_constant/tile_checks.h"

#include <stdlib.h>
#include <string.h>

enum { WAVEFRONT = 64, LDS_ALIGNMENT = 16 };

typedef struct grouping {
    const ht_model *model;
    ht_plan *plan;
    ht_kernel_model *km;
    const char *param, *group; /* number of blocks in one; the thread's block among these */
    const char *suffix;        /* of the arrays' names */
    bool lines;                /* declarations stand in lines of their own */
    int64_t lds;               /* bytes of dynamic shared memory of one of the original's blocks */
    const char *problem;
    ht_position place;
} grouping;

static bool refuse(grouping *in, ht_position at, const char *words) {
    if (!in->problem) {
        in->problem = words;
        in->place = at;
    }
    return false;
}

/* ---- barriers ---- */

static bool same_for_all(const grouping *in, const ht_km_test *test) {
    return ht_test_scope(&in->km->pool, test) <= HT_SCOPE_ITERATION;
}

/* Returns true if the original's blocks are whole wavefronts, which keep their threads. */
static bool keeps_wavefronts(const ht_model *model) {
    const ht_axis *axes = model->axes;
    return axes[0].block * axes[1].block * axes[2].block % WAVEFRONT == 0 &&
           !model->facts->assumed.text;
}

/* Checks that all threads of the launch reach the same barriers equally often. Whole wavefronts may
 * end before others do. */
static bool barriers_fit(grouping *in) {
    const ht_kernel_model *km = in->km;
    if (!km->complete)
        return refuse(in, HT_AT_KERNEL, km->incomplete);
    if (keeps_wavefronts(in->model) ? ht_barriers_are_common_until_end(in->model)
                                    : ht_barriers_are_common(in->model))
        return true;
    for (size_t b = 0; b < km->barrier_count; ++b) {
        const ht_km_control *control = &km->barriers[b].control;
        bool same = true;
        for (size_t i = 0; i < control->guard_count; ++i)
            same = same && same_for_all(in, control->guards[i].test);
        for (size_t i = 0; i < control->loop_count; ++i) {
            const ht_km_loop *loop = &km->loops[control->loops[i]];
            same = same && loop->normal && !loop->leaves && same_for_all(in, loop->condition);
        }
        if (!same)
            return refuse(in, HT_AT_KERNEL, "its blocks may not reach a barrier equally often");
    }
    return true;
}

/* Returns true for what is the same in a block among others. Calls that ask the hardware where a
 * thread is in its block are not. */
static bool stays_in_block(const ht_km_effect *effect) {
    static const char *const kinds[] = {"atomic", "fence", NULL};
    static const char *const lanes[] = {"__shfl",       "__ballot",  "__any",    "__all",
                                        "__activemask", "__lane_id", "__laneid", "__syncwarp",
                                        "__match",      "__reduce_", NULL};
    return ht_text_is_one(effect->kind, kinds) ||
           (strcmp(effect->kind, "wavefront") == 0 && ht_text_starts(effect->name, lanes));
}

static bool effects_fit(grouping *in) {
    const ht_kernel_model *km = in->km;
    for (size_t i = 0; i < km->effect_count; ++i)
        if (!stays_in_block(&km->effects[i]))
            return refuse(in, HT_AT_KERNEL, "a call's effects are not known");
    return !ht_renumber_may_wait(in->model, km) ||
           refuse(in, HT_AT_KERNEL, "a loop may wait for other blocks");
}

/* Returns true if threads may exchange values through shared memory without a barrier, relying on
 * lockstep execution. */
static bool runs_in_step(const ht_model *model) {
    const ht_kernel_model *km = ht_kernel_model_of(model, (ht_km_variant){0});
    bool may = !km->complete;
    for (size_t i = 0; i < km->dependence_count; ++i) {
        may = may ||
              (ht_km_is_shared(km, km->dependences[i].array) && km->dependences[i].races != HT_NO);
    }
    return may;
}

/* ---- shared arrays ---- */

typedef struct declarator {
    const ht_syntax_variable *variable;
    size_t name, end; /* tokens: the name, and the token that ends the declarator */
} declarator;

static bool is_word(const ht_tokens *tokens, size_t i, const char *const *words) {
    for (; *words; ++words)
        if (ht_tokens_is(tokens, i, *words))
            return true;
    return false;
}

/* Returns the text before the first name without the words that make the array shared. A pointer's
 * target keeps no alignment. NULL: the text is more than a type; free(). */
static char *specifiers(const ht_tokens *tokens, size_t name, bool dynamic) {
    static const char *const own[] = {"__shared__", "static", "extern", NULL};
    static const char *const aligned[] = {"__align__", "alignas", "__attribute__", NULL};
    ht_text text = {0};
    bool good = false;
    for (size_t i = 0; i < name; ++i) {
        good = good || ht_tokens_is(tokens, i, "__shared__");
        if (is_word(tokens, i, own))
            continue;
        if (is_word(tokens, i, aligned) && dynamic && ht_tokens_is(tokens, i + 1, "(")) {
            i = ht_tokens_close(tokens, i + 1);
            continue;
        }
        if (is_word(tokens, i, aligned) || ht_tokens_is(tokens, i, "{") ||
            ht_tokens_is(tokens, i, "(") || ht_tokens_is(tokens, i, "*") ||
            ht_tokens_is(tokens, i, "&")) {
            ht_text_free(&text);
            return NULL;
        }
        char *word = ht_tokens_text(tokens, i);
        bool join = ht_tokens_is(tokens, i, "::") || (i > 0 && ht_tokens_is(tokens, i - 1, "::"));
        ht_text_printf(&text, text.length && !join ? " %s" : "%s", word);
        free(word);
    }
    if (good && text.length)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

static size_t declarator_end(const ht_tokens *tokens, size_t at) {
    while (at < tokens->count && !ht_tokens_is(tokens, at, ",") && !ht_tokens_is(tokens, at, ";")) {
        if (ht_tokens_is(tokens, at, "=") || ht_tokens_is(tokens, at, "{") ||
            ht_tokens_is(tokens, at, "("))
            return tokens->count;
        at = ht_tokens_is(tokens, at, "[") ? ht_tokens_close(tokens, at) + 1 : at + 1;
    }
    return at;
}

/* Writes an array: one copy for each of the joined blocks, and its name for this thread's block. */
static bool write_array(grouping *in, const declarator *of, const ht_tokens *tokens,
                        const char *type, bool dynamic, ht_text *out) {
    const char *name = of->variable->name;
    char *wanted = ht_format("%s_%s", name, in->suffix);
    const char *all = ht_plan_name(in->plan, wanted);
    size_t begin = tokens->items[of->name].end, end = tokens->items[of->end].begin;
    bool good = true;
    if (dynamic) {
        good = of->end == of->name + 3; /* [] */
        ht_text_printf(out,
                       "extern __shared__ %s %s[]; %s *const %s = %s + %s * (%lld / sizeof(%s));",
                       type, all, type, name, all, in->group, (long long)in->lds, type);
    } else {
        char *same = in->lines && begin == end ? ht_format("&%s", name) : ht_format("(&%s)", name);
        ht_text_printf(out, "%s__shared__ %s %s[${%s}]%.*s;%s%s %s%.*s = %s[%s];",
                       out->length && in->lines ? "\n    " : "", type, all, in->param,
                       (int)(end - begin), tokens->text + begin, in->lines ? "\n    " : " ", type,
                       same, (int)(end - begin), tokens->text + begin, all, in->group);
        free(same);
    }
    free(wanted);
    return good;
}

static const ht_syntax_variable *declared(const ht_syntax *statement, size_t index) {
    return &statement->tree->variables[statement->children[index]->variable];
}

static bool edit_statement(grouping *in, const ht_syntax *statement) {
    const ht_model *model = in->model;
    ht_range range = statement->range;
    if (statement->at.file != statement->tree->body->at.file ||
        range.begin < model->definition.body_range.begin ||
        range.end > model->definition.body_range.end)
        return refuse(in, statement->at, "a macro declares its shared memory");
    while (range.end < model->definition.body_range.end && model->text[range.end - 1] != ';')
        ++range.end;
    ht_tokens tokens;
    ht_tokens_read(model->text, range, true, &tokens);
    ht_text text = {0};
    char *type = NULL;
    bool good = true, dynamic = !declared(statement, 0)->is_shared; /* extern */
    for (size_t i = 0; i < statement->count && good; ++i) {
        declarator of = {.variable = declared(statement, i)};
        of.name = ht_tokens_at(&tokens, of.variable->name_end - strlen(of.variable->name));
        of.end = declarator_end(&tokens, of.name + 1);
        good = of.end < tokens.count && ht_tokens_is(&tokens, of.name, of.variable->name) &&
               of.variable->is_shared != dynamic;
        if (good && !type)
            type = specifiers(&tokens, of.name, dynamic);
        good = good && type && write_array(in, &of, &tokens, type, dynamic, &text);
    }
    if (good)
        good = ht_plan_edit(in->plan, range, in->param, text.data);
    else
        refuse(in, statement->at, "the declaration of its shared memory is not understood");
    free(type);
    ht_text_free(&text);
    ht_tokens_free(&tokens);
    return good;
}

static void edit_arrays(grouping *in) {
    const ht_syntax_tree *tree = ht_syntax_of(in->model);
    for (size_t i = 0; i < tree->count && !in->problem; ++i) {
        const ht_syntax *node = tree->nodes[i];
        bool shared = false;
        for (size_t j = 0; node->kind == HT_SYNTAX_DECLARATION && j < node->count; ++j)
            shared = shared || declared(node, j)->local->is_shared;
        if (shared)
            edit_statement(in, node);
    }
}

static bool casts_pointers(const ht_model *model) {
    const ht_syntax_tree *tree = ht_syntax_of(model);
    for (size_t i = 0; i < tree->count; ++i)
        if (tree->nodes[i]->written && tree->nodes[i]->type == HT_TYPE_POINTER)
            return true;
    return false;
}

/* Checks that the arrays of all blocks fit. A second array of the same kind may be aligned for no
 * wider accesses than its elements. */
static bool static_fits(grouping *in) {
    const ht_tiles none = {.model = in->model};
    ht_position at;
    if (ht_shares_elsewhere(in->model, &at))
        return refuse(in, at, "a function that it calls has shared memory");
    if (!in->model->feature[HT_FEATURE_SHARED])
        return true;
    char *bytes = ht_tile_lds_bytes(&none);
    if (!bytes)
        return refuse(in, HT_AT_KERNEL, "the extent of a shared array is not understood");
    if (casts_pointers(in->model))
        ht_plan_require(in->plan, "%s == 1 || (%s) %% %d == 0", in->param, bytes, LDS_ALIGNMENT);
    ht_plan_require(in->plan, "%s == 1 || %s * (%s) <= device.max_static_lds", in->param, in->param,
                    bytes);
    free(bytes);
    return true;
}

static bool dynamic_fits(grouping *in) {
    const ht_launches *launches = &in->model->facts->launches;
    if (!in->model->feature[HT_FEATURE_DYNAMIC_LDS])
        return true;
    for (size_t i = 0; i < launches->count; ++i) {
        int64_t bytes = 0;
        const ht_symbol *lds = launches->items[i].lds;
        if (!lds || ht_symbol_is_assumed(lds) || !ht_symbol_value(lds, &bytes) || bytes <= 0 ||
            bytes % LDS_ALIGNMENT != 0 || (i > 0 && bytes != in->lds))
            return refuse(in, HT_AT_KERNEL,
                          "the size of its dynamic shared memory is not one constant, a multiple "
                          "of 16 bytes");
        in->lds = bytes;
    }
    in->plan->launches.lds_times = ht_strdup(in->param);
    ht_plan_require(in->plan, "%s == 1 || %s * %lld <= device.max_static_lds", in->param, in->param,
                    (long long)in->lds);
    return true;
}

/* ---- the whole ---- */

static bool group(grouping *in) {
    const char *why = ht_renumber_obstacle(in->model, true);
    if (!why && (!barriers_fit(in) || !effects_fit(in)))
        return false;
    why = why ? why : ht_renumber_stack(in->plan, &in->param);
    if (why)
        return refuse(in, HT_AT_KERNEL, why);
    bool waves = keeps_wavefronts(in->model);
    if (in->model->feature[HT_FEATURE_WAVEFRONT] && !waves)
        return refuse(in, HT_AT_KERNEL,
                      "its lanes exchange values, and would not be in the same wavefronts");
    if (!waves && runs_in_step(in->model))
        return refuse(in, HT_AT_KERNEL,
                      "its threads may rely on running in step, and would not be in the same "
                      "wavefronts");
    in->group = ht_plan_name(in->plan, "block_of_these");
    bool fits = static_fits(in) && dynamic_fits(in);
    if (fits)
        edit_arrays(in);
    if (in->problem)
        return false;
    ht_renumber_write(in->plan, NULL, in->group);
    return ht_launch_bounds_follow(in->plan);
}

bool ht_block_group_apply(const ht_model *model, ht_plan *plan) {
    grouping in = {.model = model,
                   .plan = plan,
                   .suffix = "of_blocks",
                   .km = ht_kernel_model_scan(model, (ht_km_variant){0})};
    bool done = group(&in) && !plan->running.failed;
    if (done)
        ht_plan_remark_place(
            plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
            "%s of the original's blocks become one, each with shared memory of its own", in.param);
    else if (in.problem)
        ht_plan_remark_place(plan, HT_REMARK_MISSED, in.place,
                             "its blocks cannot be several of the original's: %s", in.problem);
    return done;
}

const char *ht_block_group_arrays(const ht_model *model, ht_plan *plan, const char *param,
                                  const char *group, ht_position *out_at) {
    grouping in = {.model = model,
                   .plan = plan,
                   .param = param,
                   .group = group,
                   .suffix = "of_rows",
                   .lines = true};
    if (static_fits(&in))
        edit_arrays(&in);
    if (in.problem)
        *out_at = in.place;
    return in.problem;
}

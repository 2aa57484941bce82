#include "refactor/transformations/block_size/block_rows.h"

#include "refactor/kernel/facts.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel/uniform.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/plan_state.h"
#include "refactor/transformations/block_size/block_group.h"

#include <stdlib.h>
#include <string.h>

enum { WAVEFRONT = 64 };

static bool is_asked(const ht_axis *axis) {
    return axis->uses_thread || axis->uses_block || axis->uses_block_dim || axis->uses_grid_dim ||
           axis->uses_global;
}

/* Returns why a launch cannot have rows along the block's second axis; NULL: it can. */
static const char *launch_obstacle(const ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    if (launches->count == 0 || !ht_launch_says_extents(model))
        return "its launch cannot be rewritten";
    for (size_t i = 0; i < launches->count; ++i) {
        const ht_launch_site *site = &launches->items[i];
        bool named = ht_extent_is_record(site->block.variable);
        if (site->in_macro || !ht_extent_is_one(site->grid.axis[1]) ||
            !ht_extent_is_one(site->grid.axis[2]))
            return "a launch has a grid with a second axis";
        if (ht_symbol_is_assumed(site->block.axis[0]) || (!named && site->block.written != 1))
            return "a launch's block cannot be rewritten";
    }
    return NULL;
}

/* Returns why rows may not share a block; NULL: they may. */
static const char *obstacle(const ht_model *model) {
    const ht_index_names *elsewhere = &model->facts->reached.names_elsewhere;
    const ht_axis *axes = model->axes;
    bool asks = elsewhere->called > 0;
    for (int name = HT_INDEX_THREAD; name < HT_INDEX_GLOBAL; ++name)
        asks = asks || elsewhere->named[name];
    if (asks)
        return "a function that it calls uses thread or block indices";
    if (axes[1].block != 1 || axes[2].block != 1 || is_asked(&axes[1]) || is_asked(&axes[2]))
        return "it uses the block's second axis";
    if (axes[0].uses_global || axes[0].uses_grid_dim || model->facts->flat_uses > 0)
        return "it uses the size of the grid";
    if (model->feature[HT_FEATURE_ATOMIC] || model->feature[HT_FEATURE_COOPERATIVE] ||
        model->feature[HT_FEATURE_DYNAMIC_LDS])
        return "rows have more in common than the block";
    if (!ht_barriers_are_common(model))
        return "its rows may not reach a barrier equally often";
    return launch_obstacle(model);
}

/* Returns true if the token stands in a declaration of the body itself, which no other
 * transformation writes anew. */
static bool is_declaration(const ht_syntax_tree *tree, size_t at) {
    for (size_t i = 0; i < tree->body->count; ++i) {
        const ht_syntax *statement = tree->body->children[i];
        if (statement->kind == HT_SYNTAX_DECLARATION && statement->range.begin <= at &&
            at < statement->range.end)
            return true;
    }
    return false;
}

/* Lets the kernel's row follow from both axes. Returns false where it asks for the block in another
 * way. */
static bool edit_blocks(const ht_model *model, ht_plan *plan, const char *param) {
    const ht_syntax_tree *tree = ht_syntax_of(model);
    ht_tokens tokens;
    bool good = true;
    ht_tokens_read(model->text, model->definition.body_range, true, &tokens);
    for (size_t i = 0; i < tokens.count && good; ++i) {
        char *word = ht_tokens_text(&tokens, i);
        bool old = strncmp(word, "hipBlockIdx", strlen("hipBlockIdx")) == 0;
        free(word);
        if (!ht_tokens_is(&tokens, i, "blockIdx")) {
            good = !old;
            continue;
        }
        bool whole = i > 0 && i + 3 < tokens.count && ht_tokens_is(&tokens, i - 1, "=") &&
                     ht_tokens_is(&tokens, i + 3, ";");
        good = i + 2 < tokens.count && ht_tokens_is(&tokens, i + 1, ".") &&
               ht_tokens_is(&tokens, i + 2, "x") && is_declaration(tree, tokens.items[i].begin) &&
               ht_plan_edit(plan, (ht_range){tokens.items[i].begin, tokens.items[i + 2].end}, param,
                            whole ? "blockIdx.x * blockDim.y + threadIdx.y"
                                  : "(blockIdx.x * blockDim.y + threadIdx.y)");
    }
    ht_tokens_free(&tokens);
    return good;
}

static void parameter_add(ht_plan *plan, const char *param, const char *reduce) {
    ht_plan_param(plan, param, "1, 2, 4, 8", "1");
    ht_plan_call(plan, param, "rows per block");
    ht_plan_set_block(plan, 1, param);
    plan->axes[1].keep_grid = true;
    plan->launches.block_rows = param;
    ht_plan_require(plan, "%s == 1 || %s %% %d == 0", param, plan->axes[0].block, WAVEFRONT);
    ht_plan_require(plan, "%s == 1 || %s == 0", param, reduce);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                         "%s: this many rows lie in one block, each with wavefronts and shared "
                         "memory of its own",
                         param);
}

void ht_block_rows_offer(const ht_model *model, ht_plan *plan, const char *reduce) {
    const char *why = obstacle(model), *param = ht_plan_name(plan, "ROWS");
    ht_position at = HT_AT_KERNEL;
    ht_plan_state before = ht_plan_save(plan);
    if (!why && !edit_blocks(model, plan, param))
        why = "its block's number is used in more than declarations";
    if (!why)
        why = ht_block_group_arrays(model, plan, param, "threadIdx.y", &at);
    if (!why)
        parameter_add(plan, param, reduce);
    else {
        plan->running.failed = false;
        ht_plan_restore(plan, &before);
        ht_plan_remark_place(plan, HT_REMARK_MISSED, at, "a block keeps one row: %s", why);
    }
    ht_plan_state_free(&before);
}

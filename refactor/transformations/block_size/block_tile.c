#include "refactor/transformations/block_size/block_tile.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/symbol.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/values.h"
#include "refactor/transformations/launch_bounds.h"
#include "refactor/transformations/tile_constant/tile.h"
#include "refactor/transformations/tile_constant/tile_access.h"
#include "refactor/transformations/tile_constant/tile_apply.h"
#include "refactor/transformations/tile_constant/tile_checks.h"
#include "refactor/transformations/tile_constant/tile_conditions.h"
#include "refactor/transformations/tile_constant/tile_expression.h"
#include "refactor/transformations/tile_constant/tile_indices.h"
#include "refactor/transformations/tile_constant/tile_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding the constants ---- */

static size_t definitions(const ht_source *source, const char *name, const ht_macro **out_macro) {
    size_t count = 0;
    for (size_t i = 0; i < source->macros.count; ++i)
        if (strcmp(source->macros.items[i].name, name) == 0) {
            *out_macro = &source->macros.items[i];
            ++count;
        }
    return count;
}

static bool is_number(const ht_source *source, const ht_macro *macro) {
    ht_tokens body;
    ht_tokens_read(source->files[macro->file].text, macro->body, false, &body);
    bool number = body.count == 1 && body.items[0].kind == HT_TOKEN_NUMBER;
    ht_tokens_free(&body);
    return number;
}

typedef struct use_search {
    const ht_tiles *tiles;
    const ht_tile *tile;
} use_search;

static bool is_use(const ht_syntax *node, const void *context) {
    const use_search *in = context;
    return ht_syntax_is_expression(node) && ht_tiles_leaf(in->tiles, node) == in->tile;
}

static bool used_in(const ht_tiles *tiles, const ht_tile *tile, const ht_syntax *function) {
    const use_search in = {tiles, tile};
    return ht_syntax_first(function, is_use, &in) != NULL;
}

/* Returns the kernel's template parameter that is launched with the same constant, or the same
 * literal; NULL: there is none. */
static const ht_template_parameter *template_parameter(const ht_model *model,
                                                       const ht_symbol *block) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        const ht_template_parameter *parameter = &facts->template_parameters.items[i];
        int64_t value;
        if (!parameter->symbol || parameter->kind != HT_TEMPLATE_VALUE ||
            parameter->symbol->kind != block->kind || !ht_symbol_value(block, &value) ||
            !parameter->has_value || parameter->value != value)
            continue;
        bool names = parameter->symbol->name && block->name &&
                     strcmp(parameter->symbol->name, block->name) == 0;
        bool literals = !parameter->symbol->name && !block->name;
        if (names || literals)
            return parameter;
    }
    return NULL;
}

static ht_tile *tile_add(ht_tiles *tiles, ht_tile tile) {
    for (size_t i = 0; i < tiles->count; ++i)
        if (tiles->items[i].kind == tile.kind && strcmp(tiles->items[i].name, tile.name) == 0) {
            free(tile.name);
            return &tiles->items[i];
        }
    tiles->items[tiles->count] = tile;
    return &tiles->items[tiles->count++];
}

static bool find_tile(ht_tiles *tiles, const ht_symbol *block, int axis) {
    const ht_model *model = tiles->model;
    const ht_template_parameter *parameter = template_parameter(model, block);
    const ht_syntax_tree *tree = ht_syntax_whole(model);
    ht_tile tile = {.value = model->axes[axis].block};
    if (parameter) {
        tile.kind = HT_TILE_TEMPLATE;
        tile.parameter = (size_t)(parameter - model->facts->template_parameters.items);
        tile.variable = ht_syntax_template_parameter(tree, tile.parameter);
        tile.name = ht_strdup(parameter->name);
    } else if (block->kind == HT_SYMBOL_CONSTANT && block->origin == HT_ORIGIN_MACRO) {
        tile.kind = HT_TILE_MACRO;
        const ht_source *source = model->facts->source;
        if (definitions(source, block->name, &tile.macro) != 1 || !is_number(source, tile.macro))
            return false;
        tile.name = ht_strdup(block->name);
    } else if (block->kind == HT_SYMBOL_CONSTANT && block->origin == HT_ORIGIN_VARIABLE) {
        tile.kind = HT_TILE_VARIABLE;
        tile.variable = ht_syntax_symbol_variable(tree, block);
        tile.name = ht_strdup(block->name);
    } else
        return false;
    tile_add(tiles, tile)->axis[axis] = true;
    return true;
}

static bool find_tiles(ht_tiles *tiles, ht_plan *plan) {
    const ht_model *model = tiles->model;
    const ht_launches *launches = &model->facts->launches;
    if (launches->count == 0) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "threads share memory, and no launch ties the block to a constant");
        return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const ht_symbol *block = launches->items[0].block.axis[axis];
        if (model->axes[axis].block <= 1)
            continue;
        if (!block || !find_tile(tiles, block, axis)) {
            ht_plan_remark_at(plan, HT_REMARK_MISSED, launches->items[0].line,
                              "threads share memory, and the block along %c (%lld) is no named "
                              "constant that the kernel uses too",
                              'x' + axis, (long long)model->axes[axis].block);
            return false;
        }
    }
    for (size_t i = 0; i < tiles->count; ++i) {
        ht_tile *tile = &tiles->items[i];
        bool used = false;
        for (size_t j = 0; j < model->facts->reached.count; ++j) {
            bool here = used_in(tiles, tile, ht_syntax_whole(model)->all->children[j]);
            used = used || here;
            tile->in_functions = tile->in_functions || (here && j > 0);
        }
        if (!used) {
            ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                                 "threads share memory, and the kernel does not use %s, its block",
                                 tile->name);
            return false;
        }
    }
    return tiles->count > 0;
}

/* ---- what forbids ---- */

/* A search for constants computed from a promoted one by a const variable outside of the kernel:
 * they would keep their old values. */
typedef struct derived_search {
    const ht_tiles *tiles;
    ht_plan *plan;
    bool good;
} derived_search;

/* Returns true if no macro writes more than this name. */
static bool names_itself(const ht_syntax *node) {
    const ht_model *model = node->tree->model;
    ht_range body = model->definition.body_range;
    if (!node->plain || node->range.begin < body.begin || node->range.end > body.end)
        return false;
    char *text = ht_model_text(model, node->range);
    const char *last = strrchr(text, ':');
    bool same = strcmp(last ? last + 1 : text, ht_syntax_named(node)->name) == 0;
    free(text);
    return same;
}

static bool on_derived(const ht_syntax *node, void *context) {
    derived_search *in = context;
    if (node->kind != HT_SYNTAX_NAME || ht_tiles_leaf(in->tiles, node) ||
        ht_syntax_named(node)->local || !ht_tiles_mention(in->tiles, node))
        return in->good;
    char *text = ht_tiles_expression(in->tiles, node);
    if (!text || !names_itself(node) ||
        !ht_plan_editf(in->plan, node->range, NULL, "${%s}", text)) {
        ht_plan_remark_place(in->plan, HT_REMARK_MISSED, node->at,
                             "a constant that is computed from the block's cannot follow it");
        in->good = false;
    }
    free(text);
    return in->good;
}

static bool edit_derived(const ht_tiles *tiles, ht_plan *plan) {
    derived_search in = {tiles, plan, true};
    ht_syntax_walk(ht_syntax_whole(tiles->model)->all, on_derived, &in);
    return in.good;
}

/* Returns true if an argument is computed from the block on the host: it would not change with
 * it. */
static bool symbol_mentions(const ht_tiles *tiles, const ht_symbol *symbol, bool inside) {
    if (!symbol)
        return false;
    for (size_t i = 0; i < tiles->count; ++i) {
        const ht_tile *tile = &tiles->items[i];
        if (symbol->name && strcmp(symbol->name, tile->name) == 0 &&
            symbol->kind == HT_SYMBOL_CONSTANT)
            return true;
        if (inside && symbol->kind == HT_SYMBOL_CONSTANT &&
            (symbol->value == tile->value || symbol->value == tile->value - 1))
            return true;
    }
    bool deeper = inside || symbol->kind == HT_SYMBOL_BINARY || symbol->kind == HT_SYMBOL_CALL;
    for (int i = 0; i < 3; ++i)
        if (symbol_mentions(tiles, symbol->arguments[i], deeper))
            return true;
    return symbol_mentions(tiles, symbol->value_of, inside);
}

static bool arguments_free(const ht_tiles *tiles, ht_plan *plan) {
    const ht_launches *launches = &tiles->model->facts->launches;
    for (size_t i = 0; i < launches->count; ++i) {
        const ht_launch_site *site = &launches->items[i];
        bool tied = site->lds && symbol_mentions(tiles, site->lds, true);
        for (size_t j = 0; j < site->argument_count && !tied; ++j) {
            if (j < tiles->model->parameters.count && tiles->model->parameters.items[j].is_pointer)
                continue;
            ht_symbol *symbol = ht_symbol_read(tiles->model->facts->source, site->arguments[j]);
            tied = symbol_mentions(tiles, symbol, false);
            ht_symbol_free(symbol);
        }
        for (int axis = 0; axis < 3 && !tied; ++axis)
            tied = tiles->model->axes[axis].block <= 1 && site->grid.axis[axis] &&
                   symbol_mentions(tiles, site->grid.axis[axis], true);
        if (tied) {
            ht_plan_remark_at(plan, HT_REMARK_MISSED, site->line,
                              "an argument of the launch is computed from the block");
            return false;
        }
    }
    return true;
}

static bool placeable(ht_tiles *tiles, ht_plan *plan) {
    for (size_t i = 0; i < tiles->count; ++i) {
        ht_tile *tile = &tiles->items[i];
        tile->by_macro = tile->kind == HT_TILE_MACRO && (tile->in_functions || tile->in_conditions);
        const char *words = NULL;
        if (tile->kind == HT_TILE_VARIABLE && tile->in_functions)
            words = "is used in device functions too";
        else if (tile->by_macro && tile->macro->file != 0)
            words = "is defined in a header, and asked for by what is not this kernel's alone";
        else if (tile->by_macro && tile->in_functions && !ht_tile_alone(tiles, tile, plan))
            words = "is used in device functions, and in more than this kernel and its launches";
        for (size_t j = 0; tiles->model->entry && j < tiles->model->entry->arg_count; ++j)
            if (strcmp(tiles->model->entry->args[j].name, tile->name) == 0)
                words = "is also the name of an argument";
        if (words) {
            ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL, "%s %s", tile->name, words);
            return false;
        }
    }
    return true;
}

/* ---- parameters ---- */

static const char *parameter_type(const ht_tile *tile) {
    const ht_syntax *declared = tile->variable ? tile->variable->declaration : NULL;
    if (tile->kind != HT_TILE_VARIABLE || !declared || declared->bits < 32)
        return NULL;
    if (declared->is_signed)
        return declared->bits == 64 ? "long" : NULL;
    return declared->bits == 64 ? "unsigned long" : "unsigned int";
}

static void add_parameter(ht_plan *plan, const ht_tile *tile, bool only_larger) {
    static const int64_t line[] = {32, 64, 128, 192, 256, 384, 512, 1024};
    static const int64_t plane[] = {2, 4, 8, 10, 12, 16, 20, 24, 28, 32, 48, 64};
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis)
        axes += plan->model->axes[axis].block > 1;
    int64_t least = only_larger ? tile->value : 1;
    int64_t most = tile->axis[0] && tile->axis[1] ? 32 : 1024;
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)tile->value);
    char *values = axes == 1 ? ht_values_around(line, 8, tile->value, least, most)
                             : ht_values_around(plane, 12, tile->value, least, most);
    ht_planned_param *param = ht_plan_param_add(plan, tile->name, values, number);
    param->existing = tile->kind == HT_TILE_TEMPLATE;
    param->type = parameter_type(tile);
    param->macro = tile->by_macro;
    param->hidden_macro =
        tile->kind == HT_TILE_MACRO && !tile->by_macro ? ht_strdup(tile->name) : NULL;
    free(values);
    for (int axis = 0; axis < 3; ++axis)
        if (tile->axis[axis])
            ht_plan_set_block(plan, axis, tile->name);
}

/* Excuses the original from the requires that were added, which need not hold for it. */
static void excuse_default(const ht_tiles *tiles, ht_plan *plan, size_t first) {
    ht_text original = {0};
    for (size_t i = 0; i < tiles->count; ++i)
        ht_text_printf(&original, "%s%s == %lld", i ? " && " : "", tiles->items[i].name,
                       (long long)tiles->items[i].value);
    for (size_t i = first; i < plan->requires.count; ++i) {
        char *excused = ht_format("%s || %s", original.data, plan->requires.items[i]);
        free(plan->requires.items[i]);
        plan->requires.items[i] = excused;
    }
    ht_text_free(&original);
}

static void set_coverage(ht_plan *plan, ht_access_facts *facts, const bool exact[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!plan->axes[axis].changed)
            continue;
        plan->axes[axis].exact_cover = !facts->store_bound[axis] || exact[axis];
        plan->axes[axis].keep_cover = !facts->loads_bounded[axis];
        free(plan->axes[axis].bound);
        plan->axes[axis].bound = facts->store_bound[axis];
        facts->store_bound[axis] = NULL;
    }
}

static bool promote(ht_tiles *tiles, ht_plan *plan, ht_access_facts *facts) {
    const ht_model *model = tiles->model;
    unsigned only_larger = 0;
    bool exact[3] = {false, false, false};
    if (model->feature[HT_FEATURE_DYNAMIC_LDS]) {
        ht_plan_remark_at(plan, HT_REMARK_MISSED, model->feature_line[HT_FEATURE_DYNAMIC_LDS],
                          "dynamic shared memory is sized by the launch");
        return false;
    }
    if (!find_tiles(tiles, plan))
        return false;
    size_t first = plan->requires.count;
    if (!ht_tile_conditions_fit(tiles, plan) || !placeable(tiles, plan) ||
        !ht_tile_literals_fit(tiles, plan) || !ht_tile_indices_fit(tiles, plan, exact) ||
        !ht_tile_values_fit(tiles, plan) || !arguments_free(tiles, plan))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < tiles->count; ++i)
            if (tiles->items[i].axis[axis])
                ht_plan_set_block(plan, axis, tiles->items[i].name);
    ht_tile_accesses(tiles, facts);
    if (!ht_tile_relations_fit(tiles, plan, facts, &only_larger))
        return false;
    if (ht_tile_functions_store(tiles)) /* perhaps a halo */
        only_larger = ~0u;
    excuse_default(tiles, plan, first);
    char *bytes = ht_tile_lds_bytes(tiles);
    if (!bytes) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "the extent of a shared array is not understood");
        return false;
    }
    if (model->feature[HT_FEATURE_SHARED])
        ht_plan_require(plan, "%s <= device.max_static_lds", bytes);
    free(bytes);
    for (size_t i = 0; i < tiles->count; ++i)
        add_parameter(plan, &tiles->items[i], only_larger & 1u << i);
    char *threads = ht_plan_threads(plan);
    ht_plan_require(plan, "%s <= device.max_threads", threads);
    free(threads);
    set_coverage(plan, facts, exact);
    return edit_derived(tiles, plan) && ht_launch_bounds_follow(plan) &&
           ht_tile_apply_edits(tiles, plan);
}

bool ht_block_tile_apply(const ht_model *model, ht_plan *plan) {
    ht_tiles tiles = {.model = model};
    ht_access_facts facts = {0};
    bool done = promote(&tiles, plan, &facts);
    for (int axis = 0; axis < 3; ++axis)
        free(facts.store_bound[axis]);
    for (size_t i = 0; i < tiles.count; ++i) {
        if (done)
            ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                                 "%s became a parameter wherever the kernel and its launch use it",
                                 tiles.items[i].name);
        free(tiles.items[i].name);
    }
    return done;
}

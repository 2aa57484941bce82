/* block-size for kernels whose threads share memory, where nothing ties the block to what is
 * computed: several of the original's blocks become one, each with arrays of its own, that lie side
 * by side. Small blocks share a compute unit's places better so. Every thread sees the original's
 * indices (block_renumber.c); barriers now wait for more threads than they need to, which is right
 * where all blocks come to the same ones. Results are the same to the bit. */
#include "base/memory.h"
#include "refactor/kernel/uniform.h"
#include "refactor/kernel_model/scan.h"
#include "refactor/transformations/block_size/block_renumber.h"
#include "refactor/transformations/launch_bounds.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

enum { WAVEFRONT = 64, LDS_ALIGNMENT = 16 };

typedef struct grouping {
    const ht_model *model;
    ht_plan *plan;
    ht_kernel_model *km;
    const char *param, *group; /* how many blocks are one; which of them a thread belongs to */
    int64_t lds;               /* bytes of dynamic shared memory of one of the original's blocks */
    const char *problem;
    CXCursor place;
} grouping;

static bool refuse(grouping *in, CXCursor at, const char *words) {
    if (!in->problem) {
        in->problem = words;
        in->place = at;
    }
    return false;
}

/* ---- barriers
 * ------------------------------------------------------------------------------------------------------
 */

static bool same_for_all(const grouping *in, const ht_km_test *test) {
    return ht_test_scope(&in->km->pool, test) <= HT_SCOPE_ITERATION;
}

/* All threads of the launch come to the same barriers, equally often. */
static bool barriers_fit(grouping *in) {
    const ht_kernel_model *km = in->km;
    if (!km->complete)
        return refuse(in, in->model->kernel, km->incomplete);
    if (ht_barriers_are_common(in->model))
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
            return refuse(in, in->model->kernel,
                          "its blocks may come to a barrier not equally often");
    }
    return true;
}

static bool effects_fit(grouping *in) {
    const ht_kernel_model *km = in->km;
    for (size_t i = 0; i < km->effect_count; ++i)
        if (strcmp(km->effects[i].kind, "atomic") != 0 && strcmp(km->effects[i].kind, "fence") != 0)
            return refuse(in, in->model->kernel, "a call's effects are not known");
    return !ht_renumber_may_wait(in->model, km) ||
           refuse(in, in->model->kernel, "a loop may wait for other blocks");
}

/* Do threads meet in shared memory with nothing between but that they run in step? */
static bool runs_in_step(const ht_model *model) {
    ht_kernel_model *km = ht_kernel_model_build(model);
    bool may = !km->complete;
    for (size_t i = 0; i < km->dependence_count; ++i) {
        ht_km_space space = km->arrays[km->dependences[i].array].space;
        bool shared = space == HT_SPACE_SHARED || space == HT_SPACE_DYNAMIC_SHARED;
        may = may || (shared && km->dependences[i].races != HT_NO);
    }
    ht_kernel_model_free(km);
    return may;
}

/* ---- shared arrays
 * -------------------------------------------------------------------------------------------------
 */

typedef struct declarator {
    CXCursor variable;
    size_t name, end; /* tokens: its name, and what ends it */
} declarator;

static bool is_word(const ht_tokens *tokens, size_t i, const char *const *words) {
    for (; *words; ++words)
        if (ht_tokens_is(tokens, i, *words))
            return true;
    return false;
}

/* What stands ahead of the first name but what makes it shared. Alignment is left out where it is
 * that of a pointer's target. NULL: more than a type; free(). */
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

/* One array's text: as many of it as blocks are together, and its name for one of them. */
static bool write_array(grouping *in, const declarator *of, const ht_tokens *tokens,
                        const char *type, bool dynamic, ht_text *out) {
    char *name = ht_tokens_text(tokens, of->name), *wanted = ht_format("%s_of_blocks", name);
    const char *all = ht_plan_name(in->plan, wanted);
    size_t begin = tokens->items[of->name].end, end = tokens->items[of->end].begin;
    bool good = true;
    if (dynamic) {
        CXType element = clang_getArrayElementType(clang_getCursorType(of->variable));
        good = clang_getCursorType(of->variable).kind == CXType_IncompleteArray &&
               element.kind != CXType_IncompleteArray;
        ht_text_printf(out,
                       "extern __shared__ %s %s[]; %s *const %s = %s + %s * (%lld / sizeof(%s));",
                       type, all, type, name, all, in->group, (long long)in->lds, type);
    } else
        ht_text_printf(out, "__shared__ %s %s[${%s}]%.*s; %s (&%s)%.*s = %s[%s];", type, all,
                       in->param, (int)(end - begin), tokens->text + begin, type, name,
                       (int)(end - begin), tokens->text + begin, all, in->group);
    free(name);
    free(wanted);
    return good;
}

static bool is_dynamic(CXCursor variable) {
    return clang_Cursor_getStorageClass(variable) == CX_SC_Extern;
}

static bool edit_statement(grouping *in, CXCursor statement, const ht_cursors *list) {
    const ht_model *model = in->model;
    ht_range range;
    size_t file;
    if (!ht_source_range(model->facts->source, statement, &file, &range) || file != 0 ||
        range.begin < model->body_range.begin || range.end > model->body_range.end)
        return refuse(in, statement, "a macro declares its shared memory");
    while (range.end < model->body_range.end && model->text[range.end - 1] != ';')
        ++range.end;
    ht_tokens tokens;
    ht_tokens_read(model->text, range, true, &tokens);
    ht_text text = {0};
    char *type = NULL;
    bool good = true, dynamic = is_dynamic(list->items[0]);
    for (size_t i = 0; i < list->count && good; ++i) {
        declarator of = {.variable = list->items[i]};
        unsigned offset;
        clang_getExpansionLocation(clang_getCursorLocation(of.variable), NULL, NULL, NULL, &offset);
        of.name = ht_tokens_at(&tokens, offset);
        of.end = declarator_end(&tokens, of.name + 1);
        char *name = ht_cursor_name(of.variable);
        good = of.end < tokens.count && ht_tokens_is(&tokens, of.name, name) &&
               is_dynamic(of.variable) == dynamic;
        free(name);
        if (good && !type)
            type = specifiers(&tokens, of.name, dynamic);
        good = good && type && write_array(in, &of, &tokens, type, dynamic, &text);
    }
    if (good)
        good = ht_plan_edit(in->plan, range, in->param, text.data);
    else
        refuse(in, statement, "the declaration of its shared memory is not understood");
    free(type);
    ht_text_free(&text);
    ht_tokens_free(&tokens);
    return good;
}

static bool on_statement(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    grouping *in = context;
    if (clang_getCursorKind(cursor) != CXCursor_DeclStmt || in->problem)
        return !in->problem;
    ht_cursors list = ht_ast_children(cursor);
    bool shared = false;
    for (size_t i = 0; i < list.count; ++i)
        shared = shared || ht_ast_is_shared(list.items[i]);
    if (shared)
        edit_statement(in, cursor, &list);
    free(list.items);
    return true;
}

static bool on_shared(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *found = context;
    *found = *found || ht_ast_is_shared(cursor);
    return !*found;
}

static bool on_cast(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *found = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool cast = kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXReinterpretCastExpr;
    *found = *found ||
             (cast && clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Pointer);
    return !*found;
}

/* Bytes of the arrays of one of the original's blocks; the second array of a kind may not be
 * aligned for wider accesses than its elements. */
static bool static_fits(grouping *in) {
    const ht_tiles none = {.model = in->model};
    const ht_kernel_facts *facts = in->model->facts;
    for (size_t i = 0; i < facts->reached_count; ++i) {
        bool elsewhere = false;
        if (!clang_equalCursors(facts->reached[i], in->model->kernel))
            ht_ast_walk(facts->reached[i], on_shared, &elsewhere);
        if (elsewhere)
            return refuse(in, facts->reached[i], "a function that it calls has shared memory");
    }
    if (!in->model->feature[HT_FEATURE_SHARED])
        return true;
    bool cast = false;
    ht_ast_walk(in->model->body, on_cast, &cast);
    char *bytes = ht_tile_lds_bytes(&none);
    if (!bytes)
        return refuse(in, in->model->kernel, "the extent of a shared array is not understood");
    if (cast)
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
        if (!lds || !ht_symbol_value(lds, &bytes) || bytes <= 0 || bytes % LDS_ALIGNMENT != 0 ||
            (i > 0 && bytes != in->lds))
            return refuse(in, in->model->kernel,
                          "the bytes of its dynamic shared memory are no constant, or none that "
                          "another block's could follow");
        in->lds = bytes;
    }
    in->plan->lds_times = ht_strdup(in->param);
    ht_plan_require(in->plan, "%s == 1 || %s * %lld <= device.max_static_lds", in->param, in->param,
                    (long long)in->lds);
    return true;
}

/* ---- the whole
 * ----------------------------------------------------------------------------------------------------
 */

static bool group(grouping *in) {
    const ht_axis *axes = in->model->axes;
    const char *why = ht_renumber_obstacle(in->model);
    if (!why && (!barriers_fit(in) || !effects_fit(in)))
        return false;
    why = why ? why : ht_renumber_stack(in->plan, &in->param);
    if (why)
        return refuse(in, in->model->kernel, why);
    bool waves = axes[0].block * axes[1].block * axes[2].block % WAVEFRONT == 0;
    if ((!waves || in->model->facts->assumed) && runs_in_step(in->model))
        return refuse(in, in->model->kernel,
                      "its threads may rely on running in step, and would not be in the same "
                      "wavefronts");
    in->group = ht_plan_name(in->plan, "block_of_these");
    bool fits = static_fits(in) && dynamic_fits(in);
    if (fits)
        ht_ast_walk(in->model->body, on_statement, in);
    if (in->problem)
        return false;
    ht_renumber_write(in->plan, NULL, in->group);
    return ht_launch_bounds_follow(in->plan);
}

bool ht_block_group_apply(const ht_model *model, ht_plan *plan) {
    grouping in = {.model = model, .plan = plan, .km = ht_kernel_model_scan(model)};
    bool done = group(&in) && !plan->failed;
    if (done)
        ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
                       "%s of the original's blocks become one, each with shared memory of its own",
                       in.param);
    else if (in.problem)
        ht_plan_remark(plan, HT_REMARK_MISSED, in.place,
                       "its blocks cannot be several of the original's: %s", in.problem);
    ht_kernel_model_free(in.km);
    return done;
}

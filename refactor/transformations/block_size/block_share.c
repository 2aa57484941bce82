/* What threads that deal out the iterations of some loops may do besides: work on their global
 * index, on what those loops brought into shared memory.
 *
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) table[i] = weights[i];
 *     __syncthreads();
 *     if (index < m) out[index] = table[...];
 *
 * Each block's shared memory then holds the same, whichever threads it has: nothing outside of the
 * loops writes to it, and nothing in the loops comes from a thread's index, but by their counters.
 */
#include "refactor/transformations/block_size/block_size.h"

#include <stdlib.h>

enum { DEPTH_MAX = 16 };

typedef struct searching {
    const ht_model *model;
    CXCursor loop;
    int depth;
    bool found;
} searching;

static bool on_value(CXCursor cursor, CXCursor parent, void *context);

/* A variable from outside of the loop must hold what is the same for all threads. */
static void look_at_variable(searching *in, CXCursor declaration) {
    const ht_local *local = ht_model_local(in->model, declaration);
    if (!local || local->is_shared || ht_ast_inside(declaration, in->loop))
        return;
    if (local->is_array || local->writes > 0 || clang_Cursor_isNull(local->initializer) ||
        ++in->depth > DEPTH_MAX) {
        in->found = true;
        return;
    }
    if (on_value(local->initializer, declaration, in))
        ht_ast_walk(local->initializer, on_value, in);
    --in->depth;
}

static bool on_value(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    searching *in = context;
    int axis;
    CXCursor pitch;
    if (in->found || !clang_isExpression(clang_getCursorKind(cursor)))
        return !in->found;
    ht_index_kind kind = ht_index_plain(in->model, cursor, false, &axis);
    if (kind == HT_INDEX_THREAD || kind == HT_INDEX_BLOCK ||
        ht_index_global(in->model, cursor, &axis, &pitch))
        in->found = true;
    else if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        look_at_variable(in, clang_getCursorReferenced(cursor));
    return !in->found && kind == HT_INDEX_NONE;
}

bool ht_block_loop_is_uniform(const ht_model *model, CXCursor loop, CXCursor body) {
    searching in = {.model = model, .loop = loop};
    if (on_value(body, loop, &in))
        ht_ast_walk(body, on_value, &in);
    return !in.found;
}

static bool on_end(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *ends = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    *ends = *ends || kind == CXCursor_ReturnStmt || kind == CXCursor_GotoStmt;
    return !*ends;
}

bool ht_block_loops_are_reached(const ht_model *model, const CXCursor *loops, size_t count) {
    ht_cursors list = ht_ast_children(model->body);
    size_t found = 0;
    bool ends = false;
    for (size_t i = 0; i < list.count && found < count && !ends; ++i) {
        bool is_loop = false;
        for (size_t j = 0; j < count; ++j)
            is_loop = is_loop || clang_equalLocations(clang_getCursorLocation(list.items[i]),
                                                      clang_getCursorLocation(loops[j]));
        found += is_loop;
        on_end(list.items[i], model->body, &ends);
        ht_ast_walk(list.items[i], on_end, &ends);
    }
    free(list.items);
    return found == count && !ends;
}

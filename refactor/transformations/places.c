#include "refactor/transformations/places.h"

#include "refactor/kernel/facts.h"

#include <string.h>

typedef struct asking {
    bool threads, found;
} asking;

static bool on_name(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    asking *in = context;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        (ht_cursor_named(cursor, "blockIdx") ||
         (in->threads && ht_cursor_named(cursor, "threadIdx"))))
        in->found = true;
    return !in->found;
}

static bool asks_elsewhere(const ht_model *model, bool threads) {
    asking in = {.threads = threads};
    for (size_t i = 0; i < model->facts->reached_count && !in.found; ++i)
        if (!clang_equalCursors(model->facts->reached[i], model->kernel) &&
            !clang_equalCursors(model->facts->reached[i], model->body))
            ht_ast_walk(model->facts->reached[i], on_name, &in);
    return in.found;
}

/* Does the body's text hold one of the words? */
static bool mentions(const ht_model *model, const char *const *words) {
    for (; *words; ++words) {
        const char *at = strstr(model->text + model->body_range.begin, *words);
        if (at && (size_t)(at - model->text) < model->body_range.end)
            return true;
    }
    return false;
}

/* In a way that a variable does not answer. */
static bool asks_otherwise(const ht_model *model, bool threads) {
    static const char *const of_blocks[] = {"workgroup_id", "get_group_id", "this_grid",
                                            "this_cluster", "::blockIdx",   NULL};
    static const char *const of_threads[] = {"workitem_id", "get_local_id", "this_thread_block",
                                             "::threadIdx", NULL};
    return mentions(model, of_blocks) || (threads && mentions(model, of_threads));
}

const char *ht_places_obstacle(const ht_model *model, bool threads) {
    if (model->feature[HT_FEATURE_COOPERATIVE] || model->feature[HT_FEATURE_ASM] ||
        model->feature[HT_FEATURE_INDEX_ESCAPE] || asks_otherwise(model, threads))
        return "the kernel asks for its place in a way that is not followed";
    if (asks_elsewhere(model, threads))
        return threads ? "a function that it calls asks for its place"
                       : "a function that it calls asks for its block";
    return NULL;
}

#include "refactor/transformations/places.h"

#include "refactor/kernel/facts.h"

#include <string.h>

/* Returns true if the body's text has one of the words. */
static bool mentions(const ht_model *model, const char *const *words) {
    for (; *words; ++words) {
        const char *at = strstr(model->text + model->definition.body_range.begin, *words);
        if (at && (size_t)(at - model->text) < model->definition.body_range.end)
            return true;
    }
    return false;
}

/* Returns true if the body gets a place in a way that a variable cannot provide. */
static bool asks_otherwise(const ht_model *model, bool threads) {
    static const char *const of_blocks[] = {"workgroup_id", "get_group_id", "this_grid",
                                            "this_cluster", "::blockIdx",   NULL};
    static const char *const of_threads[] = {"workitem_id", "get_local_id", "this_thread_block",
                                             "::threadIdx", NULL};
    return mentions(model, of_blocks) || (threads && mentions(model, of_threads));
}

const char *ht_places_obstacle(const ht_model *model, bool threads) {
    const bool *named = model->facts->reached.names_elsewhere.named;
    if (model->feature[HT_FEATURE_COOPERATIVE] || model->feature[HT_FEATURE_ASM] ||
        model->feature[HT_FEATURE_INDEX_ESCAPE] || asks_otherwise(model, threads))
        return "the kernel gets its indices in a way that is not followed";
    if (named[HT_INDEX_BLOCK] || (threads && named[HT_INDEX_THREAD]))
        return threads ? "a function that it calls uses thread or block indices"
                       : "a function that it calls uses blockIdx";
    return NULL;
}

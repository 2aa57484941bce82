#include "refactor/unit/launcher_alone.h"

#include "refactor/kernel/facts.h"
#include "refactor/source/comment.h"

#include <string.h>

/* Returns true for the words of a launch: `<<<`, or a function that launches. */
static bool is_launch(const ht_tokens *tokens, size_t at) {
    const ht_token *token = &tokens->items[at];
    return ht_tokens_is(tokens, at, "<<<") ||
           (token->kind == HT_TOKEN_NAME &&
            memmem(tokens->text + token->begin, token->end - token->begin, "LaunchKernel", 12));
}

static bool range_of(const ht_model *model, size_t index, ht_range *out_range) {
    size_t file;
    return ht_source_range(model->facts->source, model->facts->launches.items[index].function,
                           &file, out_range) &&
           file == 0;
}

bool ht_launcher_alone(const ht_model *model, size_t index, ht_range *out_range) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    ht_range own, other;
    size_t launches = 0, words = 0;
    if (!range_of(model, index, &own))
        return false;
    for (size_t i = 0; i < model->facts->launches.count; ++i) {
        bool same = range_of(model, i, &other) && other.begin == own.begin;
        if (same && i < index)
            return false;
        launches += same;
    }
    for (size_t i = ht_tokens_at(tokens, own.begin);
         i < tokens->count && tokens->items[i].begin < own.end; ++i)
        words += is_launch(tokens, i);
    own.begin = ht_comment_above(model->text, own.begin);
    *out_range = own;
    return words == launches;
}

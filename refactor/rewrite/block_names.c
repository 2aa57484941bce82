#include "refactor/rewrite/block_names.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/plan/plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if each launch has the configuration's block along an axis, and blockDim is it. */
static bool is_only_block(const ht_constants *kernel, int axis) {
    const ht_plan *plan = kernel->plan;
    return ht_launch_fallback_of(plan, kernel->grid, &kernel->values) == HT_FALLBACK_NONE &&
           !plan->axes[axis].falls_back && !plan->stack.param && !plan->launches.block_rows &&
           !plan->launches.row_blocks && !plan->launches.renumbered;
}

/* Returns the next blockDim.x from a place on; NULL: there is none. */
static const char *next_block(const char *at, const char *begin, const char *word) {
    while ((at = ht_name_next(begin, at, word)) != NULL && at > begin && at[-1] == '.')
        at += strlen(word);
    return at;
}

static void block_word(int axis, char out[16]) {
    memcpy(out, "blockDim.x", sizeof "blockDim.x");
    out[strlen(out) - 1] = (char)('x' + axis);
}

/* Returns true if the author's kernel asks for the block in both ways. */
static bool asks_block(const ht_model *model, int axis) {
    char word[16];
    block_word(axis, word);
    ht_range range = model->definition.range;
    char *text = ht_strndup(model->facts->source->text + range.begin, range.end - range.begin);
    bool asks = next_block(text, text, word) != NULL;
    free(text);
    return asks;
}

/* Returns the name in the place of the block's extent; free(). NULL: it is a number, or more. */
static char *pitch_name(const ht_model *model, size_t index) {
    ht_range place;
    ht_position at;
    if (!ht_pitch_place(model, index, &place, &at) || !ht_pitch_is_unsigned(model, index))
        return NULL;
    const char *text = model->facts->source->text + place.begin;
    size_t length = place.end - place.begin;
    bool word = length > 0 && !isdigit((unsigned char)*text);
    for (size_t i = 0; i < length; ++i)
        word = word && ht_name_has(text[i]);
    return word ? ht_strndup(text, length) : NULL;
}

void ht_block_names_find(const ht_constants *kernels, size_t count, ht_block_names *out) {
    *out = (ht_block_names){0};
    for (size_t k = 0; k < count; ++k) {
        const ht_model *model = kernels[k].model;
        const ht_plan *plan = kernels[k].plan;
        for (size_t i = 0; i < model->facts->pitches.count; ++i) {
            int axis = model->facts->pitches.items[i].axis;
            const char *block = plan->axes[axis].block ? plan->axes[axis].block : "1";
            int64_t threads;
            char *name = is_only_block(&kernels[k], axis) && !asks_block(model, axis) &&
                                 ht_plan_value(&kernels[k].values, block, &threads)
                             ? pitch_name(model, i)
                             : NULL;
            if (!name)
                continue;
            HT_GROW(out->items, out->count);
            out->items[out->count++] =
                (ht_block_name){k, axis, name, threads, model->axes[axis].block};
        }
    }
}

void ht_block_names_free(ht_block_names *names) {
    for (size_t i = 0; i < names->count; ++i)
        free(names->items[i].name);
    free(names->items);
    *names = (ht_block_names){0};
}

static bool stands_at(const ht_source *source, const ht_replacement *item, const char *name) {
    size_t length = strlen(name);
    return item->range.end - item->range.begin == length &&
           strncmp(source->text + item->range.begin, name, length) == 0;
}

int64_t ht_block_names_use(const ht_block_names *names, const ht_source *source,
                           const ht_replacement *item, const char *name) {
    for (size_t i = 0; i < names->count; ++i) {
        char word[16];
        block_word(names->items[i].axis, word);
        if (names->items[i].owner == item->owner && strcmp(names->items[i].name, name) == 0 &&
            stands_at(source, item, name) && strcmp(item->text, word) == 0)
            return names->items[i].threads;
    }
    return 0;
}

void ht_block_names_define(ht_block_names *names, const char *name, int64_t value) {
    for (size_t i = 0; i < names->count; ++i)
        if (strcmp(names->items[i].name, name) == 0)
            names->items[i].value = value;
}

/* Writes the name wherever the text asks for the block. */
static void name_write(ht_replacement *item, const ht_block_name *of) {
    char word[16];
    block_word(of->axis, word);
    ht_text text = {0};
    const char *at = item->text, *next;
    ht_text_append(&text, "");
    while ((next = next_block(at, item->text, word)) != NULL) {
        ht_text_append_n(&text, at, (size_t)(next - at));
        ht_text_append(&text, of->name);
        at = next + strlen(word);
    }
    ht_text_append(&text, at);
    free(item->text);
    item->text = ht_text_take(&text);
}

void ht_block_names_write(const ht_block_names *names, const ht_source *source,
                          const ht_constants *kernels, ht_replacement *items, size_t *count) {
    for (size_t n = 0; n < names->count; ++n) {
        const ht_block_name *of = &names->items[n];
        size_t kept = 0;
        for (size_t i = 0; i < *count; ++i) {
            ht_replacement *item = &items[i];
            bool own = item->owner == of->owner && of->value == of->threads &&
                       ht_range_within(item->range, kernels[of->owner].model->definition.range);
            if (own)
                name_write(item, of);
            if (own && stands_at(source, item, of->name) && strcmp(item->text, of->name) == 0)
                free(item->text);
            else
                items[kept++] = *item;
        }
        *count = kept;
    }
}

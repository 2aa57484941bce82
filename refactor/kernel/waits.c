#include "refactor/kernel/waits.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/pins.h"
#include "refactor/kernel/syntax_origin.h"
#include "refactor/kernel/syntax_tree.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

/* Returns true for names by which a thread reads what others write meanwhile, or yields to them.
 * Atomic operations are looked for elsewhere: they count if their result is used. */
static bool is_meeting_word(const char *name) {
    static const char *const words[] = {"volatile",
                                        "__volatile__",
                                        "__ldcg",
                                        "__ldcv",
                                        "__ldvolatile",
                                        "__builtin_nontemporal_load",
                                        "__builtin_amdgcn_s_sleep",
                                        "__nanosleep",
                                        "__sync_",
                                        "asm",
                                        "__asm__",
                                        "memory_order",
                                        NULL};
    return ht_text_starts(name, words) || ht_callee_class_of(name) == HT_CALLEE_FENCE;
}

/* ---- words ---- */

static bool text_meets(const ht_model *model, size_t file, ht_range range, int depth);

static bool range_of_reached(const ht_model *model, const char *name, size_t *out_file,
                             ht_range *out_range) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->reached.count; ++i)
        if (!clang_equalCursors(facts->reached.functions[i], model->definition.function) &&
            ht_cursor_named(facts->reached.functions[i], name) &&
            ht_source_range(facts->source, facts->reached.functions[i], out_file, out_range))
            return true;
    return false;
}

/* Returns true if the name waits itself, or a macro or function of this name does. */
static bool name_meets(const ht_model *model, const char *name, int depth) {
    const ht_source *source = model->facts->source;
    size_t file;
    ht_range range;
    if (is_meeting_word(name))
        return true;
    for (size_t i = 0; depth < DEPTH_MAX && i < source->macros.count; ++i)
        if (strcmp(source->macros.items[i].name, name) == 0 &&
            text_meets(model, source->macros.items[i].file, source->macros.items[i].body,
                       depth + 1))
            return true;
    return depth < DEPTH_MAX && range_of_reached(model, name, &file, &range) &&
           text_meets(model, file, range, depth + 1);
}

static bool text_meets(const ht_model *model, size_t file, ht_range range, int depth) {
    ht_tokens tokens;
    bool found = false;
    ht_tokens_read(model->facts->source->files[file].text, range, true, &tokens);
    for (size_t i = 0; i < tokens.count && !found; ++i) {
        if (tokens.items[i].kind != HT_TOKEN_NAME)
            continue;
        char *name = ht_tokens_text(&tokens, i);
        found = name_meets(model, name, depth);
        free(name);
    }
    ht_tokens_free(&tokens);
    return found;
}

/* ---- loops ---- */

static bool is_volatile(const ht_syntax *node, const void *context) {
    (void)context;
    return ht_syntax_is_expression(node) && node->is_volatile;
}

static bool has_effect(const ht_syntax *node, const void *context) {
    (void)context;
    return node->kind == HT_SYNTAX_CALL || node->kind == HT_SYNTAX_ASSIGN ||
           node->kind == HT_SYNTAX_STEP || node->kind == HT_SYNTAX_BREAK ||
           node->kind == HT_SYNTAX_RETURN;
}

static bool is_memory(const ht_syntax *node, const void *context) {
    (void)context;
    return ht_syntax_is_element(node) || node->arrow;
}

/* Returns true for while (flags[b] == 0) {}: nothing in the loop could end it. */
static bool only_asks_memory(const ht_syntax *loop) {
    return !ht_syntax_first(loop, has_effect, NULL) && ht_syntax_first(loop, is_memory, NULL);
}

bool ht_loop_counts(const ht_syntax *loop) {
    return loop->kind == HT_SYNTAX_FOR && loop->children[0] && loop->children[1] &&
           loop->children[2] && !ht_syntax_first(loop->children[1], is_volatile, NULL) &&
           !ht_syntax_first(loop->children[1], is_memory, NULL);
}

static void keep_order(ht_model *model, size_t file, size_t offset, const char *why) {
    ht_pin_add(model, HT_PIN_KERNEL, HT_PINNED_PLACES, file, offset,
               ht_format("%s: the order, the shape and the number of its blocks stay", why));
}

static void look_for_loops(ht_model *model) {
    const ht_syntax_tree *tree = ht_syntax_whole(model);
    for (size_t i = 0; i < tree->count; ++i) {
        const ht_syntax *loop = tree->nodes[i];
        size_t file;
        ht_range range;
        if (!ht_syntax_is_loop(loop) || ht_loop_counts(loop) ||
            !ht_source_range(model->facts->source, ht_syntax_cursor(loop), &file, &range))
            continue;
        if (ht_syntax_first(loop, is_volatile, NULL) || only_asks_memory(loop) ||
            text_meets(model, file, range, 0)) {
            keep_order(model, file, range.begin,
                       "a loop goes on until another block has written what it reads");
            return;
        }
    }
}

/* ---- counting ---- */

/* Returns the index of the `(` that matches the `)` at `close`; 0: there is none. */
static size_t opening_of(const ht_tokens *tokens, size_t close) {
    int depth = 0;
    for (size_t i = close + 1; i-- > 0;) {
        depth += ht_tokens_is(tokens, i, ")") - ht_tokens_is(tokens, i, "(");
        if (depth == 0)
            return i;
    }
    return 0;
}

/* Returns true if the result of the call at `index` is used: no statement begins there, and it is
 * not cast to void. */
static bool is_asked_for(const ht_tokens *tokens, size_t index) {
    static const char *const before[] = {";", "{", "}", "else", "do", ":", NULL};
    while (index >= 2 && ht_tokens_is(tokens, index - 1, "::"))
        index -= 2;
    if (index == 0 || tokens->items[index - 1].kind == HT_TOKEN_DIRECTIVE)
        return false;
    if (ht_tokens_is_any(tokens, index - 1, before))
        return false;
    if (!ht_tokens_is(tokens, index - 1, ")"))
        return true;
    size_t open = opening_of(tokens, index - 1);
    bool discarded = open + 2 == index - 1 && ht_tokens_is(tokens, open + 1, "void");
    return !discarded && !(open > 0 && (ht_tokens_is(tokens, open - 1, "if") ||
                                        ht_tokens_is(tokens, open - 1, "for") ||
                                        ht_tokens_is(tokens, open - 1, "while")));
}

/* Returns true if a macro's body contains an atomic operation. */
static bool macro_counts(const ht_source *source, const char *name) {
    for (size_t i = 0; i < source->macros.count; ++i) {
        const ht_macro *macro = &source->macros.items[i];
        ht_tokens body;
        if (strcmp(macro->name, name) != 0)
            continue;
        bool found = false;
        ht_tokens_read(source->files[macro->file].text, macro->body, false, &body);
        for (size_t k = 0; k < body.count && !found; ++k) {
            char *word = ht_tokens_text(&body, k);
            found =
                body.items[k].kind == HT_TOKEN_NAME && ht_callee_class_of(word) == HT_CALLEE_ATOMIC;
            free(word);
        }
        ht_tokens_free(&body);
        if (found)
            return true;
    }
    return false;
}

static bool counts_at(const ht_source *source, const ht_tokens *tokens, size_t index) {
    if (tokens->items[index].kind != HT_TOKEN_NAME || !ht_tokens_is(tokens, index + 1, "("))
        return false;
    char *name = ht_tokens_text(tokens, index);
    bool counts = (ht_callee_class_of(name) == HT_CALLEE_ATOMIC || macro_counts(source, name)) &&
                  strcmp(name, "__atomic_store_n") != 0 && is_asked_for(tokens, index);
    free(name);
    return counts;
}

static void look_for_tickets(ht_model *model) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->reached.count; ++i) {
        size_t file;
        ht_range range;
        if (!ht_source_range(facts->source, facts->reached.functions[i], &file, &range))
            continue;
        const ht_tokens *tokens = ht_source_tokens(facts->source, file);
        for (size_t k = ht_tokens_at(tokens, range.begin);
             k < tokens->count && tokens->items[k].begin < range.end; ++k)
            if (!ht_source_skipped(facts->source, file, tokens->items[k].begin) &&
                counts_at(facts->source, tokens, k)) {
                keep_order(model, file, tokens->items[k].begin,
                           "what an atomic operation returns depends on which blocks came before");
                return;
            }
    }
}

/* ---- all together ---- */

/* Pins kernels with cooperative groups, and those that both jump by goto and read what other blocks
 * write. */
static void look_for_others(ht_model *model) {
    size_t file = model->definition.file;
    ht_range body = model->definition.body_range;
    if (model->feature[HT_FEATURE_COOPERATIVE])
        keep_order(model, file, body.begin, "its threads form cooperative groups");
    if (model->feature[HT_FEATURE_GOTO] && text_meets(model, file, body, 0))
        keep_order(model, file, body.begin, "it jumps, and reads what other blocks write");
}

void ht_waits_build(ht_model *model) {
    look_for_loops(model);
    look_for_tickets(model);
    look_for_others(model);
}

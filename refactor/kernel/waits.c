/* Blocks that wait for other blocks, or take their turn by counting: a spin on a flag, decoupled
 * look-back, the last block of all, a ticket, a barrier of the grid. What they compute, and whether
 * they end, depends on how many blocks there are and which are dispatched first. */
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/pins.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

/* Names by which a thread reads what others write meanwhile, or gives way to them. Atomic
 * operations count where what they return is asked for, in loops or not. */
static bool is_meeting_word(const char *name) {
    static const char *const words[] = {"volatile",
                                        "__volatile__",
                                        "__ldcg",
                                        "__ldcv",
                                        "__ldvolatile",
                                        "__builtin_nontemporal_load",
                                        "__builtin_amdgcn_s_sleep",
                                        "__builtin_amdgcn_fence",
                                        "__nanosleep",
                                        "__sync_",
                                        "asm",
                                        "__asm__",
                                        "memory_order",
                                        NULL};
    return ht_text_starts(name, words) || ht_name_is_fence(name);
}

typedef struct waiting {
    ht_model *model;
    size_t file;
    CXCursor loop;
    bool found;
} waiting;

/* ---- words
 * ------------------------------------------------------------------------------------------------
 */

static bool text_meets(const ht_model *model, size_t file, ht_range range, int depth);

static bool range_of_reached(const ht_model *model, const char *name, size_t *out_file,
                             ht_range *out_range) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->reached_count; ++i)
        if (!clang_equalCursors(facts->reached[i], model->kernel) &&
            ht_cursor_named(facts->reached[i], name) &&
            ht_source_range(facts->source, facts->reached[i], out_file, out_range))
            return true;
    return false;
}

/* By itself, or by the macros and functions that it names. */
static bool name_meets(const ht_model *model, const char *name, int depth) {
    const ht_source *source = model->facts->source;
    size_t file;
    ht_range range;
    if (is_meeting_word(name))
        return true;
    for (size_t i = 0; depth < DEPTH_MAX && i < source->macro_count; ++i)
        if (strcmp(source->macros[i].name, name) == 0 &&
            text_meets(model, source->macros[i].file, source->macros[i].body, depth + 1))
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

/* ---- loops
 * ------------------------------------------------------------------------------------------------
 */

static bool on_volatile(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    waiting *in = context;
    if (clang_isExpression(clang_getCursorKind(cursor)) &&
        clang_isVolatileQualifiedType(clang_getCursorType(cursor)))
        in->found = true;
    return !in->found;
}

static bool on_effect(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *found = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    *found = *found || kind == CXCursor_CallExpr || kind == CXCursor_CompoundAssignOperator ||
             kind == CXCursor_BreakStmt || kind == CXCursor_ReturnStmt ||
             (ht_ast_binary(cursor, &binary, &left, &right) && binary >= CXBinaryOperator_Assign &&
              binary <= CXBinaryOperator_OrAssign) ||
             (ht_ast_unary(cursor, &unary, &left) &&
              (unary == CXUnaryOperator_PostInc || unary == CXUnaryOperator_PostDec ||
               unary == CXUnaryOperator_PreInc || unary == CXUnaryOperator_PreDec));
    return !*found;
}

static bool on_memory(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *found = context;
    enum CXUnaryOperatorKind unary;
    CXCursor operand;
    *found = *found || clang_getCursorKind(cursor) == CXCursor_ArraySubscriptExpr ||
             (ht_ast_unary(cursor, &unary, &operand) && unary == CXUnaryOperator_Deref);
    return !*found;
}

/* while (flags[b] == 0) {}: nothing in it could end it. */
static bool only_asks_memory(CXCursor loop) {
    bool effect = false, memory = false;
    ht_ast_walk(loop, on_effect, &effect);
    if (!effect)
        ht_ast_walk(loop, on_memory, &memory);
    return memory;
}

/* From a first value, in steps, up to a bound. */
static bool is_counted(CXCursor loop) {
    CXCursor init, condition, increment, body;
    bool memory = false;
    if (!ht_ast_for(loop, &init, &condition, &increment, &body))
        return false;
    waiting asked = {0};
    on_volatile(condition, loop, &asked);
    ht_ast_walk(condition, on_volatile, &asked);
    ht_ast_walk(condition, on_memory, &memory);
    return !asked.found && !memory;
}

static bool waits(const waiting *in, CXCursor loop) {
    size_t file;
    ht_range range;
    waiting body = {0};
    if (is_counted(loop))
        return false;
    ht_ast_walk(loop, on_volatile, &body);
    return body.found || only_asks_memory(loop) ||
           (ht_source_range(in->model->facts->source, loop, &file, &range) &&
            text_meets(in->model, file, range, 0));
}

static bool on_loop(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    waiting *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool loop = kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt || kind == CXCursor_ForStmt;
    if (loop && !in->found && waits(in, cursor)) {
        in->found = true;
        in->loop = cursor;
    }
    return !in->found;
}

static void keep_order(ht_model *model, size_t file, size_t offset, const char *why) {
    ht_pin_add(model, HT_PINNED_PLACES, file, offset,
               ht_format("%s: the order, the shape and the number of its blocks stay", why));
}

static void look_for_loops(ht_model *model) {
    waiting in = {.model = model};
    for (size_t i = 0; i < model->facts->reached_count && !in.found; ++i)
        ht_ast_walk(model->facts->reached[i], on_loop, &in);
    size_t file;
    ht_range range;
    if (in.found && ht_source_range(model->facts->source, in.loop, &file, &range))
        keep_order(model, file, range.begin,
                   "a loop goes on until another block has written what it reads");
}

/* ---- counting
 * ------------------------------------------------------------------------------------------------
 */

/* The `(` that belongs to the `)` at `close`; 0 where there is none. */
static size_t opening_of(const ht_tokens *tokens, size_t close) {
    int depth = 0;
    for (size_t i = close + 1; i-- > 0;) {
        depth += ht_tokens_is(tokens, i, ")") - ht_tokens_is(tokens, i, "(");
        if (depth == 0)
            return i;
    }
    return 0;
}

/* Is what the call at `index` returns asked for? Else a statement begins there. */
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

/* A macro's body begins with the atomic operation: `index` says who asks. */
static bool macro_counts(const ht_source *source, const char *name) {
    for (size_t i = 0; i < source->macro_count; ++i) {
        const ht_macro *macro = &source->macros[i];
        ht_tokens body;
        if (strcmp(macro->name, name) != 0)
            continue;
        bool found = false;
        ht_tokens_read(source->files[macro->file].text, macro->body, false, &body);
        for (size_t k = 0; k < body.count && !found; ++k) {
            char *word = ht_tokens_text(&body, k);
            found = body.items[k].kind == HT_TOKEN_NAME && ht_name_is_atomic(word);
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
    bool counts = (ht_name_is_atomic(name) || macro_counts(source, name)) &&
                  strcmp(name, "__atomic_store_n") != 0 && is_asked_for(tokens, index);
    free(name);
    return counts;
}

static void look_for_tickets(ht_model *model) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->reached_count; ++i) {
        size_t file;
        ht_range range;
        if (!ht_source_range(facts->source, facts->reached[i], &file, &range))
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

/* ---- all together
 * ------------------------------------------------------------------------------------------------
 */

/* Anything that goes round by goto, or that waits for all of the grid. */
static void look_for_others(ht_model *model) {
    size_t file = model->facts->file;
    ht_range body = model->body_range;
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

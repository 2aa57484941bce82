#include "refactor/rewrite/definitions.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/value_marks.h"
#include "refactor/source/names.h"
#include "refactor/source/printed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_number(const char *text, size_t length) {
    return length > 0 && length < 10 && strspn(text, "0123456789") >= length && text[0] != '0';
}

/* Returns the number by which the replacement is, or marks, the macro; NULL: it does neither.
 * free(). */
static char *use_of(const ht_source *source, const ht_block_names *blocks,
                    const ht_replacement *item, const char *name) {
    size_t length = strlen(name);
    int64_t threads = ht_block_names_use(blocks, source, item, name);
    if (threads)
        return ht_format("%lld", (long long)threads);
    ht_value_mark mark;
    for (const char *at = item->text; ht_value_mark_next(at, &mark); at = mark.end)
        if (mark.macro_length == length && strncmp(mark.macro, name, length) == 0)
            return ht_strndup(mark.number, mark.number_length);
    if (item->range.end - item->range.begin != length ||
        strncmp(source->text + item->range.begin, name, length) != 0)
        return NULL;
    if (ht_value_mark_next(item->text, &mark) && mark.begin == item->text && !*mark.end)
        return ht_strndup(mark.number, mark.number_length);
    return is_number(item->text, strlen(item->text)) ? ht_strdup(item->text) : NULL;
}

/* Puts the name in the place of its marks. Returns false if the replacement then is nothing but the
 * name: it is not needed. */
static bool name_keep(const ht_source *source, const ht_block_names *blocks, ht_replacement *item,
                      const char *name) {
    size_t length = strlen(name);
    ht_text text = {0};
    ht_value_mark mark;
    const char *at = item->text;
    bool any = false;
    for (const char *from = at; ht_value_mark_next(from, &mark); from = mark.end) {
        if (mark.macro_length != length || strncmp(mark.macro, name, length) != 0)
            continue;
        ht_text_append_n(&text, at, (size_t)(mark.begin - at));
        char *product = mark.tile ? ht_value_mark_tile_text(&mark, true) : ht_strdup(name);
        ht_text_append(&text, product);
        free(product);
        at = mark.end;
        any = true;
    }
    ht_text_append(&text, at);
    char *use = any ? NULL : use_of(source, blocks, item, name);
    bool whole = use != NULL;
    free(use);
    free(item->text);
    item->text = ht_text_take(&text);
    return !whole;
}

/* Returns true if a replacement takes the place of the name there. */
static bool is_replaced(const ht_replacement *items, size_t count, size_t at, size_t length) {
    for (size_t i = 0; i < count; ++i)
        if (items[i].range.begin <= at && at + length <= items[i].range.end)
            return true;
    return false;
}

/* Returns true if the replacement has the name other than in a mark. */
static bool is_named(const ht_replacement *item, const char *name) {
    for (const char *at = item->text; (at = ht_name_next(item->text, at, name)) != NULL; ++at)
        if (at == item->text || at[-1] != '@')
            return true;
    return false;
}

/* Returns true if each place that names the macro is one of those that are replaced, or prints what
 * then is launched. Names in comments and in branches that are not compiled count as uses. */
static bool all_replaced(const ht_source *source, const ht_macro *macro,
                         const ht_replacement *items, size_t count) {
    const char *text = source->files[0].text;
    for (const char *at = text; (at = ht_name_next(text, at, macro->name)) != NULL; ++at) {
        size_t place = source->files[0].base + (size_t)(at - text);
        bool own = macro->range.begin <= place && place < macro->body.begin;
        if (!own && !is_replaced(items, count, place, strlen(macro->name)) &&
            !ht_source_is_printed(source, place))
            return false;
    }
    return true;
}

/* Returns true if a file that is included has the name. */
static bool is_named_elsewhere(const ht_source *source, const char *name) {
    bool named = false;
    for (size_t i = 1; i < source->file_count && !named; ++i)
        named = ht_source_names(source, i, name);
    return named;
}

/* Returns the number that all uses of the macro get; NULL: some do not, or there is none.
 * free(). */
static char *number_of(const ht_source *source, const ht_block_names *blocks, const ht_macro *macro,
                       const ht_replacement *items, size_t count) {
    char *number = NULL;
    bool alike = true;
    for (size_t i = 0; i < count && alike; ++i) {
        char *own = use_of(source, blocks, &items[i], macro->name);
        alike = !is_named(&items[i], macro->name) && (!own || !number || strcmp(number, own) == 0);
        if (own && !number) {
            number = own;
            own = NULL;
        }
        free(own);
    }
    if (number && alike && all_replaced(source, macro, items, count) &&
        !is_named_elsewhere(source, macro->name))
        return number;
    free(number);
    return NULL;
}

/* Returns true if what this file defines can be named by those alone that it includes. */
static bool is_main(const ht_source *source) {
    static const char *const ends[] = {".hip", ".cpp", ".cu", ".cc", ".cxx"};
    const char *end = strrchr(source->path, '.');
    bool known = false;
    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; ++i)
        known = known || strcmp(end, ends[i]) == 0;
    return known && strcmp(source->path, source->unit_path) == 0;
}

/* ---- named constants ---- */

/* Returns the number of tokens of `constexpr int` and its like at a token; 0: another one. */
static size_t type_length(const ht_tokens *tokens, size_t at) {
    static const char *const fronts[] = {"static", "inline", NULL};
    static const char *const constants[] = {"constexpr", "const", NULL};
    static const char *const types[] = {"int", "unsigned", "size_t", NULL};
    size_t begin = at;
    while (ht_tokens_is_any(tokens, at, fronts))
        ++at;
    if (!ht_tokens_is_any(tokens, at, constants) || !ht_tokens_is_any(tokens, at + 1, types))
        return 0;
    at += 2;
    at += ht_tokens_is(tokens, at, "int"); /* unsigned int */
    return at - begin;
}

/* Reads `constexpr int NAME = NUMBER;`, a line of its own, as if it were a macro. Returns false for
 * anything else; free the name. */
static bool constant_read(const ht_source *source, size_t at, ht_macro *out) {
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    const char *text = source->files[0].text;
    size_t type = type_length(tokens, at), name = at + type, value = name + 2;
    if (type == 0 || value + 1 >= tokens->count || !ht_tokens_is(tokens, name + 1, "=") ||
        !ht_tokens_is(tokens, value + 1, ";"))
        return false;
    size_t begin = tokens->items[at].begin;
    if (begin > 0 && text[begin - 1] != '\n') /* in a function, or a class */
        return false;
    *out = (ht_macro){.name = ht_tokens_text(tokens, name),
                      .range = {begin, tokens->items[value + 1].end},
                      .body = {tokens->items[value].begin, tokens->items[value].end}};
    return true;
}

static bool is_number_at(const ht_source *source, ht_range range) {
    return is_number(source->text + range.begin, range.end - range.begin);
}

/* Returns true if the file declares the name in one way: as the constant. */
static bool is_declared_once(const ht_source *source, const ht_macro *constant) {
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    size_t count = 0;
    for (size_t i = 1; i + 1 < tokens->count; ++i) /* a type or a comma ahead: a declaration */
        count += ht_tokens_is(tokens, i, constant->name) &&
                 (tokens->items[i - 1].kind == HT_TOKEN_NAME || ht_tokens_is(tokens, i + 1, "="));
    return count == 1;
}

static bool is_defined_once(const ht_source *source, const ht_macro *macro) {
    size_t count = 0;
    for (size_t i = 0; i < source->macros.count; ++i)
        count += strcmp(source->macros.items[i].name, macro->name) == 0;
    return count == 1 && !macro->function_like && macro->file == 0 &&
           is_number(source->text + macro->body.begin, macro->body.end - macro->body.begin);
}

/* ---- what a number counts ---- */

/* Returns the last word of a name: "K" of BLOCK_K and kBlockK. */
static const char *last_word(const char *name) {
    const char *word = name;
    for (const char *at = name + 1; *name && *at; ++at) {
        bool begins =
            at[-1] == '_' || (isupper((unsigned char)*at) && !isupper((unsigned char)at[-1]));
        word = begins ? at : word;
    }
    return word;
}

/* Returns the size of the kernel that the last word of a name names; NULL: there is no such. */
static const char *size_named(const ht_model *model, const char *name) {
    const char *word = last_word(name);
    bool axis = strlen(word) == 1 && strchr("xyzXYZ", *word); /* the block's */
    for (size_t p = 0; p < model->parameters.count && !axis && word != name; ++p)
        if (model->parameters.items[p].is_integer &&
            strcasecmp(model->parameters.items[p].name, word) == 0)
            return model->parameters.items[p].name;
    return NULL;
}

/* Returns true if the number is that of a block's threads, of which each has several outputs. */
static bool counts_threads(const ht_constants *kernel, int64_t number) {
    bool counts = false;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t per_block, block;
        counts = counts ||
                 (ht_launch_new_extent(kernel->plan, &kernel->values, axis, &per_block, &block) &&
                  block == number && per_block > block);
    }
    return counts;
}

/* Returns the size in the name of a constant that counts threads with several of it each from now
 * on; NULL: the name stays true, or a comment stands there. */
static const char *size_counted(const ht_source *source, const ht_block_names *blocks,
                                const ht_constants *kernels, const ht_macro *macro,
                                const char *number, const ht_replacement *items, size_t count) {
    const char *size = NULL, *rest = source->text + macro->range.end;
    rest += *rest == ';';
    for (size_t i = 0; i < count && !size; ++i) {
        const ht_constants *kernel = &kernels[items[i].owner];
        char *use = use_of(source, blocks, &items[i], macro->name);
        if (use && counts_threads(kernel, strtoll(number, NULL, 10)))
            size = size_named(kernel->model, macro->name);
        free(use);
    }
    return rest[strspn(rest, " \t\r")] == '\n' ? size : NULL;
}

/* Defines the macro anew. */
static void define(const ht_source *source, ht_block_names *blocks, const ht_macro *macro,
                   char *number, ht_replacement **items, size_t *count) {
    size_t kept = 0;
    for (size_t i = 0; i < *count; ++i) {
        if (name_keep(source, blocks, &(*items)[i], macro->name))
            (*items)[kept++] = (*items)[i];
        else
            free((*items)[i].text);
    }
    *count = kept;
    ht_block_names_define(blocks, macro->name, strtoll(number, NULL, 10));
    HT_GROW(*items, *count);
    (*items)[(*count)++] = (ht_replacement){.range = macro->body, .text = number};
}

/* Gives the marks of a name for the items of a block, which keeps its value, that name. */
static void tiles_keep(ht_replacement *item) {
    ht_text text = {0};
    ht_value_mark mark;
    const char *at = item->text;
    for (const char *from = at; ht_value_mark_next(from, &mark); from = mark.end) {
        if (!mark.tile)
            continue;
        char *name = ht_value_mark_tile_text(&mark, false);
        ht_text_append_n(&text, at, (size_t)(mark.begin - at));
        ht_text_append(&text, name);
        free(name);
        at = mark.end;
    }
    ht_text_append(&text, at);
    free(item->text);
    item->text = ht_text_take(&text);
}

static void change(const ht_source *source, ht_block_names *blocks, const ht_constants *kernels,
                   const ht_macro *macro, char *number, ht_replacement **items, size_t *count) {
    const char *size = size_counted(source, blocks, kernels, macro, number, *items, *count);
    if (size && macro->range.end == macro->body.end) { /* a directive, without a `;` */
        char *noted = ht_format("%s /* threads of a block, each with several %s */", number, size);
        free(number);
        define(source, blocks, macro, noted, items, count);
        return;
    }
    define(source, blocks, macro, number, items, count);
    if (!size)
        return;
    HT_GROW(*items, *count);
    (*items)[(*count)++] =
        (ht_replacement){.range = {macro->range.end, macro->range.end},
                         .text = ht_format(" // threads of a block, each with several %s", size)};
}

void ht_definitions_change(const ht_source *source, ht_block_names *blocks,
                           const ht_constants *kernels, ht_replacement **items, size_t *count) {
    for (size_t m = 0; m < source->macros.count && is_main(source); ++m) {
        const ht_macro *macro = &source->macros.items[m];
        char *number = is_defined_once(source, macro)
                           ? number_of(source, blocks, macro, *items, *count)
                           : NULL;
        if (number)
            change(source, blocks, kernels, macro, number, items, count);
    }
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    for (size_t i = 0; i < tokens->count && is_main(source); ++i) {
        ht_macro constant;
        if (!constant_read(source, i, &constant))
            continue;
        bool plain = is_number_at(source, constant.body) && is_declared_once(source, &constant);
        char *number = plain ? number_of(source, blocks, &constant, *items, *count) : NULL;
        if (number)
            change(source, blocks, kernels, &constant, number, items, count);
        free(constant.name);
    }
    for (size_t i = 0; i < *count; ++i)
        tiles_keep(&(*items)[i]);
}

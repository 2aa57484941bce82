#include "refactor/unit/slice_macros.h"
#include "base/memory.h"
#include "refactor/unit/slice.h"
#include "refactor/unit/slice_host.h"
#include "refactor/unit/slice_params.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static bool is_user_macro(const ht_slice *slice, const char *name) {
    for (size_t i = 0; i < slice->source->macros.count; ++i)
        if (strcmp(slice->source->macros.items[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < slice->conditional_count; ++i)
        if (ht_slice_conditional_defines(slice, &slice->conditionals[i], name))
            return true;
    return false;
}

static bool has_name(const ht_slice *slice, const char *name) {
    for (size_t i = 0; i < slice->macro_count; ++i)
        if (strcmp(slice->macros[i], name) == 0)
            return true;
    return false;
}

static void names_in(ht_slice *slice, const char *text, ht_range range, bool directives) {
    ht_tokens tokens;
    ht_tokens_read(text, range, directives, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        if (tokens.items[i].kind == HT_TOKEN_DIRECTIVE) {
            names_in(slice, text, (ht_range){tokens.items[i].begin, tokens.items[i].end}, false);
            continue;
        }
        if (tokens.items[i].kind != HT_TOKEN_NAME)
            continue;
        char *name = ht_tokens_text(&tokens, i);
        if (is_user_macro(slice, name) && !has_name(slice, name)) {
            HT_GROW(slice->macros, slice->macro_count);
            slice->macros[slice->macro_count++] = name;
        } else
            free(name);
    }
    ht_tokens_free(&tokens);
}

/* Marks the conditionals that define a macro as needed, with the names in their branches. */
static void conditionals_need(ht_slice *slice, const char *macro) {
    for (size_t i = 0; i < slice->conditional_count; ++i) {
        ht_slice_conditional *conditional = &slice->conditionals[i];
        if (conditional->needed || !ht_slice_conditional_defines(slice, conditional, macro))
            continue;
        conditional->needed = true;
        names_in(slice, slice->source->files[conditional->file].text, conditional->range, true);
    }
}

void ht_slice_macros_need(ht_slice *slice) {
    const ht_source *source = slice->source;
    for (size_t i = 0; i < slice->chunk_count; ++i)
        if (slice->chunks[i].needed)
            names_in(slice, source->files[slice->chunks[i].file].text, slice->chunks[i].range,
                     true);
    for (size_t i = 0; i < slice->macro_count; ++i) {
        for (size_t j = 0; j < source->macros.count; ++j)
            if (strcmp(source->macros.items[j].name, slice->macros[i]) == 0)
                names_in(slice, source->files[source->macros.items[j].file].text,
                         source->macros.items[j].body, false);
        conditionals_need(slice, slice->macros[i]);
    }
}

static void system_macros(ht_slice *slice) {
    const ht_source *source = slice->source;
    for (size_t i = 0; i < source->expansions.count && !slice->reason; ++i) {
        const ht_expansion *expansion = &source->expansions.items[i];
        if (!expansion->system || !expansion->system_file)
            continue;
        for (size_t j = 0; j < slice->chunk_count; ++j) {
            const ht_chunk *chunk = &slice->chunks[j];
            if (chunk->needed && chunk->file == expansion->file &&
                expansion->range.begin >= chunk->range.begin &&
                expansion->range.end <= chunk->range.end &&
                !ht_slice_is_cut(slice, expansion->file, expansion->range.begin))
                ht_slice_system(slice, expansion->system_file, expansion->name, chunk->line);
        }
    }
}

/* ---- directives ---- */

static bool directive_words(const char *text, ht_token directive, char words[3][32]) {
    ht_tokens line;
    ht_tokens_read(text, (ht_range){directive.begin, directive.end}, false, &line);
    for (size_t i = 0; i < 3; ++i) {
        words[i][0] = 0;
        if (i + 1 < line.count) {
            size_t length = line.items[i + 1].end - line.items[i + 1].begin;
            length = length < 31 ? length : 31;
            memcpy(words[i], text + line.items[i + 1].begin, length);
            words[i][length] = 0;
        }
    }
    ht_tokens_free(&line);
    return words[0][0] != 0;
}

/* Refuses a chunk that does not contain whole conditionals, or that contains an include. */
static void check_conditionals(ht_slice *slice, const ht_chunk *chunk) {
    const char *text = slice->source->files[chunk->file].text;
    ht_tokens tokens;
    ht_tokens_read(text, chunk->range, true, &tokens);
    int depth = 0;
    for (size_t i = 0; i < tokens.count; ++i) {
        char words[3][32];
        if (tokens.items[i].kind != HT_TOKEN_DIRECTIVE ||
            !directive_words(text, tokens.items[i], words))
            continue;
        if (strncmp(words[0], "if", 2) == 0)
            ++depth;
        else if (strcmp(words[0], "endif") == 0)
            --depth;
        bool open = depth < 0 || (depth == 0 && strncmp(words[0], "el", 2) == 0);
        bool skipped = ht_source_skipped(slice->source, chunk->file, tokens.items[i].begin);
        if (open)
            ht_slice_refuse(slice, chunk->line,
                            "a preprocessor conditional begins outside of the "
                            "declaration and ends inside it");
        if (!skipped && strcmp(words[0], "include") == 0)
            ht_slice_refuse(slice, chunk->line, "a file is included inside of a declaration");
    }
    if (depth > 0)
        ht_slice_refuse(slice, chunk->line,
                        "a preprocessor conditional begins inside of the "
                        "declaration and ends outside of it");
    ht_tokens_free(&tokens);
}

static ht_slice_item *item_add(ht_slice *slice, size_t file, ht_range range,
                               const ht_chunk *chunk) {
    unsigned line;
    clang_getExpansionLocation(clang_getLocationForOffset(slice->source->unit,
                                                          slice->source->files[file].file,
                                                          (unsigned)range.begin),
                               NULL, &line, NULL, NULL);
    HT_GROW(slice->items, slice->item_count);
    slice->items[slice->item_count] = (ht_slice_item){file, range, (int)line, chunk, NULL};
    return &slice->items[slice->item_count++];
}

/* Returns true if a name in this text means this definition of the macro. */
static bool names_definition(const ht_slice *slice, size_t file, ht_range range,
                             const ht_macro *macro) {
    ht_tokens tokens;
    bool found = false;
    ht_tokens_read(slice->source->files[file].text, range, true, &tokens);
    for (size_t i = 0; i < tokens.count && !found; ++i) {
        bool directive = tokens.items[i].kind == HT_TOKEN_DIRECTIVE; /* other than a definition */
        size_t at = directive ? tokens.items[i].end : tokens.items[i].begin;
        if (ht_source_macro(slice->source, macro->name, file, at) != macro)
            continue;
        if (directive) {
            ht_tokens line;
            ht_tokens_read_line(&tokens, i, &line);
            /* #define NAME and #undef NAME do not mean what was there before */
            bool sets = ht_tokens_is(&line, 1, "define") || ht_tokens_is(&line, 1, "undef");
            for (size_t j = sets ? 3 : 0; j < line.count; ++j)
                found = found || ht_tokens_is(&line, j, macro->name);
            ht_tokens_free(&line);
        } else
            found = ht_tokens_is(&tokens, i, macro->name);
    }
    ht_tokens_free(&tokens);
    return found;
}

/* Returns true if a needed declaration may mean this definition of a macro, which another
 * declaration has inside: it names the macro where the definition is in force, or by another macro.
 */
static bool is_meant(const ht_slice *slice, const ht_macro *macro) {
    const ht_source *source = slice->source;
    for (size_t i = 0; i < source->macros.count; ++i) {
        const ht_macro *other = &source->macros.items[i];
        ht_tokens body;
        bool named = false;
        ht_tokens_read(source->files[other->file].text, other->body, false, &body);
        for (size_t j = 0; j < body.count; ++j)
            named = named || ht_tokens_is(&body, j, macro->name);
        ht_tokens_free(&body);
        if (named && has_name(slice, other->name))
            return true;
    }
    for (size_t i = 0; i < slice->conditional_count; ++i)
        if (slice->conditionals[i].needed && names_definition(slice, slice->conditionals[i].file,
                                                              slice->conditionals[i].range, macro))
            return true;
    for (size_t i = 0; i < slice->chunk_count; ++i)
        if (slice->chunks[i].needed &&
            names_definition(slice, slice->chunks[i].file, slice->chunks[i].range, macro))
            return true;
    return false;
}

/* Returns true if the definition may be taken out of the declaration around it: it is the only one
 * of its name, holds to the end of the file, and stands in no conditional of the declaration. */
static bool is_alone(const ht_slice *slice, const ht_macro *macro, const ht_chunk *chunk) {
    const ht_source *source = slice->source;
    const char *text = source->files[macro->file].text;
    size_t definitions = 0;
    int depth = 0;
    bool undone = false;
    for (size_t i = 0; i < source->macros.count; ++i)
        definitions += strcmp(source->macros.items[i].name, macro->name) == 0;
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){chunk->range.begin, source->files[macro->file].length}, true,
                   &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        char words[3][32];
        if (tokens.items[i].kind != HT_TOKEN_DIRECTIVE ||
            !directive_words(text, tokens.items[i], words))
            continue;
        bool before = tokens.items[i].begin < macro->range.begin;
        depth += before && strncmp(words[0], "if", 2) == 0;
        depth -= before && strcmp(words[0], "endif") == 0;
        undone = undone || (strcmp(words[0], "undef") == 0 &&
                            strncmp(words[1], macro->name, sizeof words[1] - 1) == 0);
    }
    ht_tokens_free(&tokens);
    return definitions == 1 && depth == 0 && !undone;
}

/* Adds needed macros. One defined inside a declaration comes with it, for the declaration itself
 * and for the text after it. */
static void macros_add(ht_slice *slice) {
    const ht_source *source = slice->source;
    for (size_t i = 0; i < source->macros.count; ++i) {
        const ht_macro *macro = &source->macros.items[i];
        if (!has_name(slice, macro->name) ||
            ht_slice_conditional_at(slice, macro->file, macro->range.begin))
            continue;
        const ht_chunk *chunk = ht_slice_chunk(slice, macro->file, macro->range.begin);
        bool meant = chunk && !chunk->needed && is_meant(slice, macro);
        if (!chunk || (meant && is_alone(slice, macro, chunk)))
            item_add(slice, macro->file, macro->range, NULL);
        else if (meant)
            ht_slice_refuse(slice, macro->line, "'%s' is defined inside of another declaration",
                            macro->name);
    }
}

static bool is_kept_pragma(char words[3][32]) {
    return strcmp(words[0], "pragma") == 0 &&
           (strcmp(words[1], "clang") == 0 || strcmp(words[1], "STDC") == 0 ||
            strcmp(words[1], "float_control") == 0 || strcmp(words[1], "pack") == 0);
}

/* Adds #undef of needed macros, and pragmas that affect the text after them. */
static void other_directives(ht_slice *slice, size_t file) {
    const char *text = slice->source->files[file].text;
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){0, slice->source->files[file].length}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        char words[3][32];
        ht_token token = tokens.items[i];
        if (token.kind != HT_TOKEN_DIRECTIVE ||
            ht_source_skipped(slice->source, file, token.begin) ||
            ht_slice_chunk(slice, file, token.begin) ||
            ht_slice_conditional_at(slice, file, token.begin) ||
            !directive_words(text, token, words))
            continue;
        if ((strcmp(words[0], "undef") == 0 && has_name(slice, words[1])) || is_kept_pragma(words))
            item_add(slice, file, (ht_range){token.begin, token.end}, NULL);
    }
    ht_tokens_free(&tokens);
}

/* ---- the whole slice ---- */

static int compare_items(const void *a, const void *b, void *context) {
    const ht_slice_item *first = a, *second = b;
    return ht_place_compare(context, first->file, first->range.begin, second->file,
                            second->range.begin);
}

/* Returns true for #pragma pack(push, 1) or #pragma pack(pop), by the word `what`. */
static bool is_pack(const ht_slice *slice, const ht_slice_item *item, const char *what) {
    if (item->chunk)
        return false;
    ht_tokens line;
    ht_tokens_read(slice->source->files[item->file].text, item->range, false, &line);
    bool found = line.count > 4 && ht_tokens_is(&line, 1, "pragma") &&
                 ht_tokens_is(&line, 2, "pack") && ht_tokens_is(&line, 4, what);
    ht_tokens_free(&line);
    return found;
}

/* Drops pairs of these with nothing between them in the slice. */
static void drop_packs(ht_slice *slice) {
    size_t count = 0;
    for (size_t i = 0; i < slice->item_count; ++i) {
        slice->items[count++] = slice->items[i];
        if (count > 1 && is_pack(slice, &slice->items[count - 2], "push") &&
            is_pack(slice, &slice->items[count - 1], "pop"))
            count -= 2;
    }
    slice->item_count = count;
}

void ht_slice_order(ht_slice *slice) {
    const ht_source *source = slice->source;
    system_macros(slice);
    for (size_t i = 0; i < slice->chunk_count; ++i)
        if (slice->chunks[i].needed) {
            check_conditionals(slice, &slice->chunks[i]);
            item_add(slice, slice->chunks[i].file, slice->chunks[i].range, &slice->chunks[i]);
        }
    macros_add(slice);
    for (size_t i = 0; i < slice->conditional_count; ++i) {
        const ht_slice_conditional *conditional = &slice->conditionals[i];
        if (conditional->needed)
            item_add(slice, conditional->file, conditional->range, NULL)->conditional = conditional;
    }
    for (size_t i = 0; i < source->file_count; ++i)
        other_directives(slice, i);
    qsort_r(slice->items, slice->item_count, sizeof *slice->items, compare_items,
            (void *)(size_t)source);
    drop_packs(slice);
}

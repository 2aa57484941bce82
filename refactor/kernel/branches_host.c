/* Launches in other builds: another launch of the kernel, or another way to its block and grid. */
#include "base/memory.h"
#include "refactor/kernel/branches.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 8 };

/* The kernel's name where this build does not look, outside of the kernel itself. */
static void look_for_kernel(ht_model *model, size_t file) {
    const ht_source *source = model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = 0; i < tokens->count; ++i) {
        size_t at = tokens->items[i].begin;
        bool inside =
            file == model->facts->file && at >= model->range.begin && at < model->range.end;
        if (tokens->items[i].kind != HT_TOKEN_NAME || inside ||
            !ht_tokens_is(tokens, i, model->name) || !ht_source_skipped(source, file, at))
            continue;
        ht_branch_pin(model, HT_PINNED_LAUNCH | HT_PINNED_HEADER | HT_PINNED_POINTERS, file, at,
                      model->name, "");
        return;
    }
}

/* Does a statement, from `begin` to before `end`, declare or assign one of the names? */
static bool sets_any(const ht_tokens *tokens, size_t begin, size_t end, const ht_names *names) {
    for (size_t i = begin; i < end; ++i) {
        if (tokens->items[i].kind != HT_TOKEN_NAME || (i > 0 && ht_tokens_is(tokens, i - 1, "&")))
            continue;
        char *name = ht_tokens_text(tokens, i);
        bool set = ht_names_has(names, name) && ht_tokens_is_written(tokens, i);
        free(name);
        if (set)
            return true;
    }
    return false;
}

/* Adds what the names are computed from in the host function. */
static void close_over(const ht_source *source, size_t file, ht_range function, ht_names *names) {
    const ht_tokens *tokens = ht_source_tokens(source, file);
    size_t count;
    int rounds = 0;
    do {
        count = names->count;
        size_t begin = ht_tokens_at(tokens, function.begin);
        for (size_t i = begin; i < tokens->count && tokens->items[i].begin < function.end; ++i) {
            if (!ht_tokens_is(tokens, i, ";") && !ht_tokens_is(tokens, i, "{") &&
                !ht_tokens_is(tokens, i, "}") && tokens->items[i].kind != HT_TOKEN_DIRECTIVE)
                continue;
            if (sets_any(tokens, begin, i, names))
                ht_names_read(names, source, file,
                              (ht_range){tokens->items[begin].begin, tokens->items[i].begin});
            begin = i + 1;
        }
    } while (names->count > count && ++rounds < ROUNDS_MAX);
    ht_names_expand(names, source);
}

/* Is one of the names set where this build does not look? */
static void look_for_writes(ht_model *model, size_t file, ht_range function,
                            const ht_names *names) {
    const ht_source *source = model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = ht_tokens_at(tokens, function.begin);
         i < tokens->count && tokens->items[i].begin < function.end; ++i) {
        if (tokens->items[i].kind != HT_TOKEN_NAME ||
            !ht_source_skipped(source, file, tokens->items[i].begin))
            continue;
        char *name = ht_tokens_text(tokens, i);
        if (ht_names_has(names, name) && ht_tokens_is_written(tokens, i))
            ht_branch_pin(model, HT_PINNED_LAUNCH | HT_PINNED_PLACES | HT_PINNED_POINTERS, file,
                          tokens->items[i].begin, name, ", which the launch depends on,");
        free(name);
    }
}

/* From the kernel's name to the end of the statement. */
static ht_range call_of(const ht_source *source, const ht_launch_site *site) {
    const ht_tokens *tokens = ht_source_tokens(source, site->file);
    size_t end = ht_tokens_at(tokens, site->range.begin);
    while (end + 1 < tokens->count && !ht_tokens_is(tokens, end, ";"))
        ++end;
    return (ht_range){site->range.begin, tokens->items[end].end};
}

static void look_at_site(ht_model *model, const ht_launch_site *site,
                         const ht_alternatives *alternatives) {
    const ht_source *source = model->facts->source;
    ht_names names = {0};
    size_t file;
    ht_range function;
    ht_range call = call_of(source, site);
    if (ht_source_has_conditional(source, site->file, call))
        ht_pin_add(model, HT_PINNED_LAUNCH | HT_PINNED_PLACES, site->file, site->range.begin,
                   ht_strdup("a conditional stands inside of the launch: other builds launch it "
                             "in another way"));
    ht_names_read(&names, source, site->file, call);
    if (ht_source_range(source, site->function, &file, &function) && file == site->file) {
        close_over(source, file, function, &names);
        look_for_writes(model, file, function, &names);
    }
    ht_names_expand(&names, source);
    for (size_t i = 0; i < alternatives->count; ++i) {
        const ht_alternative *of = &alternatives->items[i];
        if (ht_names_has(&names, of->name) && strcmp(of->name, model->name) != 0)
            ht_branch_pin(model, HT_PINNED_LAUNCH | HT_PINNED_PLACES, of->file, of->range.begin,
                          of->name, ", which the launch depends on,");
    }
    ht_names_free(&names);
}

void ht_branches_of_launches(ht_model *model, const ht_alternatives *alternatives) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->source->file_count; ++i)
        look_for_kernel(model, i);
    for (size_t i = 0; i < facts->launches.count; ++i)
        look_at_site(model, &facts->launches.items[i], alternatives);
}

#include "refactor/source/tree_joined.h"
#include "refactor/source/tree_graph.h"

#include "base/file.h"
#include "base/memory.h"
#include "refactor/source/lexer.h"

#include <stdlib.h>
#include <string.h>

/* ---- one file ---- */

/* Returns true if the name occurs here as in a launch: name<<<, name<args><<<,
 * hipLaunchKernelGGL(name, ... */
static bool is_launch(const ht_tokens *tokens, size_t at) {
    static const char *const before[] = {"hipLaunchKernelGGL", "HIP_KERNEL_NAME", "hipLaunchKernel",
                                         "cudaLaunchKernel"};
    size_t next = at + 1, front = at;
    if (ht_tokens_is(tokens, next, "<") || ht_tokens_is(tokens, next, "<<<") ||
        ht_tokens_is(tokens, next, "<<"))
        return true;
    while (front > 0 &&
           (ht_tokens_is(tokens, front - 1, "(") || ht_tokens_is(tokens, front - 1, "&")))
        --front;
    for (size_t i = 0; front > 0 && i < sizeof before / sizeof *before; ++i)
        if (ht_tokens_is(tokens, front - 1, before[i]))
            return true;
    return false;
}

static bool has_launch(const ht_tokens *tokens, const char *name) {
    for (size_t i = 0; i < tokens->count; ++i)
        if (tokens->items[i].kind == HT_TOKEN_NAME && ht_tokens_is(tokens, i, name) &&
            is_launch(tokens, i))
            return true;
    return false;
}

/* Returns the index of the function's name in the declaration that begins at `at`: the first name
 * with a parenthesis after it that is not an attribute. */
static size_t name_find(const ht_tokens *tokens, size_t at) {
    static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "__declspec",
                                             "decltype"};
    for (;
         at + 1 < tokens->count && !ht_tokens_is(tokens, at, ";") && !ht_tokens_is(tokens, at, "{");
         ++at) {
        bool attribute = false;
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i)
            attribute = attribute || ht_tokens_is(tokens, at, attributes[i]);
        if (attribute && ht_tokens_is(tokens, at + 1, "("))
            at = ht_tokens_close(tokens, at + 1);
        else if (tokens->items[at].kind == HT_TOKEN_NAME && ht_tokens_is(tokens, at + 1, "("))
            return at;
    }
    return tokens->count;
}

void ht_tree_kernels_note(node *of, const char *text) {
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        size_t at =
            ht_tokens_is(&tokens, i, "__global__") ? name_find(&tokens, i + 1) : tokens.count;
        size_t close = at < tokens.count ? ht_tokens_close(&tokens, at + 1) : tokens.count;
        if (close >= tokens.count)
            continue;
        const ht_token *name = &tokens.items[at];
        HT_GROW(of->kernels, of->kernel_count);
        ht_tree_kernel *kernel = &of->kernels[of->kernel_count++];
        *kernel = (ht_tree_kernel){.name = ht_strndup(text + name->begin, name->end - name->begin),
                                   .defined = ht_tokens_is(&tokens, close + 1, "{")};
        kernel->launched = has_launch(&tokens, kernel->name);
    }
    ht_tokens_free(&tokens);
}

/* ---- two files ---- */

static const ht_tree_kernel *kernel_of(const node *of, const char *name) {
    for (size_t i = 0; i < of->kernel_count; ++i)
        if (strcmp(of->kernels[i].name, name) == 0)
            return &of->kernels[i];
    return NULL;
}

static bool text_launches(const char *path, const char *name) {
    char *text;
    ht_tokens tokens;
    if (ht_file_read(path, 0, &text, NULL, NULL) != HT_OK)
        return false;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    bool found = has_launch(&tokens, name);
    ht_tokens_free(&tokens);
    free(text);
    return found;
}

static bool same_folder(const node *a, const node *b) {
    char *first = ht_path_folder(a->path), *second = ht_path_folder(b->path);
    bool same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

typedef struct pairing {
    const graph *graph;
    size_t index;    /* index of the file with the kernels */
    reach own, from; /* steps from the file, and from the current unit */
} pairing;

/* Returns true if the current unit sees the kernel declared, but not defined: in its own text, in
 * an include that both share, or in a file of the same folder. */
static bool sees(const pairing *in, size_t unit, const char *name) {
    const node *nodes = in->graph->nodes;
    bool declared = false;
    for (size_t i = 0; i < in->graph->count; ++i) {
        const ht_tree_kernel *kernel = in->from.steps[i] ? kernel_of(&nodes[i], name) : NULL;
        if (kernel && kernel->defined)
            return false;
        declared = declared || (kernel && (i == unit || in->own.steps[i] ||
                                           same_folder(&nodes[in->index], &nodes[i])));
    }
    return declared;
}

static bool launches_one(pairing *in, size_t unit) {
    const graph *graph = in->graph;
    const node *file = &graph->nodes[in->index];
    bool counted = false;
    for (size_t k = 0; k < file->kernel_count; ++k) {
        const ht_tree_kernel *kernel = &file->kernels[k];
        if (!kernel->defined || kernel->launched)
            continue;
        if (!counted)
            ht_tree_steps(graph, unit, &in->from);
        counted = true;
        if (sees(in, unit, kernel->name) && text_launches(graph->nodes[unit].path, kernel->name))
            return true;
    }
    return false;
}

/* Returns true if a kernel of the file is declared where other sources may see it, and not launched
 * in the file. */
static bool is_asked_for(const pairing *in) {
    const graph *graph = in->graph;
    const node *file = &graph->nodes[in->index];
    for (size_t k = 0; k < file->kernel_count; ++k)
        for (size_t i = 0;
             file->kernels[k].defined && !file->kernels[k].launched && i < graph->count; ++i) {
            const ht_tree_kernel *other =
                i == in->index ? NULL : kernel_of(&graph->nodes[i], file->kernels[k].name);
            if (other && !other->defined &&
                (in->own.steps[i] || same_folder(file, &graph->nodes[i])))
                return true;
        }
    return false;
}

/* Orders units: those of the file's folder first, then by name. */
static bool is_nearer(const pairing *in, size_t a, size_t b) {
    const node *nodes = in->graph->nodes, *file = &nodes[in->index];
    bool first = same_folder(file, &nodes[a]), second = same_folder(file, &nodes[b]);
    return first != second ? first : strcmp(nodes[a].path, nodes[b].path) < 0;
}

size_t ht_tree_joined(const graph *in, size_t index, size_t **out_units) {
    pairing pair = {in, index, ht_tree_reach(in), ht_tree_reach(in)};
    size_t *units = NULL, count = 0;
    if (ht_tree_is_main(in, index))
        ht_tree_steps(in, index, &pair.own);
    bool asked = ht_tree_is_main(in, index) && is_asked_for(&pair);
    for (size_t i = 0; asked && i < in->count; ++i) {
        const node *unit = &in->nodes[i];
        if (i == index || !unit->launches || !ht_tree_is_main(in, i) || !launches_one(&pair, i))
            continue;
        HT_GROW(units, count);
        size_t at = count++;
        for (; at > 0 && is_nearer(&pair, i, units[at - 1]); --at)
            units[at] = units[at - 1];
        units[at] = i;
    }
    ht_tree_reach_free(&pair.own);
    ht_tree_reach_free(&pair.from);
    *out_units = units;
    return count;
}

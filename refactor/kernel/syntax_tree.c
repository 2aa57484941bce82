#include "refactor/kernel/syntax_tree.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_build.h"
#include "refactor/kernel/syntax_variable.h"

#include <stdlib.h>

static size_t trees_built, whole_built;

/* Notes bodies without braces that begin inside a macro's argument: their text cannot be cut
 * out. */
static void check_bodies(ht_syntax_builder *b) {
    for (size_t i = 0; i < b->tree.count; ++i) {
        const ht_syntax *node = b->nodes[i], *parent = node->parent;
        bool loop = parent && ht_syntax_is_loop(parent);
        bool body = parent && parent->kind == HT_SYNTAX_IF ? node != parent->children[0]
                    : loop                                 ? node == ht_syntax_body(parent)
                                                           : false;
        if (body && ht_syntax_is_expression(node) && node->plain && !ht_syntax_is_whole(node))
            ht_syntax_note(b, b->from[i], "a macro's argument begins what the macro makes");
    }
}

static void note_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    ht_syntax_variable *variable = &((ht_syntax_builder *)context)->variables[name->variable];
    if (!variable->changed)
        variable->changed = change;
}

const ht_syntax_tree *ht_syntax_of(const ht_model *model) {
    ht_syntax_tree **tree = &model->facts->forms.body;
    if (*tree)
        return *tree;
    ht_syntax_builder *b = ht_alloc(1, sizeof *b);
    b->tree = (ht_syntax_tree){.model = model, .origin = b};
    b->tree.all = b->tree.body = ht_syntax_build(b, NULL, model->definition.body);
    b->tree.nodes = (ht_syntax_list)b->nodes;
    b->tree.variables = b->variables;
    if (!b->tree.body->plain)
        ht_syntax_note(b, model->definition.function, "the kernel's body comes out of a macro");
    check_bodies(b);
    ht_syntax_changes(b->tree.body, note_change, b);
    ++trees_built;
    return *tree = &b->tree;
}

/* Builds the values of constants outside of functions, and of the constants named in those, and the
 * extents of arrays. */
static void add_constants(ht_syntax_builder *b) {
    for (size_t i = 0; i < b->tree.variable_count; ++i)
        if (!b->variables[i].declaration && (b->variables[i].is_const || b->variables[i].rank) &&
            clang_getCursorKind(b->declared[i]) == CXCursor_VarDecl)
            (void)ht_syntax_build_variable(b, NULL, b->declared[i]);
}

static void add_function(ht_syntax_builder *b, ht_syntax *all, CXCursor definition) {
    ht_syntax *node = ht_syntax_add(b, all, definition, HT_SYNTAX_COMPOUND);
    ht_syntax_function function = {0};
    enum CXCursorKind kind = clang_getCursorKind(definition);
    ht_cursors list = ht_ast_children(definition);
    for (size_t i = 0; i < list.count; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_ParmDecl) {
            size_t *parameters = (size_t *)function.parameters;
            HT_GROW(parameters, function.parameter_count);
            parameters[function.parameter_count++] = ht_syntax_note_variable(b, list.items[i]);
            function.parameters = parameters;
        }
    free(list.items);
    ht_syntax_add_children(b, node);
    ht_syntax_add_child(all, node);
    for (size_t i = 0; i < node->count; ++i)
        if (node->children[i]->kind == HT_SYNTAX_COMPOUND &&
            (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
             kind == CXCursor_CXXMethod))
            function.body = node->children[i];
    HT_GROW(b->functions, b->tree.function_count);
    b->functions[b->tree.function_count++] = function;
}

const ht_syntax_tree *ht_syntax_whole(const ht_model *model) {
    ht_syntax_tree **tree = &model->facts->forms.whole;
    if (*tree)
        return *tree;
    ht_syntax_builder *b = ht_alloc(1, sizeof *b);
    b->tree = (ht_syntax_tree){.model = model, .origin = b};
    b->whole = true;
    ht_syntax *all = ht_syntax_add(b, NULL, model->definition.function, HT_SYNTAX_COMPOUND);
    b->tree.all = all;
    for (size_t i = 0; i < model->facts->reached.count; ++i)
        add_function(b, all, model->facts->reached.functions[i]);
    add_constants(b);
    b->tree.functions = b->functions;
    b->tree.nodes = (ht_syntax_list)b->nodes;
    b->tree.variables = b->variables;
    b->tree.body = ht_syntax_find(&b->tree, model->definition.body);
    ++whole_built;
    return *tree = &b->tree;
}

size_t ht_syntax_built(void) {
    return trees_built;
}

size_t ht_syntax_whole_built(void) {
    return whole_built;
}

void ht_syntax_free(ht_syntax_tree *tree) {
    if (!tree)
        return;
    ht_syntax_builder *b = tree->origin;
    for (size_t i = 0; i < tree->count; ++i) {
        if (b->nodes[i]->call)
            free(b->nodes[i]->call->name);
        free((void *)b->nodes[i]->call);
        free((void *)b->nodes[i]->children);
        free(b->nodes[i]);
    }
    for (size_t i = 0; i < tree->variable_count; ++i)
        free(b->variables[i].name);
    for (size_t i = 0; i < b->trouble_count; ++i)
        free(b->troubles[i].why);
    for (size_t i = 0; i < b->file_count; ++i)
        free(b->files[i]);
    for (size_t i = 0; i < tree->function_count; ++i)
        free((void *)b->functions[i].parameters);
    free(b->functions);
    free(b->file_indices);
    free(b->nodes);
    free(b->from);
    free(b->variables);
    free(b->declared);
    free(b->troubles);
    free(b->files);
    free(b);
}

const char *ht_syntax_unknown(const ht_syntax_tree *tree, bool shared, ht_position *out_at) {
    const ht_syntax_builder *b = tree->origin;
    for (size_t i = 0; i < b->trouble_count; ++i)
        if (!shared || !b->troubles[i].shared) {
            *out_at = b->troubles[i].at;
            return b->troubles[i].why;
        }
    return NULL;
}

const ht_syntax *ht_syntax_in_body(const ht_syntax *node) {
    return ht_syntax_find(ht_syntax_of(node->tree->model), ht_syntax_cursor(node));
}

size_t ht_syntax_file(const ht_syntax_tree *tree, ht_position at) {
    for (size_t i = 0; i < tree->origin->file_count; ++i)
        if (tree->origin->files[i] == at.file)
            return tree->origin->file_indices[i];
    return SIZE_MAX;
}

/* Skeletons of problem files: all that is known of a kernel, with '?' where somebody must fill in.
 */
#include "base/memory.h"
#include "refactor/emit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* How often a pointer parameter is named, and how often that is only to store through it. */
typedef struct uses {
    const ht_parameter *parameter;
    size_t all, stores;
} uses;

static bool names_parameter(const uses *of, CXCursor cursor) {
    return clang_equalCursors(clang_getCursorReferenced(cursor), of->parameter->cursor);
}

static bool count_use(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    uses *of = context;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        of->all += names_parameter(of, cursor);
    if (!ht_ast_binary(cursor, &kind, &left, &right) || kind != CXBinaryOperator_Assign)
        return true;
    CXCursor place = ht_ast_strip(left, false);
    if (clang_getCursorKind(place) == CXCursor_ArraySubscriptExpr ||
        clang_getCursorKind(place) == CXCursor_UnaryOperator)
        place = ht_ast_strip(ht_ast_child(place, 0), false);
    of->stores += names_parameter(of, place);
    return true;
}

/* A guess, for a person to check: what is only stored to is an output, what is also read is both.
 */
static const char *guessed_role(const ht_model *model, const ht_parameter *parameter) {
    if (parameter->is_const)
        return "in";
    uses of = {.parameter = parameter};
    ht_ast_walk(model->body, count_use, &of);
    if (of.all == 0)
        return "in";
    return of.stores == of.all ? "out" : "inout";
}

static json_t *argument_line(const ht_model *model, const ht_parameter *parameter, size_t index) {
    char *name = parameter->name[0] ? ht_strdup(parameter->name) : ht_format("arg%zu", index);
    const char *type = parameter->is_pointer ? parameter->pointee : parameter->type;
    char *line;
    for (size_t i = 0; i < model->facts->template_parameter_count; ++i)
        if (strcmp(model->facts->template_parameters[i].name, type) == 0)
            type = model->facts->template_parameters[i].argument
                       ? model->facts->template_parameters[i].argument
                       : "?";
    if (parameter->is_pointer)
        line = ht_format("%s : %s %s[?]", name, guessed_role(model, parameter), type);
    else
        line = ht_format("%s : %s = ?", name, type);
    json_t *value = json_string(line);
    free(name);
    free(line);
    return value;
}

static json_t *constants(const ht_slice *slice, json_t *args) {
    for (size_t i = 0; i < slice->chunk_count; ++i)
        for (size_t j = 0; slice->chunks[i].needed && j < slice->chunks[i].cursor_count; ++j) {
            CXCursor cursor = slice->chunks[i].cursors[j];
            ht_cursors list = ht_ast_children(cursor);
            bool constant = false;
            for (size_t k = 0; k < list.count; ++k)
                constant =
                    constant || clang_getCursorKind(list.items[k]) == CXCursor_CUDAConstantAttr;
            free(list.items);
            if (!constant)
                continue;
            CXType type = clang_getArrayElementType(clang_getCursorType(cursor));
            CXString spelling = clang_getTypeSpelling(type);
            char *name = ht_cursor_name(cursor);
            char *line = ht_format("%s : constant %s[?]", name,
                                   type.kind == CXType_Invalid ? "?" : clang_getCString(spelling));
            json_array_append_new(args, json_string(line));
            clang_disposeString(spelling);
            free(name);
            free(line);
        }
    return args;
}

char *ht_skeleton_write(const ht_model *model, const ht_grid *grid, const ht_slice *slice) {
    json_t *args = json_array(), *kernel = json_object(), *root = json_object();
    for (size_t i = 0; i < model->parameter_count; ++i)
        json_array_append_new(args, argument_line(model, &model->parameters[i], i));
    constants(slice, args);
    json_object_set_new(kernel, "kernel", json_string(model->qualified));
    json_object_set_new(kernel, "problem", json_string("?"));
    json_object_set_new(kernel, "args", args);
    if (grid->missing.length && model->facts->launches.count)
        json_object_set_new(kernel, "host", json_pack("{s:s}", "?", "?"));
    if (!model->launch_known) {
        json_object_set_new(kernel, "block", json_pack("[s]", "?"));
        json_object_set_new(kernel, "grid", json_pack("[s]", "?"));
    }
    if (model->facts->template_parameter_count) {
        json_t *arguments = json_array();
        for (size_t i = 0; i < model->facts->template_parameter_count; ++i) {
            const char *known = model->facts->template_parameters[i].argument;
            json_array_append_new(arguments, json_string(known ? known : "?"));
        }
        json_object_set_new(kernel, "template", arguments);
    }
    json_object_set_new(kernel, "instances",
                        json_pack("[{s:s, s:{s:s}}]", "name", "?", "fields", "?", "?"));
    json_object_set_new(root, "format", json_string("hiptemper-problem"));
    json_object_set_new(root, "version", json_integer(1));
    json_object_set_new(root, "kernels", json_pack("[o]", kernel));
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    char *text = ht_format("%s\n", dump ? dump : "{}");
    free(dump);
    json_decref(root);
    return text;
}

#include "refactor/infer/infer_record.h"
#include "refactor/infer/infer_type.h"

#include "base/memory.h"
#include "refactor/infer/infer_host.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/variable_reach.h"
#include "refactor/unit/record.h"
#include "templates/expr/expr_node.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots ---- */

static void slot_add(ht_infer *in, const ht_parameter *slot, size_t owner,
                     const ht_record_leaf *leaf) {
    size_t count = in->slots.count;
    HT_GROW(in->slot_records, count);
    HT_GROW(in->slots.items, in->slots.count);
    in->slot_records[count] = (ht_infer_slot){.owner = owner, .leaf = leaf};
    in->slots.items[in->slots.count++] = *slot;
}

static void field_add(ht_infer *in, size_t owner, const ht_record_leaf *leaf) {
    const ht_parameter *parameter = &in->model->parameters.items[owner];
    ht_parameter slot = {.name = ht_format("%s.%s", parameter->name, leaf->path),
                         .type = ht_type_plain(leaf->type),
                         .is_pointer = leaf->type.kind == CXType_Pointer,
                         .is_integer = ht_type_is_integer(leaf->type),
                         .is_assigned = parameter->is_assigned,
                         .cursor = leaf->field};
    if (slot.is_pointer) {
        CXType pointee = clang_getCanonicalType(clang_getPointeeType(leaf->type));
        slot.pointee = ht_type_plain(pointee);
        slot.is_const = clang_isConstQualifiedType(pointee) != 0;
    }
    slot_add(in, &slot, owner, leaf);
    in->slot_records[in->slots.count - 1].is_array = leaf->type.kind == CXType_ConstantArray;
}

char *ht_infer_array_line(const ht_infer *in, size_t index) {
    long long count;
    CXType type = ht_record_element(in->slot_records[index].leaf->type, &count);
    char *element = ht_type_plain(type);
    char *line = ht_format("%s : in %s[%lld]", in->slots.items[index].name, element, count);
    free(element);
    return line;
}

void ht_infer_slots_make(ht_infer *in) {
    const ht_model *model = in->model;
    in->records = ht_alloc(model->parameters.count + 1, sizeof *in->records);
    for (size_t i = 0; i < model->parameters.count; ++i)
        slot_add(in, &model->parameters.items[i], SIZE_MAX, NULL);
    for (size_t i = 0; i < model->parameters.count; ++i) {
        long long parts;
        char *known = ht_infer_type(model, &model->parameters.items[i], &parts);
        CXType type = ht_record_type(model, i);
        bool record = !known && type.kind != CXType_Invalid;
        free(known);
        if (!record)
            continue;
        in->slot_records[i].is_record = true;
        in->slot_records[i].is_pointed = in->slots.items[i].is_pointer;
        in->slots.items[i].is_pointer = false; /* its fields are the buffers */
        ht_record_read(type, &in->records[i]);
        for (size_t j = 0; j < in->records[i].count && !in->records[i].problem; ++j)
            field_add(in, i, &in->records[i].leaves[j]);
    }
}

char *ht_infer_places(ht_model *model) {
    ht_infer in = {.model = model};
    ht_text text = {0};
    ht_infer_slots_make(&in);
    for (size_t i = 0; i < in.slots.count; ++i) {
        const ht_infer_slot *slot = &in.slot_records[i];
        if (slot->leaf && slot->leaf->place >= 0 && !in.slot_records[slot->owner].is_pointed)
            ht_text_printf(&text, "%s %lld %lld\n", in.slots.items[i].name, slot->leaf->place,
                           clang_Type_getSizeOf(slot->leaf->type));
    }
    ht_infer_slots_free(&in);
    return text.length ? ht_text_take(&text) : NULL;
}

void ht_infer_slots_free(ht_infer *in) {
    for (size_t i = in->model->parameters.count; i < in->slots.count; ++i) {
        free(in->slots.items[i].name);
        free(in->slots.items[i].type);
        free(in->slots.items[i].pointee);
    }
    for (size_t i = 0; i < in->model->parameters.count; ++i)
        ht_record_free(&in->records[i]);
    free(in->slots.items);
    free(in->slot_records);
    free(in->records);
}

char *ht_infer_record_line(ht_infer *in, size_t index, const char *name) {
    const ht_parameter *parameter = &in->slots.items[index];
    char *type = ht_record_name(ht_record_type(in->model, index));
    const char *why = in->records[index].problem;
    if (!type)
        why = "its type has no name outside of a function";
    if (!parameter->name[0] || ht_expr_reserved(parameter->name) ||
        strcmp(parameter->name, "problem") == 0 || strcmp(parameter->name, "device") == 0)
        why = "its name is one of expressions";
    if (why)
        ht_infer_miss(in, ht_ast_line(parameter->cursor), "the fields of structure '%s' (%s): %s",
                      name, parameter->type, why);
    char *line =
        ht_format("%s : %sstruct %s", name, in->slot_records[index].is_pointed ? "in " : "",
                  type && !why ? type : "?");
    free(type);
    return line;
}

char *ht_infer_field_name(const ht_parameter *slot) {
    const char *dot = strchr(slot->name, '.');
    ht_text text = {0};
    for (const char *at = dot ? dot + 1 : slot->name; *at; ++at)
        if (*at != ']')
            ht_text_append_n(&text, isalnum((unsigned char)*at) ? at : "_", 1);
    return text.length ? ht_text_take(&text) : ht_strdup("");
}

/* ---- what the host sets ---- */

/* Goes through copies to what is copied. */
static CXCursor copied(CXCursor expression) {
    for (int depth = 0; depth < 8; ++depth) {
        expression = ht_ast_strip(expression, false);
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind != CXCursor_CallExpr && kind != CXCursor_UnexposedExpr)
            break;
        ht_cursors list = ht_ast_children(expression);
        CXCursor only = list.count == 1 ? list.items[0] : clang_getNullCursor();
        free(list.items);
        if (!clang_isExpression(clang_getCursorKind(only)))
            break;
        expression = only;
    }
    return expression;
}

/* Parts an item of a list that has a designator: the n and the 5 of .n = 5. Another item is all
 * value, and *out_field the null cursor. */
static CXCursor undesignated(CXCursor item, CXCursor *out_field) {
    *out_field = clang_getNullCursor();
    if (clang_getCursorKind(item) != CXCursor_UnexposedExpr)
        return item;
    ht_cursors list = ht_ast_children(item);
    bool named = list.count == 2 && clang_getCursorKind(list.items[0]) == CXCursor_MemberRef;
    CXCursor value = named ? list.items[1] : item;
    if (named)
        *out_field = clang_getCursorReferenced(list.items[0]);
    free(list.items);
    return value;
}

/* Returns member `step` of `width` of a list: by the field's name where that stands there. */
static CXCursor listed(const ht_cursors *list, size_t step, size_t width, CXCursor field) {
    CXCursor named, none = clang_getNullCursor();
    for (size_t i = 0; i < list->count; ++i) {
        CXCursor value = undesignated(list->items[i], &named);
        if (!clang_Cursor_isNull(named) && clang_equalCursors(named, field))
            return value;
    }
    if (!width || step >= list->count)
        return none;
    undesignated(list->items[step], &named);
    return clang_Cursor_isNull(named) ? list->items[step] : none;
}

/* Returns member `step` of `width` of what a list, a constructor with that many arguments, or a
 * variable that nothing changes gives; null cursor: not known. */
static CXCursor member_of(CXCursor value, size_t step, size_t width, CXCursor field, int depth) {
    CXCursor cursor = copied(value), variable = ht_ast_variable(cursor),
             none = clang_getNullCursor();
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (depth > 6 || clang_Cursor_isNull(cursor))
        return none;
    if (clang_getCursorKind(variable) == CXCursor_VarDecl && ht_variable_writes(variable) == 0 &&
        !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(variable)))
        return member_of(clang_Cursor_getVarDeclInitializer(variable), step, width, field,
                         depth + 1);
    if (kind == CXCursor_CallExpr && width && (size_t)clang_Cursor_getNumArguments(cursor) == width)
        return clang_Cursor_getArgument(cursor, (unsigned)step);
    ht_cursors list = ht_ast_children(cursor);
    CXCursor found = none;
    if (kind == CXCursor_InitListExpr) {
        found = listed(&list, step, width, field);
    } else if (list.count && clang_isExpression(clang_getCursorKind(list.items[list.count - 1])) &&
               kind != CXCursor_BinaryOperator && kind != CXCursor_ConditionalOperator)
        found = member_of(list.items[list.count - 1], step, width, field, depth + 1);
    free(list.items);
    return found;
}

/* Returns what a field on the first level is where `argument` names the structure. */
static CXCursor first_of(CXCursor argument, const ht_record_leaf *leaf, CXCursor field) {
    CXCursor use = copied(argument), variable = ht_ast_variable(use), value;
    ht_reach_kind kind;
    if (clang_getCursorKind(variable) == CXCursor_VarDecl && ht_variable_writes(variable) > 0) {
        if (!ht_variable_reach(variable, use, (int64_t)leaf->steps[0], &kind, &value) ||
            kind == HT_REACH_UPDATE || clang_Cursor_isNull(value))
            return clang_getNullCursor();
        return kind == HT_REACH_PART ? value
                                     : member_of(value, leaf->steps[0], leaf->widths[0], field, 0);
    }
    return member_of(argument, leaf->steps[0], leaf->widths[0], field, 0);
}

typedef struct assignment_search {
    CXCursor variable;
    const char *path; /* "low.x" */
    unsigned before;
    CXCursor value;
} assignment_search;

/* Returns the "low.x", "w[2]" of v.low.x and v.w[2]; NULL: the expression is no part of v. free().
 */
static char *path_in(CXCursor expression, CXCursor variable) {
    char *path = ht_strdup("");
    for (int depth = 0; depth < 8; ++depth) {
        expression = ht_ast_strip(expression, false);
        if (clang_equalCursors(ht_ast_variable(expression), variable) && path[0])
            return path;
        enum CXCursorKind kind = clang_getCursorKind(expression);
        int64_t index = -1;
        char *step = NULL;
        if (kind == CXCursor_MemberRefExpr) {
            char *name = ht_cursor_name(expression);
            step = ht_format("%s%s%s", name, path[0] && path[0] != '[' ? "." : "", path);
            free(name);
        } else if (kind == CXCursor_ArraySubscriptExpr &&
                   ht_ast_constant(ht_ast_child(expression, 1), &index))
            step = ht_format("[%lld]%s%s", (long long)index, path[0] && path[0] != '[' ? "." : "",
                             path);
        free(path);
        if (!step)
            return NULL;
        path = step;
        expression = ht_ast_child(expression, 0);
        if (clang_Cursor_isNull(expression))
            break;
    }
    free(path);
    return NULL;
}

static bool on_assignment(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    assignment_search *in = context;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (ht_ast_offset(cursor) >= in->before || !ht_ast_binary(cursor, &kind, &left, &right) ||
        kind != CXBinaryOperator_Assign)
        return true;
    char *path = path_in(left, in->variable);
    if (path && strcmp(path, in->path) == 0)
        in->value = right;
    free(path);
    return true;
}

/* Returns the last value that the text before the launch assigns to a field. It need not be the one
 * that the field has: it is taken as a number to begin with, where what reaches is not known. */
static CXCursor last_assigned(CXCursor argument, const ht_record_leaf *leaf) {
    CXCursor use = copied(argument);
    assignment_search in = {
        .variable = ht_ast_variable(use), .path = leaf->path, .value = clang_getNullCursor()};
    if (clang_getCursorKind(in.variable) != CXCursor_VarDecl)
        return in.value;
    clang_getExpansionLocation(clang_getCursorLocation(use), NULL, NULL, NULL, &in.before);
    ht_ast_walk(clang_getCursorSemanticParent(in.variable), on_assignment, &in);
    return in.value;
}

static CXCursor reaching(CXCursor argument, const ht_record_leaf *leaf) {
    CXCursor none = clang_getNullCursor();
    if (!leaf->step_count)
        return none;
    CXCursor value = first_of(argument, leaf, leaf->step_count == 1 ? leaf->field : none);
    for (size_t i = 1; i < leaf->step_count && !clang_Cursor_isNull(value); ++i)
        value = member_of(value, leaf->steps[i], leaf->widths[i],
                          i + 1 == leaf->step_count ? leaf->field : none, 0);
    return value;
}

static CXCursor leaf_value(CXCursor argument, const ht_record_leaf *leaf) {
    CXCursor value = reaching(argument, leaf);
    return clang_Cursor_isNull(value) ? last_assigned(argument, leaf) : value;
}

CXCursor ht_infer_passed_for(const ht_infer *in, size_t index) {
    const ht_launch_site *site = ht_launches_first(&in->model->facts->launches);
    const ht_infer_slot *slot = &in->slot_records[index];
    size_t argument = slot->leaf ? slot->owner : index;
    if (!site || argument >= site->argument_count)
        return clang_getNullCursor();
    return slot->leaf ? leaf_value(site->arguments[argument], slot->leaf)
                      : site->arguments[argument];
}

CXCursor ht_infer_field_base(const ht_infer *in, size_t index) {
    const ht_launch_site *site = ht_launches_first(&in->model->facts->launches);
    const ht_infer_slot *slot = &in->slot_records[index];
    if (!site || !slot->leaf || slot->owner >= site->argument_count || slot->leaf->step_count != 1)
        return clang_getNullCursor();
    return ht_ast_variable(copied(site->arguments[slot->owner]));
}

CXCursor ht_infer_field_initial(const ht_infer *in, CXCursor variable, CXCursor field) {
    for (size_t i = 0; i < in->slots.count; ++i) {
        const ht_record_leaf *leaf = in->slot_records[i].leaf;
        CXCursor base = leaf ? ht_infer_field_base(in, i) : clang_getNullCursor();
        if (leaf && !clang_Cursor_isNull(base) && clang_equalCursors(leaf->field, field) &&
            clang_equalCursors(base, variable))
            return ht_infer_passed_for(in, i);
    }
    return clang_getNullCursor();
}

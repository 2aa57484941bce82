/* restrict: `__restrict__` on pointer parameters, and `const` on those that are only read, on or
 * off.
 *
 * __restrict__ on a pointer says that what is written during the kernel and reached through it is
 * reached through nothing else. So a pointer gets it when each other pointer of the kernel is one
 * of two things: read only, as it is itself, or passed another allocation by every launch. It must
 * not be both read and written by a kernel in which threads wait for each other: the compiler could
 * keep what it read in a register across the barrier. */
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/restrict/pointers.h"

#include <stdlib.h>
#include <string.h>

static bool holds_pointer(CXType type, int depth);

static enum CXVisitorResult on_field(CXCursor field, CXClientData data) {
    int *left = data;
    if (!holds_pointer(clang_getCursorType(field), *left))
        return CXVisit_Continue;
    *left = -1;
    return CXVisit_Break;
}

static bool holds_pointer(CXType type, int depth) {
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Pointer || type.kind == CXType_LValueReference || depth <= 0)
        return true;
    if (clang_getArrayElementType(type).kind != CXType_Invalid)
        return holds_pointer(clang_getArrayElementType(type), depth - 1);
    if (type.kind != CXType_Record)
        return type.kind == CXType_Unexposed || type.kind == CXType_Dependent;
    int left = depth - 1;
    clang_Type_visitFields(type, on_field, &left);
    return left < 0;
}

static bool on_global(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    CXCursor *found = context;
    if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr)
        return true;
    CXCursor declaration = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(declaration) != CXCursor_VarDecl)
        return true;
    enum CXCursorKind scope = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    bool global = scope == CXCursor_TranslationUnit || scope == CXCursor_Namespace ||
                  scope == CXCursor_StructDecl || scope == CXCursor_ClassDecl;
    CXType type = clang_getCanonicalType(clang_getCursorType(declaration));
    if (global && (type.kind == CXType_Pointer || type.kind == CXType_Record) &&
        holds_pointer(type, 6))
        *found = cursor;
    return true;
}

/* What could be a second way to the memory, other than the pointer parameters themselves. */
static bool has_other_ways(const ht_model *model, ht_plan *plan) {
    for (size_t i = 0; i < model->parameter_count; ++i) {
        CXType type = clang_getCanonicalType(clang_getCursorType(model->parameters[i].cursor));
        if (type.kind == CXType_Pointer)
            type = clang_getCanonicalType(clang_getPointeeType(type));
        else if (type.kind != CXType_Record)
            continue;
        if ((type.kind == CXType_Pointer || type.kind == CXType_Record) && holds_pointer(type, 6)) {
            ht_plan_remark(plan, HT_REMARK_NOTE, model->parameters[i].cursor,
                           "no __restrict__: '%s' holds pointers", model->parameters[i].name);
            return true;
        }
    }
    CXCursor found = clang_getNullCursor();
    for (size_t i = 0; i < model->facts->reached_count; ++i)
        ht_ast_walk(model->facts->reached[i], on_global, &found);
    if (!clang_Cursor_isNull(found))
        ht_plan_remark(plan, HT_REMARK_NOTE, found, "no __restrict__: a global pointer is used");
    return !clang_Cursor_isNull(found);
}

/* Do threads wait for each other, or may they pass values on through memory? */
static bool threads_meet(const ht_model *model) {
    return model->feature[HT_FEATURE_BARRIER] || model->feature[HT_FEATURE_ATOMIC] ||
           model->feature[HT_FEATURE_WAVEFRONT] || model->feature[HT_FEATURE_COOPERATIVE] ||
           model->feature[HT_FEATURE_ASM];
}

typedef struct pointers {
    const ht_model *model;
    ht_pointer_use *use; /* of each parameter */
} pointers;

static bool distinct(const pointers *in, size_t first, size_t second) {
    const ht_launches *launches = &in->model->facts->launches;
    for (size_t i = 0; i < launches->count; ++i)
        if (!ht_arguments_distinct(&launches->items[i], first, second))
            return false;
    return launches->count > 0 && launches->other_use_line == 0;
}

/* Another parameter that may lead to the same memory, with one of the two written; SIZE_MAX: none.
 */
static size_t rival(const pointers *in, size_t index) {
    for (size_t other = 0; other < in->model->parameter_count; ++other)
        if (other != index && in->model->parameters[other].is_pointer &&
            (in->use[index].writes || in->use[other].writes) && !distinct(in, index, other))
            return other;
    return SIZE_MAX;
}

/* `TYPE *` in front of the parameter's name, when it is plain text. */
static bool type_place(const ht_model *model, const ht_parameter *parameter, ht_range *out_place) {
    ht_range whole;
    unsigned name;
    if (!parameter->name[0] || !ht_ast_range(model, parameter->cursor, &whole))
        return false;
    clang_getExpansionLocation(clang_getCursorLocation(parameter->cursor), NULL, NULL, NULL, &name);
    size_t end = name;
    while (end > whole.begin && strchr(" \t\r\n", model->text[end - 1]))
        --end;
    *out_place = (ht_range){whole.begin, name};
    bool constant = end > whole.begin + 5 && strncmp(model->text + end - 5, "const", 5) == 0;
    for (size_t at = whole.begin; at < end; ++at)
        if (model->text[at] == '#' || model->text[at] == '/')
            return false; /* a comment or a directive in the midst of it */
    return name > whole.begin && name < whole.end && (model->text[end - 1] == '*' || constant);
}

static void write_parameter(const pointers *in, ht_plan *plan, size_t index, ht_range place,
                            const char *name, const char *helper) {
    const ht_parameter *parameter = &in->model->parameters[index];
    const ht_pointer_use *use = &in->use[index];
    bool narrow = !parameter->is_const && use->reads && !use->writes;
    const char *before = narrow ? "const " : "";
    char *text = ht_format("$[%zu,%zu]", place.begin, place.end);
    size_t end = place.end;
    while (end > place.begin && strchr(" \t\r\n", in->model->text[end - 1]))
        --end;
    ht_plan_editf(plan, place, name,
                  "$?{%s}{typename %s<%s, $[%zu,%zu], %s$[%zu,%zu]>::type }{%s%s__restrict__ }",
                  name, helper, name, place.begin, end, before, place.begin, end, before, text);
    free(text);
}

static void help(ht_plan *plan, const char *helper) {
    const char *plain = ht_plan_name(plan, "T"), *other = ht_plan_name(plan, "U");
    char *text = ht_format(
        "template <bool, typename %s, typename %s> struct %s { typedef %s type; };\n"
        "template <typename %s, typename %s> struct %s<true, %s, %s> { typedef %s __restrict__ "
        "type; };\n",
        plain, other, helper, plain, plain, other, helper, plain, other, other);
    ht_plan_help(plan, text);
    free(text);
}

static void write_all(const pointers *in, ht_plan *plan, const bool *proved) {
    const ht_model *model = in->model;
    const char *name = ht_plan_name(plan, "RESTRICT");
    const char *helper = ht_plan_name(plan, "restrict_if");
    ht_text names = {0};
    for (size_t i = 0; i < model->parameter_count; ++i) {
        ht_range place;
        if (!proved[i] || !type_place(model, &model->parameters[i], &place))
            continue;
        write_parameter(in, plan, i, place, name, helper);
        ht_text_printf(&names, names.length ? ", %s" : "%s", model->parameters[i].name);
    }
    if (names.length) {
        ht_plan_param(plan, name, "false, true", "false");
        help(plan, helper);
        ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
                       "__restrict__ on %s became a choice: nothing else leads to their memory",
                       names.data);
    }
    ht_text_free(&names);
}

static void judge(pointers *in, ht_plan *plan) {
    const ht_model *model = in->model;
    bool *proved = ht_alloc(model->parameter_count + 1, sizeof *proved);
    size_t pointer_count = 0, written = 0, count = 0;
    for (size_t i = 0; i < model->parameter_count; ++i) {
        pointer_count += model->parameters[i].is_pointer;
        written += in->use[i].writes;
    }
    /* where one pointer is all there is, or nothing is written, it would change nothing */
    for (size_t i = 0; pointer_count > 1 && written > 0 && i < model->parameter_count; ++i) {
        const ht_parameter *parameter = &model->parameters[i];
        if (!parameter->is_pointer || parameter->is_restrict ||
            !(in->use[i].reads || in->use[i].writes))
            continue;
        size_t other = rival(in, i);
        if (other != SIZE_MAX)
            ht_plan_remark(plan, HT_REMARK_MISSED, parameter->cursor,
                           "no __restrict__ on '%s': nothing says that '%s' is other memory",
                           parameter->name, model->parameters[other].name);
        else if (in->use[i].reads && in->use[i].writes && threads_meet(model))
            ht_plan_remark(plan, HT_REMARK_MISSED, parameter->cursor,
                           "no __restrict__ on '%s': threads may pass values on through it",
                           parameter->name);
        else
            proved[i] = ++count > 0;
    }
    if (count)
        write_all(in, plan, proved);
    free(proved);
}

/* Launches that are not seen could pass the same memory twice. */
static bool launched_elsewhere(const ht_model *model, ht_plan *plan) {
    const ht_source *source = model->facts->source;
    bool header = strcmp(source->unit_path, source->path) != 0;
    bool declared = !clang_equalCursors(clang_getCanonicalCursor(model->kernel), model->kernel);
    if (header || declared)
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "no __restrict__: %s, other units may launch it with any buffers",
                       header ? "it is in a header" : "it is declared ahead of its definition");
    return header || declared;
}

static void apply(const ht_model *model, ht_plan *plan) {
    pointers in = {.model = model};
    if (!model->launch_known || model->facts->problem || model->facts->launches.count == 0 ||
        launched_elsewhere(model, plan) || has_other_ways(model, plan))
        return;
    in.use = ht_alloc(model->parameter_count + 1, sizeof *in.use);
    for (size_t i = 0; i < model->parameter_count; ++i)
        if (model->parameters[i].is_pointer)
            in.use[i] = ht_pointer_use_find(model, model->parameters[i].cursor);
    judge(&in, plan);
    free(in.use);
}

const ht_transformation ht_transformation_restrict = {
    .name = "restrict",
    .summary = "const and __restrict__ on pointers to memory that nothing else leads to",
    .apply = apply,
    .stopped_by = HT_PINNED_HEADER | HT_PINNED_POINTERS,
    .searched = {.is_hint = true, .drops = {{40, NULL}}},
};

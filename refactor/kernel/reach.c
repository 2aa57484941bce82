/* The user's functions that a kernel reaches, and features that keep its block and grid as they
 * are. */
#include "refactor/kernel/reach.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/groups.h"
#include "refactor/kernel/indexing.h"
#include "refactor/kernel/specialised.h"
#include "refactor/kernel/syntax_origin.h"
#include "refactor/kernel/syntax_tree.h"

#include <stdlib.h>
#include <string.h>

CXCursor ht_function_definition(CXCursor declaration) {
    CXCursor primary = clang_getSpecializedCursorTemplate(declaration);
    CXCursor own = clang_getCursorDefinition(declaration);
    if (!clang_Cursor_isNull(primary)) {
        /* An implicit instantiation is the template's body; an explicit specialisation has its
         * own. */
        CXSourceLocation here = clang_getCursorLocation(declaration);
        CXSourceLocation there = clang_getCursorLocation(primary);
        if (clang_equalLocations(here, there) || clang_Cursor_isNull(own)) {
            CXCursor of = clang_getCursorDefinition(primary);
            return clang_Cursor_isNull(of) ? primary : of;
        }
    }
    return own;
}

static bool is_function(CXCursor cursor) {
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_ConversionFunction:
        return true;
    default:
        return false;
    }
}

ht_feature ht_feature_of_name(const char *name) {
    switch (ht_callee_class_of(name)) {
    case HT_CALLEE_BARRIER:
    case HT_CALLEE_FENCE:
        return HT_FEATURE_BARRIER;
    case HT_CALLEE_WAVEFRONT:
        return HT_FEATURE_WAVEFRONT;
    case HT_CALLEE_ATOMIC:
        return HT_FEATURE_ATOMIC;
    case HT_CALLEE_GROUPS:
        return HT_FEATURE_COOPERATIVE;
    default:
        return HT_FEATURE_COUNT;
    }
}

static void feature_set(ht_model *model, ht_feature feature, CXCursor cursor) {
    if (feature == HT_FEATURE_COUNT || model->feature[feature])
        return;
    model->feature[feature] = true;
    model->feature_line[feature] = ht_ast_line(cursor);
}

static void reach(ht_model *model, CXCursor declaration);

static void on_specialisation(CXCursor specialisation, void *context) {
    reach(context, specialisation);
}

/* A call whose arguments' types are not known yet names the template: any specialisation may run,
 * of one that is only declared as well. */
static void reach_specialisations(ht_model *model, CXCursor template) {
    ht_reached *reached = &model->facts->reached;
    size_t file;
    ht_range range;
    if (clang_getCursorKind(template) != CXCursor_FunctionTemplate ||
        !ht_source_range(model->facts->source, template, &file, &range))
        return;
    for (size_t i = 0; i < reached->template_count; ++i)
        if (clang_equalCursors(reached->templates[i], template))
            return;
    HT_GROW(reached->templates, reached->template_count);
    reached->templates[reached->template_count++] = template;
    ht_specialised_each(model->facts->source->unit, template, on_specialisation, model);
}

static void reach(ht_model *model, CXCursor declaration) {
    ht_kernel_facts *facts = model->facts;
    if (!is_function(declaration))
        return;
    if (!clang_equalCursors(declaration, model->definition.function))
        reach_specialisations(model, declaration);
    CXCursor definition = ht_function_definition(declaration);
    size_t file;
    ht_range range;
    if (clang_Cursor_isNull(definition) ||
        !ht_source_range(facts->source, definition, &file, &range))
        return;
    for (size_t i = 0; i < facts->reached.count; ++i)
        if (clang_equalCursors(facts->reached.functions[i], definition))
            return;
    HT_GROW(facts->reached.functions, facts->reached.count);
    facts->reached.functions[facts->reached.count++] = definition;
}

typedef struct reaching {
    ht_model *model;
    CXCursor function;
    ht_index_names *names; /* of the function being visited */
} reaching;

/* Counts the name if it belongs to a built-in index. Returns true if it is one of the four
 * variables. */
static bool note_index(ht_index_names *out, const char *name, bool call) {
    static const char *const functions[] = {"__ockl_get_local_id",        "__ockl_get_group_id",
                                            "__ockl_get_local_size",      "__ockl_get_num_groups",
                                            "__ockl_get_global_id",       "__ockl_get_global_size",
                                            "__builtin_amdgcn_workitem_", "__builtin_amdgcn_workg",
                                            "__builtin_amdgcn_grid_",     NULL};
    out->called += call && ht_text_starts(name, functions);
    ht_index_kind kind = ht_index_named(name);
    if (kind != HT_INDEX_NONE)
        out->named[kind] = true;
    return kind != HT_INDEX_NONE;
}

/* Notes the axes of an index that is named by itself, or as the first part of threadIdx.x. */
static void note_axes(ht_index_names *out, const char *name, CXCursor parent) {
    ht_index_kind kind = ht_index_named(name);
    bool member = clang_getCursorKind(parent) == CXCursor_MemberRefExpr;
    char *axis = member ? ht_cursor_name(parent) : ht_strdup("");
    bool plain = axis[0] >= 'x' && axis[0] <= 'z' && !axis[1];
    if (kind != HT_INDEX_NONE)
        out->axes[kind] |= plain ? 1U << (axis[0] - 'x') : ~0U;
    free(axis);
}

/* Notes the first called function in which threads synchronize or share an array. */
static void note_meeting(const reaching *in) {
    ht_kernel_facts *facts = in->model->facts;
    if (in->names == &facts->reached.names_elsewhere && clang_Cursor_isNull(facts->reached.meeting))
        facts->reached.meeting = in->function;
}

static void note_call(const reaching *in, const char *name, CXCursor call) {
    ht_kernel_facts *facts = in->model->facts;
    bool group = ht_group_is_barrier(call);
    if (group)
        feature_set(in->model, HT_FEATURE_BARRIER, call);
    if (group || ht_callee_class_of(name) == HT_CALLEE_BARRIER)
        note_meeting(in);
    if (!facts->reached.vote_line && ht_text_begins(name, "__syncthreads_"))
        facts->reached.vote_line = ht_ast_line(call);
}

static void look_at_variable(const reaching *in, CXCursor cursor) {
    ht_model *model = in->model;
    CXType type = clang_getCursorType(cursor);
    bool sized =
        clang_Cursor_getStorageClass(cursor) != CX_SC_Extern && type.kind != CXType_IncompleteArray;
    if (!ht_ast_is_shared(cursor))
        return;
    feature_set(model, sized ? HT_FEATURE_SHARED : HT_FEATURE_DYNAMIC_LDS, cursor);
    note_meeting(in);
    if (in->names == &model->facts->reached.names_elsewhere &&
        clang_Cursor_isNull(model->facts->reached.sharing))
        model->facts->reached.sharing = in->function;
}

/* Notes what is volatile, or points to it: an argument, a variable, the result of a cast. */
static void look_at_type(const reaching *in, CXCursor cursor) {
    if (ht_type_is_volatile(clang_getCursorType(cursor)))
        feature_set(in->model, HT_FEATURE_VOLATILE, cursor);
}

static bool on_cursor(CXCursor cursor, CXCursor parent, void *context) {
    const reaching *in = context;
    ht_model *model = in->model;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    switch (kind) {
    case CXCursor_VarDecl:
        look_at_variable(in, cursor);
        break;
    case CXCursor_AsmStmt:
    case CXCursor_MSAsmStmt:
        feature_set(model, HT_FEATURE_ASM, cursor);
        break;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CXXTryStmt:
        feature_set(model, HT_FEATURE_GOTO, cursor);
        break;
    case CXCursor_OverloadedDeclRef:
        for (unsigned i = 0; i < clang_getNumOverloadedDecls(cursor); ++i)
            reach(model, clang_getOverloadedDecl(cursor, i));
        break;
    default:
        break;
    }
    if (clang_isExpression(kind) || kind == CXCursor_ParmDecl || kind == CXCursor_VarDecl)
        look_at_type(in, cursor);
    if (clang_isReference(kind) || clang_isExpression(kind)) {
        char *name = ht_cursor_name(cursor);
        if (kind == CXCursor_DeclRefExpr)
            note_axes(in->names, name, parent);
        if (clang_isExpression(kind) && note_index(in->names, name, kind == CXCursor_CallExpr) &&
            kind == CXCursor_DeclRefExpr && clang_getCursorKind(parent) != CXCursor_MemberRefExpr)
            feature_set(model, HT_FEATURE_INDEX_ESCAPE, cursor);
        ht_feature feature = ht_feature_of_name(name);
        if (feature != HT_FEATURE_COOPERATIVE) /* what groups are asked for decides */
            feature_set(model, feature, cursor);
        if (ht_group_is_other(cursor))
            feature_set(model, HT_FEATURE_COOPERATIVE, cursor);
        if (kind == CXCursor_CallExpr)
            note_call(in, name, cursor);
        free(name);
        CXCursor referenced = clang_getCursorReferenced(cursor);
        if (!clang_Cursor_isNull(referenced))
            reach(model, referenced);
    }
    return true;
}

void ht_reach_build(ht_model *model) {
    reach(model, model->definition.function);
    ht_kernel_facts *facts = model->facts;
    facts->reached.sharing = facts->reached.meeting = clang_getNullCursor();
    for (size_t i = 0; i < facts->reached.count; ++i) {
        reaching in = {model, facts->reached.functions[i],
                       i == 0 ? &facts->reached.names : &facts->reached.names_elsewhere};
        ht_ast_walk(facts->reached.functions[i], on_cursor, &in);
    }
}

/* ---- asked later ---- */

bool ht_reach_meets(const ht_model *model, ht_position *out_at) {
    CXCursor function = model->facts->reached.meeting;
    bool meets = !clang_Cursor_isNull(function);
    if (meets)
        *out_at = ht_syntax_place(ht_syntax_of(model), function);
    return meets;
}

bool ht_reach_asks_index(const ht_model *model) {
    const ht_index_names *names = &model->facts->reached.names_elsewhere;
    bool asks = names->called > 0;
    for (size_t kind = 0; kind < HT_INDEX_GLOBAL; ++kind)
        asks = asks || names->named[kind];
    return asks;
}

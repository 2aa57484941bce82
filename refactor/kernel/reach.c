/* The functions of the user that a kernel reaches, and the features that pin its geometry. */
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/pins.h"

#include <stdlib.h>

static CXCursor definition_of(CXCursor declaration) {
    CXCursor primary = clang_getSpecializedCursorTemplate(declaration);
    CXCursor own = clang_getCursorDefinition(declaration);
    if (!clang_Cursor_isNull(primary)) {
        /* An implicit instantiation has the template's body; an explicit specialisation its own
         * place. */
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

bool ht_name_is_barrier(const char *name) {
    static const char *const barriers[] = {"__syncthreads", "__builtin_amdgcn_s_barrier",
                                           "__barrier", "__work_group_barrier", NULL};
    return ht_text_starts(name, barriers);
}

bool ht_ast_is_barrier(CXCursor cursor) {
    char *name = ht_cursor_name(cursor);
    bool found = ht_name_is_barrier(name);
    free(name);
    return found;
}

bool ht_name_is_fence(const char *name) {
    static const char *const fences[] = {"__threadfence", "__builtin_amdgcn_fence", NULL};
    return ht_text_starts(name, fences);
}

bool ht_name_is_atomic(const char *name) {
    static const char *const atomics[] = {"atomic",       "__atomic",   "__hip_atomic",
                                          "unsafeAtomic", "safeAtomic", NULL};
    return ht_text_starts(name, atomics);
}

ht_feature ht_feature_of_name(const char *name) {
    static const char *const plain[] = {"__builtin_amdgcn_rcp", "__builtin_amdgcn_rsq",
                                        "__builtin_amdgcn_sqrt", "__builtin_amdgcn_fract", NULL};
    static const char *const waves[] = {"__shfl",
                                        "__ballot",
                                        "__any",
                                        "__all",
                                        "__activemask",
                                        "__lane",
                                        "warpSize",
                                        "__syncwarp",
                                        "__match",
                                        "__reduce_",
                                        "__ockl_lane",
                                        "__builtin_amdgcn_",
                                        "__wave",
                                        "__popc_mask",
                                        "__ockl_wf",
                                        "__ockl_wg",
                                        NULL};
    static const char *const groups[] = {
        "cooperative_groups", "this_thread_block", "this_grid", "tiled_partition",
        "coalesced_threads",  "this_multi_grid",   NULL};
    if (ht_name_is_barrier(name) || ht_name_is_fence(name))
        return HT_FEATURE_BARRIER;
    if (ht_text_starts(name, plain))
        return HT_FEATURE_COUNT;
    if (ht_text_starts(name, waves))
        return HT_FEATURE_WAVEFRONT;
    if (ht_name_is_atomic(name))
        return HT_FEATURE_ATOMIC;
    if (ht_text_starts(name, groups))
        return HT_FEATURE_COOPERATIVE;
    return HT_FEATURE_COUNT;
}

static void feature_set(ht_model *model, ht_feature feature, CXCursor cursor) {
    if (feature == HT_FEATURE_COUNT || model->feature[feature])
        return;
    model->feature[feature] = true;
    model->feature_line[feature] = ht_ast_line(cursor);
}

static void reach(ht_model *model, CXCursor declaration) {
    ht_kernel_facts *facts = model->facts;
    if (!is_function(declaration))
        return;
    CXCursor definition = definition_of(declaration);
    size_t file;
    ht_range range;
    if (clang_Cursor_isNull(definition) ||
        !ht_source_range(facts->source, definition, &file, &range))
        return;
    for (size_t i = 0; i < facts->reached_count; ++i)
        if (clang_equalCursors(facts->reached[i], definition))
            return;
    HT_GROW(facts->reached, facts->reached_count);
    facts->reached[facts->reached_count++] = definition;
}

static bool is_index_builtin(CXCursor cursor) {
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    for (size_t i = 0; i < 4; ++i)
        if (ht_cursor_named(cursor, names[i]))
            return true;
    return false;
}

static void look_at_variable(ht_model *model, CXCursor cursor) {
    CXType type = clang_getCursorType(cursor);
    bool sized =
        clang_Cursor_getStorageClass(cursor) != CX_SC_Extern && type.kind != CXType_IncompleteArray;
    if (ht_ast_is_shared(cursor))
        feature_set(model, sized ? HT_FEATURE_SHARED : HT_FEATURE_DYNAMIC_LDS, cursor);
}

static bool on_cursor(CXCursor cursor, CXCursor parent, void *context) {
    ht_model *model = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    switch (kind) {
    case CXCursor_VarDecl:
        look_at_variable(model, cursor);
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
    if (clang_isReference(kind) || clang_isExpression(kind)) {
        char *name = ht_cursor_name(cursor);
        if (kind == CXCursor_DeclRefExpr && is_index_builtin(cursor) &&
            clang_getCursorKind(parent) != CXCursor_MemberRefExpr)
            feature_set(model, HT_FEATURE_INDEX_ESCAPE, cursor);
        feature_set(model, ht_feature_of_name(name), cursor);
        free(name);
        CXCursor referenced = clang_getCursorReferenced(cursor);
        if (!clang_Cursor_isNull(referenced))
            reach(model, referenced);
    }
    return true;
}

void ht_reach_build(ht_model *model) {
    reach(model, model->kernel);
    for (size_t i = 0; i < model->facts->reached_count; ++i)
        ht_ast_walk(model->facts->reached[i], on_cursor, model);
}

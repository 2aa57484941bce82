/* Statements, in order, with what holds where they stand. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool ht_scan_tick(ht_scan *scan) {
    return --scan->budget > 0;
}

ht_km_place ht_scan_where(const ht_scan *scan, CXCursor cursor) {
    CXFile file;
    unsigned line = 0, column = 0;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line, &column, NULL);
    return (ht_km_place){ht_source_file(scan->facts->facts->source, file), (int)line, (int)column};
}

void ht_scan_incomplete(ht_scan *scan, CXCursor at, const char *reason) {
    ht_kernel_model *km = scan->km;
    if (scan->dry || !km->complete)
        return;
    km->complete = false;
    km->incomplete = reason;
    km->incomplete_place = ht_scan_where(scan, at);
}

ht_km_control ht_scan_control(ht_scan *scan) {
    ht_km_control control = {.loop_count = scan->loop_count, .guard_count = scan->guard_count};
    control.loops = ht_poly_pool_alloc(&scan->km->pool, scan->loop_count, sizeof *control.loops);
    control.guards = ht_poly_pool_alloc(&scan->km->pool, scan->guard_count, sizeof *control.guards);
    memcpy(control.loops, scan->loops, scan->loop_count * sizeof *control.loops);
    memcpy(control.guards, scan->guards, scan->guard_count * sizeof *control.guards);
    return control;
}

void ht_scan_effect(ht_scan *scan, const char *kind, CXCursor at, const char *name) {
    ht_kernel_model *km = scan->km;
    if (scan->dry)
        return;
    HT_GROW(km->effects, km->effect_count);
    km->effects[km->effect_count++] =
        (ht_km_effect){kind, ht_strdup(name), ht_scan_control(scan), ht_scan_where(scan, at)};
}

void ht_scan_barrier(ht_scan *scan, CXCursor at) {
    ht_kernel_model *km = scan->km;
    if (scan->dry)
        return;
    HT_GROW(km->barriers, km->barrier_count);
    km->barriers[km->barrier_count++] = (ht_km_barrier){
        .control = ht_scan_control(scan), .order = scan->order++, .place = ht_scan_where(scan, at)};
}

/* ---- declarations
 * ------------------------------------------------------------------------------------- */

static void declare(ht_scan *scan, CXCursor variable) {
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
    bool array = type.kind >= CXType_ConstantArray && type.kind <= CXType_DependentSizedArray;
    bool number = (type.kind >= CXType_Bool && type.kind <= CXType_Int128) ||
                  type.kind == CXType_Enum || type.kind == CXType_Dependent ||
                  type.kind == CXType_Unexposed || type.kind == CXType_Auto;
    bool kept = ht_ast_has(variable, CXCursor_CUDASharedAttr) ||
                clang_Cursor_getStorageClass(variable) == CX_SC_Static;
    if (array || kept) {
        ht_scan_array(scan, variable);
        if (!clang_Cursor_isNull(initializer) && !kept)
            ht_scan_value(scan, initializer);
        return;
    }
    ht_km_value value = {0};
    if (!clang_Cursor_isNull(initializer))
        value = ht_scan_value(scan, initializer);
    else
        ht_scan_children(scan, variable);
    if (type.kind == CXType_Pointer) {
        if (!value.is_pointer)
            value = (ht_km_value){true, SIZE_MAX, NULL};
    } else if (!number || value.is_pointer)
        return; /* floats and objects are not followed */
    else if (!value.value) {
        if (type.kind == CXType_Dependent || type.kind == CXType_Unexposed)
            return;
        value = ht_scan_opaque(scan, variable, HT_SCOPE_THREAD, "not set");
    }
    ht_environment_set(scan, variable, value);
}

/* ---- control
 * ------------------------------------------------------------------------------------------ */

static const ht_km_test *either(ht_scan *scan, const ht_km_test *a, const ht_km_test *b) {
    return !a ? b : !b ? a : ht_test_both(scan, HT_TEST_OR, a, b);
}

static const ht_km_test *within(ht_scan *scan, const ht_km_test *test, const ht_km_test *inner) {
    return inner ? ht_test_both(scan, HT_TEST_AND, test, inner) : NULL;
}

static ht_leaves merge(ht_scan *scan, ht_leaves a, ht_leaves b) {
    return (ht_leaves){either(scan, a.returns, b.returns), either(scan, a.breaks, b.breaks),
                       either(scan, a.continues, b.continues)};
}

static ht_leaves restrict_to(ht_scan *scan, const ht_km_test *test, ht_leaves leaves) {
    return (ht_leaves){within(scan, test, leaves.returns), within(scan, test, leaves.breaks),
                       within(scan, test, leaves.continues)};
}

static bool always(const ht_leaves *leaves) {
    return (leaves->returns && leaves->returns->kind == HT_TEST_TRUE) ||
           (leaves->breaks && leaves->breaks->kind == HT_TEST_TRUE) ||
           (leaves->continues && leaves->continues->kind == HT_TEST_TRUE);
}

static ht_leaves scan_if(ht_scan *scan, CXCursor statement) {
    ht_leaves none = {0};
    ht_cursors list = ht_ast_children(statement);
    if (list.count != 2 && list.count != 3) {
        ht_scan_incomplete(scan, statement, "an 'if' with a declaration is not followed");
        ht_scan_children(scan, statement);
        free(list.items);
        return none;
    }
    const ht_km_test *test = ht_scan_test(scan, list.items[0]);
    const ht_km_test *not = ht_test_not(scan, test);
    size_t guards = scan->guard_count;
    ht_environment before = ht_environment_copy(scan);
    ht_leaves first = {0}, second = {0};
    if (test->kind != HT_TEST_FALSE) {
        ht_scan_guard_push(scan, test, list.items[0]);
        first = ht_scan_statement(scan, list.items[1]);
    }
    scan->guard_count = guards;
    ht_environment then = scan->environment;
    scan->environment = before;
    if (list.count == 3 && test->kind != HT_TEST_TRUE) {
        ht_scan_guard_push(scan, not, list.items[0]);
        second = ht_scan_statement(scan, list.items[2]);
        scan->guard_count = guards;
    }
    if (always(&second)) { /* who goes on came through the first branch */
        ht_environment_free(&scan->environment);
        scan->environment = then;
    } else {
        if (!always(&first))
            ht_environment_join(scan, test, &then, statement);
        ht_environment_free(&then);
    }
    free(list.items);
    return merge(scan, restrict_to(scan, test, first), restrict_to(scan, not, second));
}

static ht_leaves scan_compound(ht_scan *scan, CXCursor statement) {
    ht_cursors list = ht_ast_children(statement);
    size_t guards = scan->guard_count;
    ht_leaves all = {0};
    for (size_t i = 0; i < list.count; ++i) {
        ht_leaves one = ht_scan_statement(scan, list.items[i]);
        all = merge(scan, all, one);
        if (always(&one))
            break;
        const ht_km_test *gone = either(scan, either(scan, one.returns, one.breaks), one.continues);
        if (gone)
            ht_scan_guard_push(scan, ht_test_not(scan, gone), list.items[i]);
    }
    scan->guard_count = guards;
    free(list.items);
    return all;
}

static ht_leaves scan_return(ht_scan *scan, CXCursor statement) {
    ht_leaves leaves = {.returns = ht_test_plain(scan, HT_TEST_TRUE)};
    CXCursor value = ht_ast_child(statement, 0);
    ht_km_value result = {0};
    if (!clang_Cursor_isNull(value))
        result = ht_scan_value(scan, value);
    ht_frame *frame = scan->frame;
    if (!frame)
        return leaves;
    if (frame->return_count == 16) {
        frame->lost = true;
        return leaves;
    }
    const ht_km_test *test = ht_test_plain(scan, HT_TEST_TRUE);
    for (size_t i = frame->guard_base; i < scan->guard_count; ++i)
        test = ht_test_both(scan, HT_TEST_AND, test, scan->guards[i].test);
    frame->returns[frame->return_count].test = test;
    frame->returns[frame->return_count++].value = result;
    return leaves;
}

/* Which case runs is not followed: everything inside may happen. */
static ht_leaves scan_switch(ht_scan *scan, CXCursor statement) {
    size_t guards = scan->guard_count, count;
    CXCursor *assigned = ht_scan_assigned(scan, statement, &count);
    ht_cursors list = ht_ast_children(statement);
    ht_leaves inner = {0};
    ht_km_scope scope = HT_SCOPE_THREAD;
    if (list.count) {
        ht_km_value value = ht_scan_value(scan, list.items[0]);
        scope = value.value && !value.is_pointer ? ht_poly_scope(&scan->km->pool, value.value)
                                                 : HT_SCOPE_THREAD;
    }
    const ht_km_test *unknown =
        ht_test_unknown(scan, scope, "a 'switch' is not followed", statement);
    ht_scan_guard_push(scan, unknown, statement);
    ht_scan_forget(scan, assigned, count, statement);
    for (size_t i = 1; i < list.count; ++i)
        inner = merge(scan, inner, ht_scan_statement(scan, list.items[i]));
    scan->guard_count = guards;
    ht_scan_forget(scan, assigned, count, statement);
    free(assigned);
    free(list.items);
    return (ht_leaves){.returns = inner.returns ? unknown : NULL,
                       .continues = inner.continues ? unknown : NULL};
}

/* A switch's cases in a row: none ends the others. */
static ht_leaves scan_case(ht_scan *scan, CXCursor statement) {
    ht_cursors list = ht_ast_children(statement);
    ht_leaves all = {0};
    for (size_t i = 0; i < list.count; ++i)
        if (clang_isStatement(clang_getCursorKind(list.items[i])))
            all = merge(scan, all, ht_scan_statement(scan, list.items[i]));
        else
            ht_scan_value(scan, list.items[i]);
    free(list.items);
    const ht_km_test *unknown =
        ht_test_unknown(scan, HT_SCOPE_THREAD, "a 'switch' is not followed", statement);
    return (ht_leaves){all.returns ? unknown : NULL, all.breaks ? unknown : NULL,
                       all.continues ? unknown : NULL};
}

static void scan_declarations(ht_scan *scan, CXCursor statement) {
    ht_cursors list = ht_ast_children(statement);
    for (size_t i = 0; i < list.count; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_VarDecl)
            declare(scan, list.items[i]);
    free(list.items);
}

static ht_leaves look(ht_scan *scan, CXCursor statement) {
    ht_leaves leaves = {0};
    enum CXCursorKind kind = clang_getCursorKind(statement);
    switch (kind) {
    case CXCursor_CompoundStmt:
        return scan_compound(scan, statement);
    case CXCursor_DeclStmt:
        scan_declarations(scan, statement);
        return leaves;
    case CXCursor_IfStmt:
        return scan_if(scan, statement);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
        return ht_scan_loop(scan, statement);
    case CXCursor_SwitchStmt:
        return scan_switch(scan, statement);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        return scan_case(scan, statement);
    case CXCursor_ReturnStmt:
        return scan_return(scan, statement);
    case CXCursor_BreakStmt:
        leaves.breaks = ht_test_plain(scan, HT_TEST_TRUE);
        return leaves;
    case CXCursor_ContinueStmt:
        leaves.continues = ht_test_plain(scan, HT_TEST_TRUE);
        return leaves;
    case CXCursor_AsmStmt:
    case CXCursor_MSAsmStmt:
        ht_scan_effect(scan, "assembly", statement, "asm");
        ht_scan_incomplete(scan, statement, "assembly is not followed");
        return leaves;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CXXTryStmt:
        ht_scan_incomplete(scan, statement, "a jump is not followed");
        ht_scan_children(scan, statement);
        return leaves;
    default:
        break;
    }
    if (clang_isExpression(kind))
        ht_scan_value(scan, statement);
    else
        ht_scan_children(scan, statement);
    return leaves;
}

ht_leaves ht_scan_statement(ht_scan *scan, CXCursor statement) {
    if (!ht_scan_tick(scan) || scan->depth > 150) {
        ht_scan_incomplete(scan, statement, "the kernel is too long");
        return (ht_leaves){0};
    }
    ++scan->depth;
    ht_leaves leaves = look(scan, statement);
    --scan->depth;
    return leaves;
}

void ht_scan_kernel(ht_scan *scan) {
    const ht_model *facts = scan->facts;
    ht_scan_find_escaped(scan, facts->body);
    for (size_t i = 0; i < facts->parameter_count; ++i) {
        const ht_parameter *parameter = &facts->parameters[i];
        ht_km_value value = {0};
        if (parameter->is_pointer) {
            size_t array = ht_scan_array(scan, parameter->cursor);
            scan->km->arrays[array].is_parameter = true;
            value = (ht_km_value){true, array, ht_poly_constant(&scan->km->pool, 0)};
        } else if (parameter->is_integer ||
                   clang_getCanonicalType(clang_getCursorType(parameter->cursor)).kind ==
                       CXType_Unexposed)
            value.value = ht_scan_named(scan, parameter->name, parameter->cursor);
        else
            continue;
        for (size_t f = 0; f < scan->fixed_count && !value.is_pointer; ++f)
            if (strcmp(scan->fixed[f].argument, parameter->name) == 0)
                value.value = ht_poly_constant(&scan->km->pool, scan->fixed[f].value);
        ht_environment_set(scan, parameter->cursor, value);
    }
    ht_scan_statement(scan, facts->body);
}

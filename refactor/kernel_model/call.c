/* Calls: barriers, wavefront operations, atomics, functions of the user that are walked in place,
 * and those that nothing is known of. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *const waves[] = {"__shfl",  "__ballot",   "__any",        "__all",
                                    "__lane",  "__syncwarp", "__match",      "__reduce_",
                                    "__ockl_", "__wave",     "__activemask", NULL};
static const char *const loads[] = {
    "__ldg", "__builtin_nontemporal_load", "__ldcg", "__ldcs", "__ldca", NULL};
static const char *const stores[] = {"__builtin_nontemporal_store", "__stcg", "__stcs", NULL};

typedef struct arguments {
    ht_km_value values[64];
    CXCursor cursors[64];
    size_t count;
} arguments;

static void arguments_read(ht_scan *scan, CXCursor call, arguments *out) {
    int count = clang_Cursor_getNumArguments(call);
    out->count = 0;
    for (int i = 0; i < count && i < 64; ++i) {
        out->cursors[out->count] = clang_Cursor_getArgument(call, (unsigned)i);
        out->values[out->count] = ht_scan_value(scan, out->cursors[out->count]);
        ++out->count;
    }
}

static ht_km_value unknown_result(ht_scan *scan, CXCursor call, const char *name) {
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(call)).kind;
    if (kind == CXType_Pointer)
        return (ht_km_value){true, SIZE_MAX, NULL};
    if ((kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum)
        return ht_scan_opaque(scan, call, HT_SCOPE_THREAD, "%s(...)", name);
    return (ht_km_value){0};
}

/* ---- known by name
 * ------------------------------------------------------------------------------------ */

static void touch(ht_scan *scan, const ht_km_value *pointer, bool read, bool write, bool atomic,
                  CXCursor at) {
    ht_km_target target = {.array = pointer->is_pointer ? pointer->array : SIZE_MAX, .count = 1};
    target.subscripts[0] =
        pointer->is_pointer && pointer->value
            ? pointer->value
            : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "pointer not followed").value;
    ht_scan_record(scan, &target, read, write, atomic, at);
}

static bool are_two_numbers(const arguments *given, const ht_poly **a, const ht_poly **b) {
    if (given->count != 2 || given->values[0].is_pointer || given->values[1].is_pointer)
        return false;
    *a = given->values[0].value;
    *b = given->values[1].value;
    return *a && *b;
}

static ht_km_value least_or_most(ht_scan *scan, CXCursor call, bool least, const arguments *given) {
    const ht_poly *a, *b;
    if (!are_two_numbers(given, &a, &b))
        return (ht_km_value){0};
    return ht_scan_derived(scan, call, least ? HT_KM_MIN : HT_KM_MAX, a, b, NULL);
}

/* Products of numbers that have 24 bits: no overflow is taken for granted of them as well. */
static bool is_product(const char *name) {
    return strcmp(name, "__mul24") == 0 || strcmp(name, "__umul24") == 0 ||
           strcmp(name, "mul24") == 0 || strcmp(name, "umul24") == 0;
}

static ht_km_value product(ht_scan *scan, CXCursor call, const arguments *given) {
    const ht_poly *a, *b;
    if (!are_two_numbers(given, &a, &b))
        return (ht_km_value){0};
    return (ht_km_value){false, 0, ht_scan_times(scan, call, a, b)};
}

static bool known_call(ht_scan *scan, CXCursor call, const char *name, ht_km_value *out) {
    arguments given;
    *out = (ht_km_value){0};
    if (ht_name_is_barrier(name)) {
        arguments_read(scan, call, &given);
        ht_scan_barrier(scan, call);
    } else if (ht_name_is_fence(name)) {
        ht_scan_effect(scan, "fence", call, name);
    } else if (ht_name_is_atomic(name)) {
        arguments_read(scan, call, &given);
        ht_scan_effect(scan, "atomic", call, name);
        if (given.count)
            touch(scan, &given.values[0], true, true, true, call);
        for (size_t i = 1; i < given.count; ++i)
            ht_scan_escape(scan, &given.values[i], call);
    } else if (ht_text_starts(name, waves)) {
        arguments_read(scan, call, &given);
        ht_scan_effect(scan, "wavefront", call, name);
    } else if (ht_text_starts(name, loads)) {
        arguments_read(scan, call, &given);
        if (given.count)
            touch(scan, &given.values[0], true, false, false, given.cursors[0]);
    } else if (ht_text_starts(name, stores)) {
        arguments_read(scan, call, &given);
        bool nontemporal = strcmp(name, stores[0]) == 0;
        if (given.count > 1)
            touch(scan, &given.values[nontemporal ? 1 : 0], false, true, false, call);
    } else if ((strcmp(name, "min") == 0 || strcmp(name, "max") == 0) &&
               clang_Cursor_getNumArguments(call) == 2) {
        arguments_read(scan, call, &given);
        *out = least_or_most(scan, call, name[1] == 'i', &given);
        return true;
    } else if (is_product(name) && clang_Cursor_getNumArguments(call) == 2) {
        arguments_read(scan, call, &given);
        *out = product(scan, call, &given);
        return true;
    } else
        return false;
    *out = unknown_result(scan, call, name);
    return true;
}

/* ---- functions of the user
 * ---------------------------------------------------------------------------- */

typedef struct overloads {
    CXCursor only;
    size_t count;
} overloads;

static bool on_overload(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    overloads *in = context;
    if (clang_getCursorKind(cursor) == CXCursor_OverloadedDeclRef) {
        in->count += clang_getNumOverloadedDecls(cursor);
        if (clang_getNumOverloadedDecls(cursor) == 1)
            in->only = clang_getOverloadedDecl(cursor, 0);
    }
    return true;
}

static CXCursor callee_of(CXCursor call) {
    CXCursor referenced = clang_getCursorReferenced(call);
    if (!clang_Cursor_isNull(referenced) && !clang_isInvalid(clang_getCursorKind(referenced)))
        return referenced;
    overloads in = {clang_getNullCursor(), 0};
    ht_cursors list = ht_ast_children(call);
    if (list.count) {
        on_overload(list.items[0], call, &in);
        ht_ast_walk(list.items[0], on_overload, &in);
    }
    free(list.items);
    return in.count == 1 ? in.only : clang_getNullCursor();
}

/* The definition that a call runs: of a template, unless it is specialised. */
static CXCursor definition_of(CXCursor declaration) {
    CXCursor primary = clang_getSpecializedCursorTemplate(declaration);
    CXCursor own = clang_getCursorDefinition(declaration);
    if (!clang_Cursor_isNull(primary) &&
        (clang_Cursor_isNull(own) || clang_equalLocations(clang_getCursorLocation(declaration),
                                                          clang_getCursorLocation(primary))))
        return clang_getCursorDefinition(primary);
    return own;
}

static CXCursor body_of(const ht_scan *scan, CXCursor definition) {
    CXCursor body = clang_getNullCursor();
    size_t file;
    ht_range range;
    enum CXCursorKind kind = clang_getCursorKind(definition);
    if ((kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate &&
         kind != CXCursor_CXXMethod) ||
        !ht_source_range(scan->facts->facts->source, definition, &file, &range))
        return body;
    ht_cursors list = ht_ast_children(definition);
    for (size_t i = 0; i < list.count; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_CompoundStmt)
            body = list.items[i];
    free(list.items);
    return body;
}

static bool by_value(CXCursor parameter) {
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(parameter)).kind;
    return kind != CXType_LValueReference && kind != CXType_RValueReference;
}

static bool is_const_reference(CXCursor parameter) {
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
    return type.kind == CXType_LValueReference &&
           clang_isConstQualifiedType(clang_getPointeeType(type));
}

/* False: an argument is a reference that the function may write through. */
static bool bind(ht_scan *scan, CXCursor definition, const arguments *given) {
    ht_cursors list = ht_ast_children(definition);
    size_t next = 0;
    bool fits = true;
    for (size_t i = 0; i < list.count; ++i) {
        if (clang_getCursorKind(list.items[i]) != CXCursor_ParmDecl)
            continue;
        if (next >= given->count) {
            fits = false;
            break;
        }
        ht_km_value value = given->values[next++];
        if (!by_value(list.items[i]) && !is_const_reference(list.items[i]))
            fits = false;
        else if (value.value || value.is_pointer)
            ht_environment_set(scan, list.items[i], value);
    }
    free(list.items);
    return fits && next == given->count;
}

static ht_km_value returned(ht_scan *scan, const ht_frame *frame, CXCursor call) {
    if (frame->lost || frame->return_count == 0)
        return unknown_result(scan, call, "call");
    size_t last = frame->return_count - 1;
    ht_km_value value = frame->returns[last].value;
    for (size_t i = last; i-- > 0;) {
        const ht_km_value *one = &frame->returns[i].value;
        if (one->is_pointer || value.is_pointer) {
            if (one->is_pointer != value.is_pointer || one->array != value.array ||
                one->value != value.value)
                return (ht_km_value){true, SIZE_MAX, NULL};
        } else if (one->value && value.value)
            value = ht_scan_derived(scan, call, HT_KM_CHOICE, one->value, value.value,
                                    frame->returns[i].test);
        else
            return unknown_result(scan, call, "call");
    }
    return value;
}

static bool walk_in_place(ht_scan *scan, CXCursor call, CXCursor definition, const arguments *given,
                          ht_km_value *out) {
    CXCursor body = body_of(scan, definition);
    size_t escaped = scan->escaped_count, bound = scan->environment.count;
    if (clang_Cursor_isNull(body) || scan->inlined >= HT_SCAN_INLINE_MAX)
        return false;
    ht_environment kept = ht_environment_copy(scan);
    if (!bind(scan, definition, given)) {
        ht_environment_free(&scan->environment);
        scan->environment = kept;
        return false;
    }
    ht_scan_find_escaped(scan, body);
    ht_frame frame = {.guard_base = scan->guard_count}, *outer = scan->frame;
    scan->frame = &frame;
    ++scan->inlined;
    ht_scan_statement(scan, body);
    --scan->inlined;
    scan->frame = outer;
    scan->guard_count = frame.guard_base;
    scan->escaped_count = escaped;
    *out = returned(scan, &frame, call);
    ht_environment_free(&scan->environment); /* nothing of the caller's is written */
    scan->environment = kept;
    (void)bound;
    return true;
}

/* An object's data: input.data(). */
static bool field_call(ht_scan *scan, CXCursor call, ht_km_value *out) {
    CXCursor member = ht_ast_strip(ht_ast_child(call, 0), false);
    if (clang_getCursorKind(member) != CXCursor_MemberRefExpr ||
        clang_Cursor_getNumArguments(call) != 0)
        return false;
    CXCursor object = ht_ast_variable(ht_ast_child(member, 0));
    const ht_parameter *parameter = ht_model_parameter(scan->facts, object);
    if (!parameter || parameter->is_assigned || parameter->is_pointer)
        return false;
    char *method = ht_cursor_name(member), *name = ht_format("%s.%s()", parameter->name, method);
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(call)).kind;
    bool known = true;
    if (kind == CXType_Pointer || kind == CXType_Dependent || kind == CXType_Unexposed)
        *out = (ht_km_value){true, ht_scan_array_named(scan, name, call),
                             ht_poly_constant(&scan->km->pool, 0)};
    else if (kind >= CXType_Bool && kind <= CXType_Int128)
        *out = (ht_km_value){false, 0, ht_scan_named(scan, name, call)};
    else
        known = false;
    free(method);
    free(name);
    return known;
}

/* An element that may be written through a reference to it: out[i] = v of a vector, add(out[i]). */
static bool is_place(CXCursor argument) {
    enum CXUnaryOperatorKind unary;
    CXCursor cursor = ht_ast_strip(argument, false), operand;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_MemberRefExpr) {
        CXCursor base = ht_ast_child(cursor, 0);
        return !clang_Cursor_isNull(base) && is_place(base);
    }
    return kind == CXCursor_ArraySubscriptExpr ||
           (ht_ast_unary(cursor, &unary, &operand) && unary == CXUnaryOperator_Deref);
}

static bool takes_reference(CXCursor callee, unsigned index) {
    CXType type = clang_getCursorType(callee);
    int count = clang_Cursor_isNull(callee) ? -1 : clang_getNumArgTypes(type);
    if (count < 0 || (int)index >= count)
        return true;
    CXType taken = clang_getCanonicalType(clang_getArgType(type, index));
    return taken.kind == CXType_LValueReference &&
           !clang_isConstQualifiedType(clang_getPointeeType(taken));
}

/* Operators that are called as members have their object as the first argument. */
static void places_written(ht_scan *scan, CXCursor call, const char *name) {
    CXCursor callee = callee_of(call);
    bool member = clang_getCursorKind(callee) == CXCursor_CXXMethod;
    bool is_operator = strncmp(name, "operator", 8) == 0;
    int count = clang_Cursor_getNumArguments(call);
    CXCursor object = member && !is_operator ? ht_ast_child(call, 0) : clang_getNullCursor();
    ht_km_target target;
    if (clang_getCursorKind(object) == CXCursor_MemberRefExpr)
        object = ht_ast_child(object, 0);
    if (member && !is_operator && !clang_Cursor_isNull(object) && is_place(object) &&
        !clang_CXXMethod_isConst(callee) && ht_scan_target(scan, object, &target))
        ht_scan_record(scan, &target, true, true, false, object);
    for (int i = 0; i < count; ++i) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        bool of_object = member && is_operator && i == 0;
        unsigned index = (unsigned)(member && is_operator ? i - 1 : i);
        bool written =
            of_object ? !clang_CXXMethod_isConst(callee) : takes_reference(callee, index);
        if (written && is_place(argument) && ht_scan_target(scan, argument, &target))
            ht_scan_record(scan, &target, strcmp(name, "operator=") != 0, true, false, argument);
    }
}

static void unknown_call(ht_scan *scan, CXCursor call, const char *name, const arguments *given) {
    bool pointers = false;
    places_written(scan, call, name);
    for (size_t i = 0; i < given->count; ++i) {
        pointers = pointers || given->values[i].is_pointer;
        ht_scan_escape(scan, &given->values[i], call);
    }
    CXCursor callee = callee_of(call);
    size_t file;
    ht_range range;
    CXCursor definition = clang_Cursor_isNull(callee) ? callee : definition_of(callee);
    bool of_user = !clang_Cursor_isNull(definition) &&
                   ht_source_range(scan->facts->facts->source, definition, &file, &range);
    if (of_user || pointers || strcmp(name, "printf") == 0 || strncmp(name, "__assert", 8) == 0)
        ht_scan_effect(scan, "call", call, name);
    if (of_user || !name[0])
        ht_scan_incomplete(scan, call, "a function's body is not followed");
    else
        ht_scan_bound_arguments(scan, call, callee);
}

typedef struct naming {
    char *name;
    const ht_source *source;
    bool of_user; /* an overload that the user wrote */
} naming;

static bool on_named(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    naming *in = context;
    if (clang_getCursorKind(cursor) != CXCursor_OverloadedDeclRef)
        return true;
    if (!in->name)
        in->name = ht_cursor_name(cursor);
    for (unsigned i = 0; i < clang_getNumOverloadedDecls(cursor); ++i) {
        CXCursor one = clang_getOverloadedDecl(cursor, i);
        size_t file;
        ht_range range;
        in->of_user = in->of_user || ht_source_range(in->source, one, &file, &range);
    }
    return true;
}

/* The name of what is called; in a template it may be that of several functions, of which the types
 * choose. Empty: not known. free(). `out_constructs`: it makes a value of a type. */
static char *called_name(ht_scan *scan, CXCursor call, bool *out_constructs) {
    char *name = ht_cursor_name(call);
    *out_constructs = clang_getCursorKind(clang_getCursorReferenced(call)) == CXCursor_Constructor;
    if (name[0])
        return name;
    free(name);
    naming in = {NULL, scan->facts->facts->source, false};
    ht_cursors list = ht_ast_children(call);
    int arguments = clang_Cursor_getNumArguments(call);
    for (size_t i = 0; i < list.count && i < 2 && !in.name; ++i) {
        CXCursor callee = list.items[i];
        bool argument = false; /* of an operator, the operands stand around it */
        for (int j = 0; j < arguments; ++j)
            argument =
                argument || clang_equalCursors(callee, clang_Cursor_getArgument(call, (unsigned)j));
        if (argument)
            continue;
        on_named(callee, call, &in);
        ht_ast_walk(callee, on_named, &in);
    }
    *out_constructs = list.count && clang_isReference(clang_getCursorKind(list.items[0])) &&
                      clang_getCursorKind(list.items[0]) != CXCursor_OverloadedDeclRef;
    free(list.items);
    if (in.of_user && clang_Cursor_isNull(callee_of(call))) { /* which one is not known */
        free(in.name);
        in.name = NULL;
    }
    return in.name ? in.name : ht_strdup("");
}

ht_km_value ht_scan_call(ht_scan *scan, CXCursor call) {
    ht_km_value value = {0};
    bool constructs;
    char *name = called_name(scan, call, &constructs);
    if (constructs) {
        arguments given;
        arguments_read(scan, call, &given);
        if (given.count == 0)
            ht_scan_children(scan, call);
    } else if (strcmp(name, "operator&") == 0 && clang_Cursor_getNumArguments(call) == 1) {
        value = ht_scan_address(scan, call, clang_Cursor_getArgument(call, 0));
    } else if (ht_scan_assigns_object(scan, call, name)) {
    } else if (!known_call(scan, call, name, &value) && !field_call(scan, call, &value)) {
        arguments given;
        if (ht_scan_calls_method(scan, call)) {
            value = unknown_result(scan, call, name);
            free(name);
            return value;
        }
        arguments_read(scan, call, &given);
        CXCursor callee = callee_of(call);
        CXCursor definition = clang_Cursor_isNull(callee) ? callee : definition_of(callee);
        if (clang_Cursor_isNull(definition) ||
            !walk_in_place(scan, call, definition, &given, &value)) {
            unknown_call(scan, call, name, &given);
            value = unknown_result(scan, call, name);
        }
        if (given.count == 0)
            ht_scan_children(scan, call);
    }
    free(name);
    return value;
}

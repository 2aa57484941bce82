/* libclang's AST, asked what it says of a cursor alone: no kernel and no source is needed. Private
 * to refactor/. */
#ifndef HT_REFACTOR_SOURCE_AST_H
#define HT_REFACTOR_SOURCE_AST_H

#include "refactor/source/libclang.h"
#include "refactor/source/operators.h"
#include "refactor/source/range.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ht_cursors {
    CXCursor *items; /* owned; free() */
    size_t count;
} ht_cursors;

/* Direct children, without those that stand for defaulted arguments. free(items). */
ht_cursors ht_ast_children(CXCursor cursor);

/* The only or i-th child; null cursor when there is none. */
CXCursor ht_ast_child(CXCursor cursor, size_t index);
/* Calls `visit` for each cursor around `target`, from it outwards to `root`, with its children, the
 * `at`-th of which has `target` in it. Returns false, and calls it for none, where `target` is not
 * in `root`. */
bool ht_ast_outwards(CXCursor root, CXCursor target,
                     void (*visit)(CXCursor around, const ht_cursors *parts, size_t at,
                                   void *context),
                     void *context);
/* Returns a function's body; null cursor: it has none. */
CXCursor ht_ast_body(CXCursor function);
/* Returns what a variable is declared with; null cursor: it is no variable, or has no initializer.
 */
CXCursor ht_ast_initializer(CXCursor declaration);
/* Reads the whole number that a const variable is declared with. Returns false for another one. */
bool ht_ast_declared_constant(CXCursor variable, int64_t *out_value);

/* Calls `visit` on every descendant in source order; returning false skips that one's children. */
void ht_ast_walk(CXCursor root, bool (*visit)(CXCursor cursor, CXCursor parent, void *context),
                 void *context);

/* Returns true if this declaration is named anywhere in the expression, or is the expression's own.
 */
bool ht_ast_mentions(CXCursor expression, CXCursor declaration);

/* Returns the template that a function or class is a specialisation of, and any other declaration
 * as it is. */
CXCursor ht_ast_primary(CXCursor declaration);
/* Returns the one cursor for all declarations of it and all its specialisations. */
CXCursor ht_ast_canonical(CXCursor declaration);

/* Returns true if this child of the translation unit is an instantiation that nobody wrote. The
 * walk leaves those out. */
bool ht_ast_is_instantiation(CXCursor cursor, CXCursor parent);

/* The cursor without parentheses, implicit conversions and (when `casts`) explicit conversions to
 * integer types. */
CXCursor ht_ast_strip(CXCursor cursor, bool casts);

/* Binary operators (plain and assignments); false when it is not one. Operands are not stripped. */
bool ht_ast_binary(CXCursor cursor, enum CXBinaryOperatorKind *out_kind, CXCursor *out_left,
                   CXCursor *out_right);

/* The variable, parameter or constant a (stripped) expression names; null cursor when it is no
 * plain name. */
CXCursor ht_ast_variable(CXCursor expression);

/* Value of an integer constant expression (literals, macros, constexpr, const with initialiser). */
bool ht_ast_constant(CXCursor expression, int64_t *out_value);

/* Parts of a `for` statement; each may be a null cursor. False when they cannot be distinguished.
 */
bool ht_ast_for(CXCursor statement, CXCursor *out_init, CXCursor *out_condition,
                CXCursor *out_increment, CXCursor *out_body);

/* Returns true for what a function or a class declares. */
bool ht_ast_is_local(CXCursor declaration);
/* Returns true if an attribute is among its direct children. */
bool ht_ast_has(CXCursor cursor, enum CXCursorKind attribute);
/* Returns true if it declares a variable in shared memory. */
bool ht_ast_is_shared(CXCursor cursor);

/* A whole number, bool too. */
bool ht_type_is_integer(CXType type);
/* As libclang has them, which crashes where there is no type (the element of what is no array). */
CXType ht_type_unqualified(CXType type);
CXType ht_type_referred(CXType type);
/* Returns true if the type is volatile, or what it refers or points to. */
bool ht_type_is_volatile(CXType type);
/* The type as it is spelled; free(). */
char *ht_type_text(CXType type);
/* The canonical type as text, without qualifiers; vectors have HIP's names ("uint2"). free(). */
char *ht_type_plain(CXType type);
/* Returns true if a value of this type may hold pointers. */
bool ht_type_holds_pointers(CXType type);

/* Operand of a unary operator. */
bool ht_ast_unary(CXCursor cursor, enum CXUnaryOperatorKind *out_kind, CXCursor *out_operand);

char *ht_cursor_name(CXCursor cursor); /* spelling; free() */
/* With the namespaces that it is named by elsewhere; free(). */
char *ht_cursor_qualified_name(CXCursor cursor);
bool ht_cursor_named(CXCursor cursor, const char *name);
/* Returns the axis that a member named x, y or z stands for; -1: another name. */
int ht_cursor_axis(CXCursor member);
/* Returns true for what a namespace of this name, or a class in it, declares. */
bool ht_cursor_in_namespace(CXCursor declaration, const char *name);

/* 1-based line of a cursor, of the expansion where a macro wrote it. */
int ht_ast_line(CXCursor cursor);
/* Where its name is in its file, and where it begins there, found in the same way. */
size_t ht_ast_offset(CXCursor cursor);
size_t ht_ast_begin(CXCursor cursor);
/* Its file and its text there; false: it begins and ends in different files. */
bool ht_ast_extent(CXCursor cursor, CXFile *out_file, ht_range *out_range);

#endif

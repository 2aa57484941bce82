/* Values of a syntax tree's expressions and their types as text, as the compiler has them, and what
 * the kernel's model knows of nodes. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_VALUE_H
#define HT_REFACTOR_KERNEL_SYNTAX_VALUE_H

#include "refactor/kernel/syntax.h"

struct ht_macro;
struct ht_symbol;

/* The value of an integer constant expression; in _constant, with template parameters as launched
 * and constants of the kernel's. */
bool ht_syntax_evaluate(const ht_syntax *node, int64_t *out_value);
bool ht_syntax_constant(const ht_syntax *node, int64_t *out_value);
/* The value of a literal of whole numbers, or of a sizeof. */
bool ht_syntax_number(const ht_syntax *node, int64_t *out_value);
/* Returns true if it is a whole global index: blockIdx.a * PITCH + threadIdx.a. */
bool ht_syntax_is_global(const ht_syntax *node, int axis);
/* The variable that holds the global index along an axis and is never written again; SIZE_MAX:
 * there is none. */
size_t ht_syntax_index_variable(const ht_syntax_tree *tree, int axis);
/* Where a line of the body begins to say something; `file` NULL: it does not. */
ht_position ht_syntax_line(const ht_syntax_tree *tree, int line);
/* The same of {} and { 0 }. */
bool ht_syntax_is_zero_list(const ht_syntax *node);
/* An integer or a floating literal. */
bool ht_syntax_is_literal(const ht_syntax *node);
/* Its value, as a real number. */
double ht_syntax_literal(const ht_syntax *node);
/* The macro whose body holds a literal's text; NULL: none does. */
const struct ht_macro *ht_syntax_macro(const ht_syntax *literal);
/* Returns true if the kernel reaches the definition of what is called. */
bool ht_syntax_calls_reached(const ht_syntax *call);
/* Real numbers of any width. */
bool ht_syntax_is_real(const ht_syntax *node);
/* The type of an expression's value, as text; NULL: it cannot be written. free(). */
char *ht_syntax_type(const ht_syntax *node);
/* The type of a variable (element: of an array's elements) without const, as text that a name can
 * follow; NULL when it cannot be written. free(). */
char *ht_syntax_variable_type(const ht_syntax_variable *variable, bool element);
/* The same without names that the source gave it. */
char *ht_syntax_canonical_type(const ht_syntax_variable *variable);
/* Returns true if the variable is a pointer, or may hold some. */
bool ht_syntax_holds_pointers(const ht_syntax_variable *variable);
/* Returns true if what takes over the value of a child of a CALL, a VARIABLE, an assignment or a
 * CAST can do no more than read it, and through it: a number, a pointer or reference to const. */
bool ht_syntax_only_reads(const ht_syntax *node, size_t child);
/* Bytes of an expression's value; 0: not known. */
size_t ht_syntax_size(const ht_syntax *node);
/* The same, of a template's argument as it is launched, too. */
size_t ht_syntax_launched_size(const ht_syntax *node);
/* The type of an array's elements (of the memory that a pointer points to), as text. free(). */
char *ht_syntax_element(const ht_syntax_variable *variable);
/* The constant extent of an array's dimension; below 0: it is not constant, or not given. */
int64_t ht_syntax_extent(const ht_syntax_variable *array, unsigned dimension);
bool ht_syntax_points_to_const(const ht_syntax_variable *pointer);
bool ht_syntax_is_restrict(const ht_syntax_variable *pointer);
/* Bytes of an array's element, as launched; 0: not known. */
size_t ht_syntax_element_size(const ht_syntax_variable *array);
/* The text of an expression, if it stands in the main file; NULL: it does not. free(). */
char *ht_syntax_main_text(const ht_syntax *node);
/* Returns true if both have such a text, and the same, but for white space and comments. */
bool ht_syntax_is_same_text(const ht_syntax *a, const ht_syntax *b);
/* An expression of the user's in quotes, cut where it is long; NULL: a macro wrote it. free(). */
char *ht_syntax_quote(const ht_syntax *node);
/* The name that an expression of kind HT_UNKNOWN_NAME stands for; "": not known. free(). */
char *ht_syntax_spelling(const ht_syntax *node);
/* Returns "low.x" for p.low.x where p is the kernel's parameter, a structure that nothing changes;
 * NULL: it is anything else. free(). */
char *ht_syntax_field(const ht_syntax *node, const ht_parameter **out_parameter);
/* Where the value of a constant is written in the main file; false: it cannot be edited there. */
bool ht_syntax_value_place(const ht_syntax_variable *constant, ht_range *out_place);

/* ---- what the model knows ---- */

/* Which built-in index an expression is, or a global index; through variables that only rename one.
 */
ht_index_kind ht_syntax_index(const ht_syntax *node, int *out_axis);
/* Returns true if it is the number of all threads along an axis: blockDim.a * gridDim.a, or a
 * variable that holds it. */
bool ht_syntax_total(const ht_syntax *node, int *out_axis);
/* Returns true if a variable only renames an index, or the block's first global index. */
bool ht_syntax_is_alias(const ht_syntax_variable *variable);
/* A variable outside of functions with its namespaces; NULL: it is not one. free(). */
char *ht_syntax_qualified_name(const ht_syntax_variable *variable);
/* Returns true if a macro makes any part of its text. */
bool ht_syntax_in_macro(const ht_syntax *node);
/* Where the index-th of the model's pitches stands in the body. False: a macro or a function writes
 * it; *out_at is where it is used. */
bool ht_pitch_place(const ht_model *model, size_t index, ht_range *out_place, ht_position *out_at);
/* Returns true if blockDim, an unsigned of 32 bits, may stand in its place. */
bool ht_pitch_is_unsigned(const ht_model *model, size_t index);
/* Returns true if a function that the kernel calls has shared memory of its own. */
bool ht_shares_elsewhere(const ht_model *model, ht_position *out_at);
/* Where the kernel's index-th parameter is declared. */
ht_position ht_parameter_place(const ht_model *model, size_t index);
/* The variable of the kernel's index-th template parameter; NULL: the tree does not name it. */
const ht_syntax_variable *ht_syntax_template_parameter(const ht_syntax_tree *tree, size_t index);
/* The same of the constant that a launch's symbol names. */
const ht_syntax_variable *ht_syntax_symbol_variable(const ht_syntax_tree *tree,
                                                    const struct ht_symbol *symbol);
/* Returns true if a place of a file lies in the kernel or in a function that it reaches. */
bool ht_reached_holds(const ht_model *model, size_t file, size_t offset);
/* The name of the index-th function that the kernel reaches, and its place in its file. free(). */
char *ht_reached_name(const ht_model *model, size_t index, size_t *out_offset);
/* Which of the built-in indices alone; through variables only where `resolve`. */
ht_index_kind ht_syntax_builtin(const ht_syntax *node, bool resolve, int *out_axis);
/* blockIdx.a * PITCH with a pitch that equals the launch's block. */
bool ht_syntax_is_origin(const ht_syntax *node, int *out_axis);

/* Returns true for a statement that does nothing but leave the function, in braces or not. */
bool ht_syntax_is_return(const ht_syntax *statement);

#endif

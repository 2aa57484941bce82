#include "refactor/infer/infer_host.h"
#include "refactor/infer/infer.h"
#include "refactor/infer/infer_passed.h"
#include "refactor/infer/infer_record.h"
#include "refactor/infer/infer_type.h"
#include "refactor/kernel/symbol_expression.h"
#include "refactor/launch/asked.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/symbol.h"
#include "refactor/unit/record.h"

#include "base/memory.h"
#include "templates/expr/expr_node.h"
#include "templates/expr/type.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 40 };

void ht_infer_miss(ht_infer *in, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *words = ht_format_list(format, args);
    va_end(args);
    if (in->missing.length && strstr(in->missing.data, words)) {
        free(words);
        return;
    }
    ht_text_printf(&in->missing, in->missing.length ? "; %s" : "%s", words);
    if (!in->missing_line)
        in->missing_line = line;
    free(words);
}

/* ---- fields ---- */

/* Returns "rows" for "p.rows", as geometry.c does. */
static const char *last_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static ht_infer_field *field_named(const ht_infer *in, const char *name) {
    for (size_t i = 0; i < in->field_count; ++i)
        if (strcmp(in->fields[i].name, name) == 0)
            return &in->fields[i];
    return NULL;
}

static bool mentions_name(const ht_symbol *symbol, const char *name) {
    if (!symbol)
        return false;
    if (symbol->name && strcmp(symbol->name, name) == 0)
        return true;
    for (int i = 0; i < 3; ++i)
        if (mentions_name(symbol->arguments[i], name))
            return true;
    return mentions_name(symbol->value_of, name);
}

/* Returns true if the block or a template argument is made of this constant, which then must keep
 * its value. */
static bool shapes_kernel(const ht_infer *in, const char *name) {
    const ht_launch_site *site = ht_launches_first(&in->model->facts->launches);
    for (int axis = 0; site && axis < 3; ++axis)
        if (mentions_name(site->block.axis[axis], name))
            return true;
    const ht_kernel_facts *facts = in->model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        const ht_template_parameter *parameter = &facts->template_parameters.items[i];
        if ((parameter->argument && strcmp(parameter->argument, name) == 0) ||
            mentions_name(parameter->symbol, name))
            return true;
    }
    return false;
}

static bool is_counter(CXCursor declaration) {
    if (clang_getCursorKind(declaration) != CXCursor_VarDecl)
        return false;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
    return !clang_Cursor_isNull(initializer) && ht_variable_writes(declaration) == 1;
}

static bool names_field(const char *name) {
    if (!(isalpha((unsigned char)name[0]) || name[0] == '_') || ht_expr_reserved(name))
        return false;
    for (const char *at = name; *at; ++at)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return true;
}

/* Returns the expression of a variable's first value; null: it has none. */
static CXCursor first_value(const ht_infer *in, const ht_symbol *symbol) {
    CXCursor variable = symbol->declaration;
    if (clang_equalCursors(symbol->base, variable))
        return clang_getNullCursor(); /* it is an array of the number */
    switch (clang_getCursorKind(variable)) {
    case CXCursor_FieldDecl:
        return clang_Cursor_isNull(symbol->base)
                   ? symbol->base
                   : ht_infer_field_initial(in, symbol->base, variable);
    case CXCursor_VarDecl:
        return clang_Cursor_getVarDeclInitializer(variable);
    case CXCursor_ParmDecl:
        return ht_infer_passed(in->model->facts->source, variable);
    default:
        return clang_getNullCursor();
    }
}

/* Reports a variable of a called function and another of its name, which would be one size. */
static bool is_of_another(ht_infer *in, const ht_infer_field *field, const ht_symbol *symbol) {
    if (!(field->of_called || symbol->of_called) ||
        clang_equalCursors(field->declaration, symbol->declaration))
        return false;
    in->unclear = true;
    ht_infer_miss(in, symbol->line,
                  "which '%s' is meant in the launch: lines %d and %d declare different variables",
                  field->name, ht_ast_line(field->declaration), ht_ast_line(symbol->declaration));
    return true;
}

static bool field_add(ht_infer *in, const ht_symbol *symbol, bool in_grid) {
    const char *name = last_name(symbol->name);
    ht_infer_field *field = field_named(in, name);
    if (!names_field(name) || (field && is_of_another(in, field, symbol)))
        return false;
    if (!field) {
        HT_GROW(in->fields, in->field_count);
        field = &in->fields[in->field_count++];
        *field = (ht_infer_field){.name = ht_strdup(name), .declaration = symbol->declaration};
        field->of_called = symbol->of_called;
        if (symbol->kind == HT_SYMBOL_CONSTANT) {
            field->value = symbol->value;
            field->known = true;
            field->line = ht_ast_line(symbol->declaration);
        } else {
            CXCursor initializer = first_value(in, symbol);
            if (!clang_Cursor_isNull(initializer)) {
                field->initial = ht_symbol_read(in->model->facts->source, initializer);
                field->line = ht_ast_line(initializer);
                field->counts = is_counter(symbol->declaration);
            }
        }
    }
    field->in_grid = field->in_grid || in_grid;
    return true;
}

/* Returns true if the whole expression is made of fields and constants. */
static bool is_followed(const ht_symbol *symbol, int depth) {
    if (!symbol || depth > DEPTH_MAX)
        return symbol == NULL;
    if (symbol->kind == HT_SYMBOL_UNKNOWN)
        return false;
    if (symbol->kind == HT_SYMBOL_VARIABLE)
        return true; /* at worst, the variable becomes a field of its name */
    for (int i = 0; i < 3; ++i)
        if (symbol->arguments[i] && !is_followed(symbol->arguments[i], depth + 1))
            return false;
    return true;
}

static bool collect(ht_infer *in, const ht_symbol *symbol, bool in_grid, int depth);

/* Returns true if a number is written without variables: `320`, `WIDTH * 2`. */
static bool is_plain(const ht_symbol *symbol) {
    if (!symbol)
        return true;
    if (symbol->kind == HT_SYMBOL_VARIABLE ||
        (symbol->kind == HT_SYMBOL_CONSTANT && symbol->origin == HT_ORIGIN_VARIABLE))
        return false;
    return is_plain(symbol->arguments[0]) && is_plain(symbol->arguments[1]) &&
           is_plain(symbol->arguments[2]);
}

static bool collect_named(ht_infer *in, const ht_symbol *symbol, bool in_grid, int depth) {
    bool dimension = strchr(symbol->name, '.') && clang_Cursor_isNull(symbol->base);
    if (symbol->kind == HT_SYMBOL_CONSTANT)
        return !ht_ast_is_local(symbol->declaration) || symbol->of_called ||
               shapes_kernel(in, symbol->name) || field_add(in, symbol, in_grid);
    int64_t value;
    bool number = in->free_numbers && !dimension && !symbol->of_called && symbol->value_of &&
                  ht_symbol_value(symbol->value_of, &value) && is_plain(symbol->value_of) &&
                  ht_ast_is_local(symbol->declaration) && !shapes_kernel(in, symbol->name);
    if (number && ht_variable_writes(symbol->declaration) == 0 && field_add(in, symbol, in_grid))
        return true;
    if (symbol->value_of && (dimension || ht_symbol_value(symbol->value_of, &value) ||
                             is_followed(symbol->value_of, 0)))
        return collect(in, symbol->value_of, in_grid, depth + 1);
    return !dimension && field_add(in, symbol, in_grid);
}

/* Makes fields of the variables that an expression depends on. Returns false if a part is
 * unknown. */
static bool collect(ht_infer *in, const ht_symbol *symbol, bool in_grid, int depth) {
    if (!symbol || depth > DEPTH_MAX)
        return symbol == NULL;
    if (symbol->kind == HT_SYMBOL_UNKNOWN)
        return false;
    if (symbol->kind == HT_SYMBOL_VARIABLE ||
        (symbol->kind == HT_SYMBOL_CONSTANT && symbol->origin == HT_ORIGIN_VARIABLE &&
         symbol->name))
        return collect_named(in, symbol, in_grid, depth);
    bool all = true;
    for (int i = 0; i < 3; ++i)
        all = collect(in, symbol->arguments[i], in_grid, depth + 1) && all;
    return all;
}

/* ---- the problem's fields as an entry, in which geometry.c finds their names ---- */

static void entry_renew(ht_infer *in) {
    ht_text text = {0};
    ht_text_append(&text, "sizes : ");
    for (size_t i = 0; i < in->field_count; ++i)
        ht_text_printf(&text, i ? ", %s" : "%s", in->fields[i].name);
    if (!in->field_count)
        ht_text_append(&text, "unused");
    ht_problem_spec_free(&in->entry->spec);
    in->entry->spec = (ht_problem_spec){0};
    ht_error error = {0};
    if (ht_problem_spec_parse(text.data, (ht_place){0}, &in->entry->spec, &error) != HT_OK)
        in->entry->spec = (ht_problem_spec){0};
    ht_text_free(&text);
}

/* Returns a host expression over fields; NULL: a part is unknown. free(). */
static char *expression_of(ht_infer *in, const ht_symbol *symbol) {
    size_t count = in->field_count;
    if (!collect(in, symbol, false, 0))
        return NULL;
    if (in->field_count != count)
        entry_renew(in);
    return ht_symbol_expression(in->model, NULL, symbol, NULL);
}

/* ---- scalar arguments ---- */

/* Makes a field with the argument's name, for a size that has no name on the host. */
static char *own_field(ht_infer *in, const ht_parameter *parameter, int line) {
    char *plain = ht_infer_field_name(parameter), *name = ht_strdup(plain);
    bool good = plain[0] && names_field(plain);
    for (int i = 2; good && field_named(in, name); ++i) {
        free(name);
        name = ht_format("%s_%d", plain, i);
    }
    free(plain);
    if (!good) {
        free(name);
        return NULL;
    }
    HT_GROW(in->fields, in->field_count);
    in->fields[in->field_count++] =
        (ht_infer_field){.name = name, .declaration = clang_getNullCursor(), .line = line};
    entry_renew(in);
    return ht_format("problem.%s", name);
}

static char *integer_value(ht_infer *in, const ht_parameter *parameter, CXCursor argument) {
    ht_symbol *symbol = ht_symbol_read(in->model->facts->source, argument);
    char *text = expression_of(in, symbol);
    ht_symbol_free(symbol);
    return text ? text : own_field(in, parameter, ht_ast_line(argument));
}

/* Evaluates a real expression, also through variables that are set once. */
static bool real_value(CXCursor expression, int depth, double *out_value) {
    CXCursor cursor = ht_ast_strip(expression, false);
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    CXEvalResultKind kind = result ? clang_EvalResult_getKind(result) : CXEval_UnExposed;
    if (kind == CXEval_Float)
        *out_value = clang_EvalResult_getAsDouble(result);
    else if (kind == CXEval_Int)
        *out_value = (double)clang_EvalResult_getAsLongLong(result);
    if (result)
        clang_EvalResult_dispose(result);
    if (kind == CXEval_Float || kind == CXEval_Int)
        return true;
    CXCursor variable = ht_ast_variable(cursor);
    if (depth > 8 || clang_getCursorKind(variable) != CXCursor_VarDecl)
        return false;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
    return !clang_Cursor_isNull(initializer) && real_value(initializer, depth + 1, out_value);
}

/* ---- vectors ---- */

static bool is_index_vector(const char *type, size_t *out_count) {
    static const char *const names[] = {"int", "uint", "long", "ulong", "short", "ushort", NULL};
    for (size_t i = 0; names[i]; ++i) {
        size_t length = strlen(names[i]);
        if (strncmp(type, names[i], length) == 0 && type[length] >= '2' && type[length] <= '4' &&
            !type[length + 1]) {
            *out_count = (size_t)(type[length] - '0');
            return true;
        }
    }
    return false;
}

/* Returns the components as written: {w, h}, make_uint2(w, h). free(items). */
static ht_cursors components(CXCursor expression, size_t count, int depth) {
    ht_cursors none = {0};
    CXCursor cursor = ht_ast_strip(expression, false), variable = ht_ast_variable(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (depth > 6)
        return none;
    if (clang_getCursorKind(variable) == CXCursor_VarDecl && ht_variable_writes(variable) == 0 &&
        !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(variable)))
        return components(clang_Cursor_getVarDeclInitializer(variable), count, depth + 1);
    if (kind == CXCursor_CallExpr && (size_t)clang_Cursor_getNumArguments(cursor) == count) {
        ht_cursors list = {ht_alloc(count, sizeof *list.items), count};
        for (size_t i = 0; i < count; ++i)
            list.items[i] = clang_Cursor_getArgument(cursor, (unsigned)i);
        return list;
    }
    ht_cursors list = ht_ast_children(cursor);
    if (kind == CXCursor_InitListExpr && list.count == count)
        return list;
    CXCursor last = list.count ? list.items[list.count - 1] : clang_getNullCursor();
    free(list.items);
    return clang_isExpression(clang_getCursorKind(last)) ? components(last, count, depth + 1)
                                                         : none;
}

static char *part_field(ht_infer *in, const ht_parameter *parameter, char letter) {
    ht_parameter part = *parameter;
    part.name = ht_format("%s_%c", parameter->name, letter);
    char *value = own_field(in, &part, 0);
    free(part.name);
    return value;
}

static char *vector_value(ht_infer *in, size_t index, size_t count, CXCursor argument) {
    const ht_parameter *parameter = &in->slots.items[index];
    ht_cursors list = {0};
    ht_text text = {0};
    bool known = true;
    if (!clang_Cursor_isNull(argument))
        list = components(argument, count, 0);
    for (size_t i = 0; i < count; ++i) {
        char *value = NULL;
        if (list.count == count) {
            ht_symbol *symbol = ht_symbol_read(in->model->facts->source, list.items[i]);
            value = expression_of(in, symbol);
            ht_symbol_free(symbol);
        }
        value = value ? value : part_field(in, parameter, "xyzw"[i]);
        known = known && value;
        ht_text_printf(&text, i ? ", %s" : "(%s", value ? value : "?");
        in->parts[index][i] = value;
    }
    ht_text_append(&text, ")");
    free(list.items);
    char *all = ht_text_take(&text);
    if (known)
        return all;
    free(all);
    return NULL;
}

/* Returns components for a vector of real numbers, which the source's need not be: (1, 2, 3). */
static char *real_components(size_t count) {
    ht_text text = {0};
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, i ? ", %zu" : "(%zu", i + 1);
    ht_text_append(&text, ")");
    return ht_text_take(&text);
}

/* Returns a whole number that the host names as the field of a structure: where its launch does,
 * too, or (`open`) where it sets it in a way that is not followed. NULL: neither. free(). */
static char *shared_field(ht_infer *in, size_t index, bool open) {
    const ht_record_leaf *leaf = in->slot_records[index].leaf;
    bool named = false;
    if (!leaf || !in->slots.items[index].is_integer)
        return NULL;
    for (size_t i = 0; i < in->field_count; ++i)
        named = named || clang_equalCursors(in->fields[i].declaration, leaf->field);
    CXCursor base = ht_infer_field_base(in, index);
    if (clang_Cursor_isNull(base) || (!open && !named))
        return NULL;
    ht_symbol *symbol = ht_symbol_part(base, leaf->field, leaf->path);
    char *text = expression_of(in, symbol);
    ht_symbol_free(symbol);
    return text;
}

/* Returns one of a tensor's sizes, where the launch passes `x.packed_accessor32<float, 2>()`: the
 * number that x.size(0) is elsewhere. NULL: another argument. free(). */
static char *tensor_size(ht_infer *in, CXCursor argument, size_t axis) {
    ht_symbol *symbol = ht_symbol_accessed(argument, axis);
    char *text = symbol ? expression_of(in, symbol) : NULL;
    ht_symbol_free(symbol);
    return text;
}

/* Returns a size or a stride of a PyTorch accessor: strides are those of a tensor in rows. NULL: it
 * is another field. free(). */
static char *accessor_value(ht_infer *in, size_t index) {
    const ht_launches *launches = &in->model->facts->launches;
    const ht_infer_slot *slot = &in->slot_records[index];
    unsigned long axis;
    if (!slot->leaf)
        return NULL;
    char *type = ht_record_name(ht_record_type(in->model, slot->owner));
    bool accessor = type && strncmp(type, "at::GenericPackedTensorAccessor<", 32) == 0;
    free(type);
    if (!accessor)
        return NULL;
    if (sscanf(slot->leaf->path, "sizes_[%lu]", &axis) == 1 && launches->count &&
        slot->owner < launches->items[0].argument_count)
        return tensor_size(in, launches->items[0].arguments[slot->owner], axis);
    if (sscanf(slot->leaf->path, "strides_[%lu]", &axis) != 1)
        return NULL;
    ht_text product = {0};
    ht_text_append(&product, "1");
    for (size_t i = 0; i < index; ++i) {
        unsigned long other;
        if (in->slot_records[i].leaf && in->slot_records[i].owner == slot->owner &&
            sscanf(in->slot_records[i].leaf->path, "sizes_[%lu]", &other) == 1 && other > axis &&
            in->scalars[i])
            ht_text_printf(&product, " * (%s)", in->scalars[i]);
    }
    return ht_text_take(&product);
}

static char *scalar_value(ht_infer *in, size_t index) {
    char *accessed = accessor_value(in, index);
    if (accessed)
        return accessed;
    const ht_parameter *parameter = &in->slots.items[index];
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter->cursor));
    CXCursor argument = ht_infer_passed_for(in, index);
    char *field = shared_field(in, index, clang_Cursor_isNull(argument));
    if (field)
        return field;
    bool given = !clang_Cursor_isNull(argument);
    ht_text *origin = &in->origins[index];
    char *known = ht_infer_type(in->model, parameter, NULL);
    bool real = known && ht_type_size(known) > 0 && !ht_type_integral(known);
    size_t count = 0, components = known ? ht_type_components(known) : 0;
    bool vector = known && is_index_vector(known, &count);
    bool whole = known && ht_type_size(known) > 0 && !real;
    free(known);
    double value = 0.5;
    int64_t constant;
    if (vector)
        return vector_value(in, index, count, argument);
    if (real && components > 1) {
        ht_text_append(origin, "chosen");
        return real_components(components);
    }
    if (type.kind == CXType_Enum) {
        if (given && ht_ast_constant(argument, &constant))
            return ht_format("%lld", (long long)constant);
        if (!ht_infer_enumerator(type, &constant))
            return own_field(in, parameter, 0);
        ht_text_append(origin, "chosen");
        return ht_format("%lld", (long long)constant);
    }
    if (parameter->is_integer || (whole && type.kind == CXType_Unexposed))
        return given ? integer_value(in, parameter, argument) : own_field(in, parameter, 0);
    if (!real)
        return NULL;
    if (given && real_value(argument, 0, &value))
        ht_text_printf(origin, "line %d", ht_ast_line(argument));
    else
        ht_text_append(origin, "chosen");
    char *text = ht_format("%.9g", value);
    if (strspn(text, "-0123456789") == strlen(text)) {
        char *longer = ht_format("%s.0", text);
        free(text);
        text = longer;
    }
    return text;
}

/* Notes that a grid which was supposed is computed from the argument `name`. */
static void on_grid_name(void *context, const char *name) {
    ht_infer *in = context;
    for (size_t i = 0; i < in->slots.count; ++i) {
        const char *value = in->scalars[i];
        ht_infer_field *field = value && strncmp(value, "problem.", 8) == 0 &&
                                        strcmp(in->slots.items[i].name, name) == 0
                                    ? field_named(in, value + 8)
                                    : NULL;
        if (field)
            field->in_grid = true;
    }
}

void ht_infer_host(ht_infer *in) {
    const ht_launch_site *site = ht_launches_first(&in->model->facts->launches);
    entry_renew(in);
    for (int axis = 0; site && axis < 3; ++axis)
        if (site->grid.axis[axis])
            collect(in, site->grid.axis[axis], true, 0);
    if (site && site->lds)
        collect(in, site->lds, false, 0);
    entry_renew(in);
    for (size_t i = 0; i < in->slots.count; ++i)
        if (!in->slots.items[i].is_pointer && !in->slot_records[i].is_record &&
            !in->slot_records[i].is_array)
            in->scalars[i] = scalar_value(in, i);
    for (int axis = 0; axis < 3; ++axis)
        if (in->entry->grid[axis])
            ht_expr_names(in->entry->grid[axis], on_grid_name, in);
}

/* ---- allocations ---- */

typedef struct allocation {
    const ht_infer *in;
    CXCursor variable;
    CXCursor bytes; /* the expression of the size */
    int line;
    size_t found;
} allocation;

static bool on_allocation(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    static const char *const names[] = {"hipMalloc",         "cudaMalloc",     "hipMallocManaged",
                                        "cudaMallocManaged", "hipMallocAsync", "cudaMallocAsync",
                                        "hipHostMalloc",     "cudaMallocHost", NULL};
    allocation *in = context;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr ||
        clang_Cursor_getNumArguments(cursor) < 2)
        return true;
    char *name = ht_cursor_name(cursor);
    if (ht_text_is_one(name, names) &&
        ht_ast_mentions(clang_Cursor_getArgument(cursor, 0), in->variable)) {
        in->bytes = clang_Cursor_getArgument(cursor, 1);
        in->line = ht_ast_line(cursor);
        ++in->found;
    }
    free(name);
    return true;
}

static CXCursor pointer_variable(CXCursor argument) {
    for (int depth = 0; depth < 8; ++depth) {
        CXCursor cursor = ht_ast_strip(argument, true), variable = ht_ast_variable(cursor);
        if (!clang_Cursor_isNull(variable))
            return variable;
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_MemberRefExpr)
            return clang_getCursorReferenced(cursor);
        if (kind != CXCursor_CStyleCastExpr && kind != CXCursor_CXXReinterpretCastExpr &&
            kind != CXCursor_CXXStaticCastExpr && kind != CXCursor_CXXConstCastExpr)
            return clang_getNullCursor();
        ht_cursors list = ht_ast_children(cursor);
        argument = list.count ? list.items[list.count - 1] : clang_getNullCursor();
        free(list.items);
        if (clang_Cursor_isNull(argument))
            return argument;
    }
    return clang_getNullCursor();
}

char *ht_infer_allocation(const ht_infer *given, size_t index, int *out_line) {
    const ht_launch_site *site = ht_launches_first(&given->model->facts->launches);
    ht_infer *in = (ht_infer *)(size_t)given;
    *out_line = 0;
    if (!site || clang_Cursor_isNull(site->function))
        return NULL;
    CXCursor passed = ht_infer_passed_for(in, index), variable = clang_getNullCursor();
    if (!clang_Cursor_isNull(passed))
        variable = pointer_variable(passed);
    else if (in->slot_records[index].leaf) /* hipMalloc(&p.data, bytes) */
        variable = in->slot_records[index].leaf->field;
    if (clang_Cursor_isNull(variable))
        return NULL;
    allocation search = {.in = given, .variable = variable};
    ht_ast_walk(site->function, on_allocation, &search);
    if (search.found != 1)
        return NULL;
    long long parts;
    char *type = ht_infer_type(in->model, &in->slots.items[index], &parts);
    size_t size = type ? ht_type_size(type) * (size_t)parts : 0;
    free(type);
    ht_symbol *symbol = ht_symbol_read(in->model->facts->source, search.bytes);
    char *bytes = size ? expression_of(in, symbol) : NULL, *text = NULL;
    ht_symbol_free(symbol);
    if (bytes)
        text = size == 1 ? ht_strdup(bytes) : ht_format("(%s) / %zu", bytes, size);
    free(bytes);
    *out_line = search.line;
    return text;
}

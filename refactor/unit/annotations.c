#include "refactor/unit/annotations.h"
#include "base/memory.h"
#include "refactor/kernel/deduced.h"
#include "refactor/plan/coverage.h"
#include "refactor/unit/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- missing parts ---- */

static void add(ht_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(ht_text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *words = ht_format_list(format, args);
    ht_text_printf(text, text->length ? "; %s" : "%s", words);
    free(words);
    va_end(args);
}

static const ht_arg *passed(const ht_problem_entry *entry, size_t index) {
    for (size_t i = 0; i < entry->arg_count; ++i)
        if (ht_arg_is_passed(&entry->args[i]) && index-- == 0)
            return &entry->args[i];
    return NULL;
}

/* Returns the type that a template type parameter of this name stands for, else the name itself. */
static const char *type_for(const ht_model *model, const char *name) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i)
        if (strcmp(facts->template_parameters.items[i].name, name) == 0)
            return facts->template_parameters.items[i].argument;
    return name;
}

static void check_argument(const ht_model *model, size_t index, const ht_arg *arg,
                           ht_text *missing) {
    const ht_parameter *parameter = &model->parameters.items[index];
    bool buffer = arg->role != HT_ARG_SCALAR;
    if (arg->is_struct) {
        char *wrong = ht_record_check(model, index, arg);
        if (wrong)
            add(missing, "%s", wrong);
        free(wrong);
        return;
    }
    if (buffer != parameter->is_pointer)
        add(missing, "argument '%s' is declared a %s, but the kernel's parameter '%s' is %s",
            arg->name, buffer ? "buffer" : "scalar", parameter->name,
            parameter->is_pointer ? "a pointer" : "none");
    else if (buffer && parameter->is_const && arg->role != HT_ARG_IN)
        add(missing, "argument '%s' is declared written, but the kernel's parameter is const",
            arg->name);
    const char *wanted =
        type_for(model, parameter->is_pointer ? parameter->pointee : parameter->type);
    size_t size = wanted ? ht_type_size(wanted) : 0, given = ht_type_size(arg->type);
    if (buffer == parameter->is_pointer && size && given && size != given)
        add(missing, "argument '%s' is declared %s, but the kernel's parameter is %s", arg->name,
            arg->type, wanted);
}

static void check_arguments(const ht_model *model, ht_text *missing) {
    const ht_problem_entry *entry = model->entry;
    size_t count = 0;
    for (size_t i = 0; i < entry->arg_count; ++i)
        count += ht_arg_is_passed(&entry->args[i]);
    if (count != model->parameters.count) {
        add(missing, "the problem file lists %zu arguments, the kernel takes %zu", count,
            model->parameters.count);
        return;
    }
    for (size_t i = 0; i < model->parameters.count; ++i)
        check_argument(model, i, passed(entry, i), missing);
}

/* Returns true if the cursor declares a variable template in constant memory, by its text: libclang
 * exposes only its name. */
static bool is_constant_template(const ht_slice *slice, const ht_chunk *chunk, CXCursor cursor) {
    const char *text = slice->source->files[chunk->file].text;
    size_t length = chunk->range.end - chunk->range.begin;
    const char *begin = text + chunk->range.begin, *constant = "__constant__";
    return clang_getCursorKind(cursor) == CXCursor_UnexposedDecl &&
           memmem(begin, length, constant, strlen(constant)) && !memchr(begin, '=', length);
}

/* Returns true if this is an argument's name, without template arguments. */
static bool is_listed(const ht_problem_entry *entry, const char *name) {
    for (size_t k = 0; k < entry->arg_count; ++k) {
        const char *own = entry->args[k].name;
        size_t length = strcspn(own, "<");
        if (entry->args[k].role == HT_ARG_CONSTANT && strlen(name) == length &&
            memcmp(own, name, length) == 0)
            return true;
    }
    return false;
}

static void check_constants(const ht_model *model, const ht_slice *slice, ht_text *missing) {
    for (size_t i = 0; i < slice->chunk_count; ++i)
        for (size_t j = 0; slice->chunks[i].needed && j < slice->chunks[i].cursor_count; ++j) {
            CXCursor cursor = slice->chunks[i].cursors[j];
            bool template = is_constant_template(slice, &slice->chunks[i], cursor);
            bool plain = clang_getCursorKind(cursor) == CXCursor_VarDecl &&
                         ht_ast_has(cursor, CXCursor_CUDAConstantAttr) &&
                         clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(cursor));
            if (!template && !plain)
                continue;
            char *name = ht_cursor_qualified_name(cursor);
            if (!is_listed(model->entry, name))
                add(missing, "constant memory '%s' (line %d) has no argument of role constant%s",
                    name, ht_ast_line(cursor),
                    template ? ", such as \"NAME<float> : constant float[9]\" for a template" : "");
            free(name);
        }
}

/* Returns true if the type is that of a structure which the problem describes, or of the launch's
 * elements. */
static bool passes_record(const ht_model *model, const ht_template_parameter *parameter) {
    const ht_problem_entry *entry = model->entry;
    for (size_t i = 0; entry && i < entry->arg_count; ++i)
        if (entry->args[i].is_struct && strcmp(entry->args[i].type, parameter->argument) == 0)
            return true;
    return ht_deduced_is_record(model, parameter);
}

static void check_template_arguments(const ht_model *model, ht_text *missing) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        const ht_template_parameter *parameter = &facts->template_parameters.items[i];
        bool fallback = ht_template_parameter_falls_back(parameter);
        bool known = parameter->kind == HT_TEMPLATE_VALUE
                         ? parameter->has_value ||
                               (parameter->argument && (strcmp(parameter->argument, "true") == 0 ||
                                                        strcmp(parameter->argument, "false") == 0))
                         : parameter->argument && (ht_type_size(parameter->argument) > 0 ||
                                                   passes_record(model, parameter));
        if (!known && !fallback)
            add(missing, "template argument '%s' of the launch (\"template\" in the problem file)",
                parameter->name[0] ? parameter->name : "?");
    }
}

char *ht_binding_problem(const ht_model *model, const ht_grid *grid, const ht_slice *slice,
                         int *out_line) {
    ht_text missing = {0};
    *out_line = 0;
    if (!model->entry)
        add(&missing, "no problem is known for it: sizes, roles and extents of its arguments");
    else {
        check_arguments(model, &missing);
        check_constants(model, slice, &missing);
    }
    check_template_arguments(model, &missing);
    if (grid->missing.length) {
        add(&missing, "%s", grid->missing.data);
        if (model->facts->launches.count && model->facts->launches.items[0].file == 0)
            *out_line = model->facts->launches.items[0].line;
    }
    for (int axis = 0; axis < 3 && !grid->missing.length; ++axis)
        if (!grid->original[axis] || !grid->block[axis]) {
            const char *why = model->facts->problem.text;
            add(&missing, "block and grid of the original's launch%s%s", why ? ": " : "",
                why ? why : "");
            *out_line = model->facts->problem.line;
            break;
        }
    return missing.length ? ht_text_take(&missing) : NULL;
}

/* ---- writing ---- */

/* Returns a value as an argument for a parameter of its type: true, Mode::sum, 16. free(). */
static char *typed_value(const ht_template_parameter *parameter) {
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter->cursor));
    if (type.kind == CXType_Bool)
        return ht_strdup(parameter->value ? "true" : "false");
    if (type.kind != CXType_Enum)
        return ht_format("%lld", (long long)parameter->value);
    CXCursor declaration = clang_getTypeDeclaration(type);
    ht_cursors list = ht_ast_children(declaration);
    char *name = NULL;
    for (size_t i = 0; i < list.count && !name; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_EnumConstantDecl &&
            clang_getEnumConstantDeclValue(list.items[i]) == parameter->value)
            name = ht_cursor_name(list.items[i]);
    free(list.items);
    CXCursor scope = declaration;
    if (!clang_EnumDecl_isScoped(declaration))
        scope = clang_getCursorSemanticParent(scope);
    for (; name && (clang_getCursorKind(scope) == CXCursor_EnumDecl ||
                    clang_getCursorKind(scope) == CXCursor_Namespace ||
                    clang_getCursorKind(scope) == CXCursor_StructDecl ||
                    clang_getCursorKind(scope) == CXCursor_ClassDecl);
         scope = clang_getCursorSemanticParent(scope)) {
        char *part = ht_cursor_name(scope);
        if (part[0] && part[0] != '(') {
            char *longer = ht_format("%s::%s", part, name);
            free(name);
            name = longer;
        }
        free(part);
    }
    return name ? name : ht_format("%lld", (long long)parameter->value);
}

char *ht_template_argument_text(const ht_template_parameter *parameter) {
    if (parameter->has_value && parameter->kind == HT_TEMPLATE_VALUE)
        return typed_value(parameter);
    return parameter->argument ? ht_strdup(parameter->argument) : NULL;
}

/* Returns the template argument list for the kernel's launch, new parameters first: "<BLOCK_X,
 * float>", or "" for none; free(). `reference`: for the original. */
static char *template_arguments(const ht_plan *plan, bool reference) {
    const ht_kernel_facts *facts = plan->model->facts;
    ht_text text = {0};
    for (size_t i = 0; !reference && i < plan->params.count; ++i)
        if (!plan->params.items[i].existing && !plan->params.items[i].macro)
            ht_text_printf(&text, text.length ? ", %s" : "<%s", plan->params.items[i].name);
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        const ht_template_parameter *parameter = &facts->template_parameters.items[i];
        bool tuned = false;
        for (size_t j = 0; !reference && j < plan->params.count; ++j)
            tuned = tuned || (plan->params.items[j].existing &&
                              strcmp(plan->params.items[j].name, parameter->name) == 0);
        char *value = tuned ? ht_strdup(parameter->name) : ht_template_argument_text(parameter);
        if (!value) /* defaults hold for this and all further ones */
            break;
        ht_text_printf(&text, text.length ? ", %s" : "<%s", value);
        free(value);
    }
    if (text.length)
        ht_text_append(&text, ">");
    return text.length ? ht_text_take(&text) : ht_strdup("");
}

void ht_axes_print(const char *name, char *const axes[3], ht_text *out) {
    int last = 2;
    while (last > 0 && strcmp(axes[last], "1") == 0)
        --last;
    ht_text_printf(out, "#pragma tune %s(", name);
    for (int axis = 0; axis <= last; ++axis)
        ht_text_printf(out, axis ? ", %s" : "%s", axes[axis]);
    ht_text_append(out, ")\n");
}

/* Returns the entry's tolerance, or one that suits what the kernel does. */
static double tolerance_of(const ht_model *model) {
    const ht_problem_entry *entry = model->entry;
    bool floats = false;
    for (size_t i = 0; i < entry->arg_count; ++i)
        floats =
            floats || ((entry->args[i].role == HT_ARG_OUT || entry->args[i].role == HT_ARG_INOUT) &&
                       strncmp(entry->args[i].type, "float", strlen("float")) == 0);
    if (entry->has_tolerance)
        return entry->tolerance;
    return floats && model->feature[HT_FEATURE_ATOMIC] ? HT_TOLERANCE_SUMS : HT_TOLERANCE_DEFAULT;
}

/* Prints the entry by way of a template that has nothing else. */
void ht_entry_print(const ht_model *model, bool builtin, ht_text *out) {
    ht_launch launch = {.kernel = (char *)(size_t)"k"};
    ht_template bare = {.name = (char *)(size_t)"k", .launches = &launch, .launch_count = 1};
    bare.problem = model->entry->spec;
    /* The original defines which results are right, so outputs that it does not write are not
     * checked. */
    ht_arg *args = ht_alloc(model->entry->arg_count + 1, sizeof *args);
    for (size_t i = 0; i < model->entry->arg_count; ++i) {
        args[i] = model->entry->args[i]; /* a copy of the pointers, which the entry owns */
        args[i].partial = args[i].role == HT_ARG_OUT;
    }
    bare.args = args;
    bare.arg_count = model->entry->arg_count;
    bare.tolerance = tolerance_of(model);
    bare.exact = model->entry->has_tolerance && model->entry->exact;
    if (builtin) {
        bare.reference_kind = HT_REFERENCE_BUILTIN;
        bare.reference_name = model->entry->reference_name;
        bare.reference_arguments = model->entry->reference_arguments;
        bare.reference_argument_count = model->entry->reference_argument_count;
    }
    ht_text printed = {0};
    ht_template_print(&bare, &printed);
    char *save = NULL;
    for (char *line = strtok_r(printed.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, "#pragma tune kernel", 19) != 0)
            ht_text_printf(out, "%s\n", line);
    ht_text_free(&printed);
    free(args);
}

void ht_original_print(const ht_plan *plan, const ht_grid *grid, const char *directive,
                       const char *ending, ht_text *out) {
    char *arguments = template_arguments(plan, true);
    ht_text_printf(out, "#pragma tune %s(%s%s%s)\n", directive, plan->model->qualified, ending,
                   arguments);
    free(arguments);
    if (!grid)
        return;
    ht_axes_print("block", (char *const *)grid->block, out);
    ht_axes_print("grid", (char *const *)grid->original, out);
    if (grid->lds)
        ht_text_printf(out, "#pragma tune lds(%s)\n", grid->lds);
}

char *ht_annotations_write(const ht_plan *plan, const ht_grid *grid, bool original) {
    const ht_model *model = plan->model;
    ht_text text = {0};
    bool builtin = model->entry->has_reference && !original;
    char *arguments = template_arguments(plan, false);
    ht_text_printf(&text, "#pragma tune kernel(%s%s)\n", model->qualified, arguments);
    free(arguments);
    for (size_t i = 0; i < plan->params.count; ++i)
        ht_text_printf(&text, "#pragma tune param(%s : %s = %s)\n", plan->params.items[i].name,
                       plan->params.items[i].values, plan->params.items[i].default_value);
    for (size_t i = 0; i < plan->params.count; ++i)
        ht_text_printf(&text, "#pragma tune from(%s : %s)\n", plan->params.items[i].transformation,
                       plan->params.items[i].name);
    for (size_t i = 0; i < plan->requires.count; ++i)
        ht_text_printf(&text, "#pragma tune require(%s)\n", plan->requires.items[i]);
    char *blocks[3], *grids[3];
    for (int axis = 0; axis < 3; ++axis) {
        blocks[axis] =
            ht_strdup(plan->axes[axis].block ? plan->axes[axis].block : grid->block[axis]);
        grids[axis] = ht_grid_after(plan, grid, axis);
    }
    ht_axes_print("block", blocks, &text);
    ht_axes_print("grid", grids, &text);
    char *bytes = ht_grid_bytes(plan, grid);
    if (bytes)
        ht_text_printf(&text, "#pragma tune lds(%s)\n", bytes);
    free(bytes);
    ht_entry_print(model, builtin, &text);
    if (!builtin) {
        ht_original_print(plan, grid, "reference", "__original", &text);
        ht_original_print(plan, grid, "baseline", "__original", &text);
    }
    for (int axis = 0; axis < 3; ++axis) {
        free(blocks[axis]);
        free(grids[axis]);
    }
    return ht_text_take(&text);
}

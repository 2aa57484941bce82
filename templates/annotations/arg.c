/* Arguments apart from parsing. */
#include "templates/annotations/init_records.h"
#include "templates/annotations/template.h"
#include "templates/expr/real_print.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_arg_free(ht_arg *arg) {
    free(arg->name);
    free(arg->type);
    ht_expr_free(arg->extent);
    for (size_t i = 0; i < 4; ++i)
        ht_expr_free(arg->values[i]);
    for (size_t i = 0; i < arg->init.file_count; ++i)
        free(arg->init.files[i]);
    ht_init_parts_free(&arg->init);
    *arg = (ht_arg){0};
}

void ht_arg_copy(const ht_arg *arg, ht_arg *out_copy) {
    *out_copy = *arg;
    out_copy->name = ht_strdup(arg->name);
    out_copy->type = ht_strdup(arg->type);
    out_copy->extent = ht_expr_copy(arg->extent);
    for (size_t i = 0; i < 4; ++i)
        out_copy->values[i] = ht_expr_copy(arg->values[i]);
    for (size_t i = 0; i < arg->init.file_count; ++i)
        out_copy->init.files[i] = ht_strdup(arg->init.files[i]);
    ht_init_parts_copy(&arg->init, &out_copy->init);
}

bool ht_arg_is_field(const ht_arg *arg) {
    return strpbrk(arg->name, ".[") != NULL;
}

bool ht_arg_is_field_of(const ht_arg *arg, const ht_arg *structure) {
    size_t length = strlen(structure->name);
    return structure->is_struct && ht_arg_is_field(arg) &&
           strncmp(arg->name, structure->name, length) == 0 && arg->name[length] == '.';
}

bool ht_arg_is_passed(const ht_arg *arg) {
    return arg->role != HT_ARG_CONSTANT && !ht_arg_is_field(arg);
}

static bool init_equal(const ht_init *a, const ht_init *b) {
    bool equal =
        a->kind == b->kind && a->lo == b->lo && a->hi == b->hi && a->file_count == b->file_count;
    for (size_t i = 0; i < a->file_count && equal; ++i)
        equal = strcmp(a->files[i], b->files[i]) == 0;
    return equal && ht_init_parts_equal(a, b);
}

bool ht_arg_equal(const ht_arg *a, const ht_arg *b) {
    if (strcmp(a->name, b->name) != 0 || a->role != b->role || a->partial != b->partial ||
        strcmp(a->type, b->type) != 0 || !ht_expr_equal(a->extent, b->extent) ||
        a->is_struct != b->is_struct || a->is_pointed != b->is_pointed ||
        a->value_count != b->value_count || a->is_real != b->is_real || a->real != b->real ||
        !init_equal(&a->init, &b->init))
        return false;
    for (size_t i = 0; i < a->value_count; ++i)
        if (!ht_expr_equal(a->values[i], b->values[i]))
            return false;
    return true;
}

static void print_init(const ht_init *init, ht_text *out) {
    static const char *const names[] = {"", "uniform", "integers", "fill", "zero", "iota", "file"};
    if (init->kind == HT_INIT_DEFAULT)
        return;
    if (init->kind == HT_INIT_RECORDS) {
        ht_init_records_print(init, out);
        return;
    }
    ht_text_printf(out, " %s", names[init->kind]);
    if (init->kind == HT_INIT_ZERO || init->kind == HT_INIT_IOTA)
        return;
    ht_text_append(out, "(");
    for (size_t i = 0; i < init->file_count; ++i)
        ht_text_printf(out, "%s\"%s\"", i > 0 ? ", " : "", init->files[i]);
    if (init->kind != HT_INIT_FILE)
        ht_real_print(init->lo, out);
    if (init->kind != HT_INIT_FILL && init->kind != HT_INIT_FILE) {
        ht_text_append(out, ", ");
        ht_real_print(init->hi, out);
    }
    ht_text_append(out, ")");
}

static void print_value(const ht_arg *arg, ht_text *out) {
    ht_text real = {0};
    if (!arg->is_real) {
        if (arg->value_count > 1)
            ht_text_append(out, "(");
        for (size_t i = 0; i < arg->value_count; ++i) {
            if (i)
                ht_text_append(out, ", ");
            ht_expr_print(arg->values[i], out);
        }
        if (arg->value_count > 1)
            ht_text_append(out, ")");
        return;
    }
    ht_real_print(arg->real, &real);
    ht_text_append(out, real.data);
    if (!strpbrk(real.data, ".e"))
        ht_text_append(out, ".0"); /* or it would read as an integer */
    ht_text_free(&real);
}

void ht_arg_print(const ht_arg *arg, ht_text *out) {
    static const char *const roles[] = {"in", "out", "inout", "temp", "constant"};
    ht_text_printf(out, "%s : ", arg->name);
    if (arg->is_struct) {
        ht_text_printf(out, "%sstruct %s", arg->is_pointed ? "in " : "", arg->type);
        return;
    }
    if (arg->role == HT_ARG_SCALAR) {
        ht_text_printf(out, "%s = ", arg->type);
        print_value(arg, out);
        return;
    }
    ht_text_printf(out, "%s %s%s[", roles[arg->role], arg->partial ? "partial " : "", arg->type);
    ht_expr_print(arg->extent, out);
    ht_text_append(out, "]");
    print_init(&arg->init, out);
}

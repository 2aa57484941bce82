/* Polynomials as C. */
#include "refactor/staging/stage.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct printer {
    const ht_stage *stage;
    ht_stage *noting; /* arguments are template constants, which it notes; NULL: they are names */
    ht_text *out;
} printer;

static bool print_poly(const printer *in, const ht_poly *poly, bool more);

size_t ht_stage_coordinate(ht_kernel_model *km, size_t dimension) {
    char *name = ht_format("{coordinate %zu}", dimension);
    ht_km_symbol symbol = {.kind = HT_KM_ARGUMENT,
                           .scope = HT_SCOPE_LAUNCH,
                           .axis = -1 - (int)dimension,
                           .name = name,
                           .cursor = clang_getNullCursor()};
    size_t index = ht_poly_symbol(&km->pool, &symbol);
    free(name);
    return index;
}

static bool print_both(const printer *in, const ht_km_symbol *symbol, const char *operator) {
    bool done = true;
    ht_text_append(in->out, "(");
    for (int i = 0; i < 2 && done; ++i) {
        const ht_poly *operand = symbol->operands[i];
        bool atom = operand->count == 1 && operand->terms[0].count <= 1 &&
                    (operand->terms[0].coefficient == 1 || operand->terms[0].count == 0);
        ht_text_append(in->out, i ? operator: "");
        ht_text_append(in->out, atom ? "" : "(");
        done = print_poly(in, operand, false);
        ht_text_append(in->out, atom ? "" : ")");
    }
    ht_text_append(in->out, ")");
    return done;
}

/* min((int)(x + k), 0): sums of unlike kinds of numbers would not do. */
static bool print_end(const printer *in, const ht_km_symbol *symbol) {
    bool done = strcmp(in->stage->type, "int") == 0 && !in->noting;
    ht_text_append(in->out, symbol->kind == HT_KM_MIN ? "min(" : "max(");
    for (int i = 0; i < 2 && done; ++i) {
        const ht_poly *operand = symbol->operands[i];
        int64_t value;
        bool plain = ht_poly_is_constant(operand, &value);
        if (operand->count == 1 && operand->terms[0].count == 1 &&
            operand->terms[0].coefficient == 1) {
            const ht_km_symbol *inner = &in->stage->km->pool.symbols[operand->terms[0].symbols[0]];
            plain = inner->kind == HT_KM_MIN || inner->kind == HT_KM_MAX;
        }
        ht_text_append(in->out, i ? ", " : "");
        ht_text_append(in->out, plain ? "" : "(int)(");
        done = print_poly(in, operand, false);
        ht_text_append(in->out, plain ? "" : ")");
    }
    ht_text_append(in->out, ")");
    return done;
}

/* A local of the kernel may hide the argument. */
static bool is_hidden(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->local_count; ++i)
        if (strcmp(model->locals[i].name, name) == 0)
            return true;
    return false;
}

/* Unsigned sums would wrap, and compare otherwise than int's. */
static bool is_int(const ht_km_symbol *symbol, const ht_parameter *parameter) {
    CXCursor named = strchr(symbol->name, '.') ? symbol->cursor : parameter->cursor;
    CXType type = clang_getCanonicalType(clang_getCursorType(named));
    return type.kind == CXType_Int || type.kind == CXType_Short || type.kind == CXType_Bool ||
           type.kind == CXType_SChar;
}

static bool print_argument(const printer *in, const ht_km_symbol *symbol) {
    const ht_model *model = in->stage->km->facts;
    if (symbol->axis < 0) {
        size_t d = (size_t)(-1 - symbol->axis);
        const char *name = d < HT_STAGE_DIMENSIONS_MAX
                               ? in->stage->coordinate_names[d]
                               : in->stage->output_names[d - HT_STAGE_DIMENSIONS_MAX];
        ht_text_append(in->out, name ? name : "");
        return name != NULL;
    }
    size_t length = strcspn(symbol->name, ".");
    const ht_parameter *parameter = NULL;
    for (size_t i = 0; i < model->parameter_count; ++i)
        if (strlen(model->parameters[i].name) == length &&
            strncmp(model->parameters[i].name, symbol->name, length) == 0)
            parameter = &model->parameters[i];
    if (!parameter || parameter->is_assigned || is_hidden(model, parameter->name))
        return false;
    if (in->noting) {
        const ht_stage_frame *frame = in->stage->frame;
        const char *constant =
            symbol->name[length] ? NULL : frame->constant(frame->context, symbol->name);
        if (!constant)
            return false;
        bool known = false;
        for (size_t i = 0; i < in->noting->constant_count; ++i)
            known = known || strcmp(in->noting->constants[i], constant) == 0;
        if (!known && in->noting->constant_count < HT_STAGE_LOOPS_MAX)
            in->noting->constants[in->noting->constant_count++] = constant;
        ht_text_append(in->out, constant);
        return true;
    }
    for (const char *at = symbol->name; *at; ++at)
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '.')
            return false;
    if (!is_int(symbol, parameter))
        ht_text_printf(in->out, "(%s)", in->stage->type);
    ht_text_append(in->out, symbol->name);
    return true;
}

/* The iteration's number by the counter: counter - first. */
static bool print_iteration(const printer *in, const ht_km_loop *loop) {
    int64_t value;
    if (!loop->normal || !loop->counter[0] || !ht_poly_is_constant(loop->step, &value) ||
        (value != 1 && value != -1) || in->noting)
        return false;
    bool down = value < 0;
    if (!down && ht_poly_is_constant(loop->first, &value) && value == 0) {
        ht_text_append(in->out, loop->counter);
        return true;
    }
    ht_text_append(in->out, "(");
    if (!down)
        ht_text_append(in->out, loop->counter);
    const ht_poly *first = loop->first;
    if (!down)
        first =
            ht_poly_add(&in->stage->km->pool, ht_poly_constant(&in->stage->km->pool, 0), first, -1);
    bool done = first && print_poly(in, first, !down);
    ht_text_printf(in->out, down ? " - %s)" : ")", loop->counter);
    return done;
}

static bool print_symbol(const printer *in, size_t index) {
    static const char *const builtins[] = {
        [HT_KM_BLOCK] = "blockIdx", [HT_KM_BLOCK_DIM] = "blockDim", [HT_KM_GRID_DIM] = "gridDim"};
    const ht_km_symbol symbol = in->stage->km->pool.symbols[index];
    char axis = (char)('x' + symbol.axis);
    switch (symbol.kind) {
    case HT_KM_BLOCK:
    case HT_KM_BLOCK_DIM:
    case HT_KM_GRID_DIM:
        ht_text_printf(in->out, "(int)%s.%c", builtins[symbol.kind], axis);
        return !in->noting;
    case HT_KM_ORIGIN:
        ht_text_printf(in->out, "(int)(blockIdx.%c * blockDim.%c)", axis, axis);
        return !in->noting;
    case HT_KM_ARGUMENT:
        return print_argument(in, &symbol);
    case HT_KM_LOOP:
        return print_iteration(in, &in->stage->km->loops[symbol.loop]);
    case HT_KM_QUOTIENT:
        return print_both(in, &symbol, " / ");
    case HT_KM_REMAINDER:
        return print_both(in, &symbol, " % ");
    case HT_KM_SUM:
    case HT_KM_PRODUCT:
        ht_text_append(in->out, "(");
        bool done = print_poly(in, symbol.operands[0], false);
        ht_text_append(in->out, ")");
        return done;
    case HT_KM_MIN:
    case HT_KM_MAX:
        return print_end(in, &symbol);
    default:
        return false;
    }
}

static bool print_term(const printer *in, const ht_term *term, bool first) {
    int64_t factor = term->coefficient;
    bool done = true;
    ht_text_append(in->out, first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
    factor = factor < 0 ? -factor : factor;
    for (size_t i = 0; i < term->count && done; ++i) {
        ht_text_append(in->out, i ? " * " : "");
        done = print_symbol(in, term->symbols[i]);
    }
    if (term->count == 0)
        ht_text_printf(in->out, "%lld", (long long)factor);
    else if (factor != 1)
        ht_text_printf(in->out, " * %lld", (long long)factor);
    return done;
}

/* Outputs' indices by name, with the part of the block that belongs to them. */
static const ht_poly *name_outputs(const ht_stage *stage, const ht_poly *poly) {
    ht_poly_pool *pool = &stage->km->pool;
    for (int axis = 0; axis < 3 && poly; ++axis) {
        const ht_poly *output = ht_stage_output(stage, axis);
        for (size_t i = 0; i < poly->count && stage->output_names[axis]; ++i) {
            const ht_term term = poly->terms[i];
            if (term.count != 1 || pool->symbols[term.symbols[0]].kind != HT_KM_THREAD ||
                pool->symbols[term.symbols[0]].axis != axis)
                continue;
            size_t named = ht_stage_coordinate(stage->km, HT_STAGE_DIMENSIONS_MAX + (size_t)axis);
            poly = ht_poly_add(pool, poly, output, -term.coefficient);
            poly = poly ? ht_poly_add(pool, poly, ht_poly_of(pool, named), term.coefficient) : NULL;
            break;
        }
    }
    return poly;
}

/* Positive terms with symbols, then negative ones, then the constant. */
static bool print_poly(const printer *in, const ht_poly *poly, bool more) {
    bool first = !more, done = true;
    poly = name_outputs(in->stage, poly);
    if (!poly)
        return false;
    for (int pass = 0; pass < 3; ++pass)
        for (size_t i = 0; i < poly->count && done; ++i) {
            const ht_term *term = &poly->terms[i];
            if ((term->count == 0 ? 2 : term->coefficient < 0) != pass)
                continue;
            done = print_term(in, term, first);
            first = false;
        }
    if (first)
        ht_text_append(in->out, "0");
    return done;
}

bool ht_stage_print(const ht_stage *stage, const ht_poly *poly, ht_text *out) {
    printer in = {stage, NULL, out};
    return print_poly(&in, poly, false);
}

bool ht_stage_print_more(const ht_stage *stage, const ht_poly *poly, ht_text *out) {
    printer in = {stage, NULL, out};
    return print_poly(&in, poly, true);
}

bool ht_stage_print_constant(ht_stage *stage, const ht_poly *poly, ht_text *out) {
    printer in = {stage, stage, out};
    return print_poly(&in, poly, false);
}

bool ht_stage_print_constant_more(ht_stage *stage, const ht_poly *poly, ht_text *out) {
    printer in = {stage, stage, out};
    return print_poly(&in, poly, true);
}

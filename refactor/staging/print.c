#include "refactor/staging/print.h"
#include "refactor/staging/clamp.h"
#include "refactor/staging/stage.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct printer {
    const ht_stage *stage;
    /* notes the arguments, which are template constants; NULL: arguments are names */
    ht_stage *noting;
    ht_text *out;
} printer;

static bool print_poly(const printer *in, const ht_poly *poly, bool more);

size_t ht_stage_coordinate(ht_kernel_model *km, size_t dimension) {
    char *name = ht_format("{coordinate %zu}", dimension);
    ht_km_symbol symbol = {.kind = HT_KM_ARGUMENT,
                           .scope = HT_SCOPE_LAUNCH,
                           .axis = -1 - (int)dimension,
                           .name = name};
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

/* Prints min((int)(x + k), 0), whose operands must have one type. */
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

/* Returns true if a local of the kernel hides the argument. */
static bool is_hidden(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->locals.count; ++i)
        if (strcmp(model->locals.items[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the name for a symbol of ht_stage_coordinate. */
static const char *named(const ht_stage *stage, size_t at) {
    if (at < HT_STAGE_OUTPUT)
        return stage->coordinate_names[at];
    if (at < HT_STAGE_AHEAD)
        return stage->output_names[at - HT_STAGE_OUTPUT];
    return at == HT_STAGE_AHEAD ? stage->ahead_name
                                : stage->km->loops[at - HT_STAGE_COUNTER].counter;
}

static bool print_argument(const printer *in, const ht_km_symbol *symbol) {
    const ht_model *model = in->stage->km->facts;
    if (symbol->axis < 0 && in->noting)
        return false;
    if (symbol->axis < 0) {
        size_t d = (size_t)(-1 - symbol->axis);
        const char *name = named(in->stage, d);
        ht_text_append(in->out, name ? name : "");
        return name != NULL;
    }
    size_t length = strcspn(symbol->name, ".");
    const ht_parameter *parameter = NULL;
    for (size_t i = 0; i < model->parameters.count; ++i)
        if (strlen(model->parameters.items[i].name) == length &&
            strncmp(model->parameters.items[i].name, symbol->name, length) == 0)
            parameter = &model->parameters.items[i];
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
    if (!symbol->is_int) /* unsigned sums would wrap, and compare differently */
        ht_text_printf(in->out, "(%s)", in->stage->type);
    ht_text_append(in->out, symbol->name);
    return true;
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

const ht_poly *ht_stage_name_output(const ht_stage *stage, const ht_poly *poly, int axis) {
    ht_poly_pool *pool = &stage->km->pool;
    const ht_poly *output = ht_stage_output(stage, axis);
    const ht_poly *name =
        ht_poly_of(pool, ht_stage_coordinate(stage->km, HT_STAGE_OUTPUT + (size_t)axis));
    for (size_t i = 0; i < poly->count; ++i) {
        const ht_term term = poly->terms[i];
        if (term.count != 1 || pool->symbols[term.symbols[0]].kind != HT_KM_THREAD ||
            pool->symbols[term.symbols[0]].axis != axis)
            continue;
        poly = ht_poly_add(pool, poly, output, -term.coefficient);
        return ht_poly_add(pool, poly, name, term.coefficient);
    }
    return poly;
}

/* Replaces iterations' numbers by the loops' counters: counter - first. NULL: a loop has no counter
 * that steps by one. */
static const ht_poly *name_counters(const ht_stage *stage, const ht_poly *poly) {
    ht_poly_pool *pool = &stage->km->pool;
    for (size_t l = 0; l < stage->km->loop_count && poly; ++l) {
        const ht_km_loop *loop = &stage->km->loops[l];
        int64_t step;
        if (!ht_poly_mentions(poly, loop->symbol))
            continue;
        if (!loop->normal || !loop->counter[0] || !ht_poly_is_constant(loop->step, &step) ||
            (step != 1 && step != -1))
            return NULL;
        size_t name = ht_stage_coordinate(stage->km, HT_STAGE_COUNTER + l);
        const ht_poly *past = ht_poly_add(pool, ht_poly_of(pool, name), loop->first, -1);
        if (step < 0)
            past = ht_poly_negate(pool, past);
        poly = past ? ht_stage_replace(stage->km, poly, loop->symbol, past) : NULL;
    }
    return poly;
}

const ht_poly *ht_stage_replace(ht_kernel_model *km, const ht_poly *poly, size_t symbol,
                                const ht_poly *by) {
    const ht_poly *sum = ht_poly_constant(&km->pool, 0);
    for (size_t i = 0; i < poly->count && sum; ++i) {
        ht_term term = poly->terms[i], rest;
        const ht_term divisor = {.coefficient = 1, .count = 1, .symbols = {symbol}};
        bool mentions = ht_term_divide(&term, &divisor, &rest);
        const ht_poly *part = ht_poly_make(&km->pool, mentions ? &rest : &term, 1);
        if (mentions)
            part = ht_poly_multiply(&km->pool, part, by);
        sum = ht_poly_add(&km->pool, sum, part, 1);
    }
    return sum;
}

static const ht_poly *name_all(const ht_stage *stage, const ht_poly *poly) {
    for (int axis = 0; axis < 3 && poly; ++axis)
        if (stage->output_names[axis])
            poly = ht_stage_name_output(stage, poly, axis);
    return poly ? name_counters(stage, poly) : NULL;
}

/* Prints positive terms with symbols, then negative ones, then the constant. */
static bool print_poly(const printer *in, const ht_poly *poly, bool more) {
    bool first = !more, done = true;
    poly = name_all(in->stage, poly);
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

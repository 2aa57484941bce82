/* The model of a bound template's space. */
#include "templates/space/code_expr.h"
#include "templates/space/space_model.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct builder {
    ht_space_model *model;
    ht_code_scope scope;
} builder;

static void add_dimensions(builder *b) {
    const ht_template *template = b->scope.binding->template;
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        double *numbers = ht_alloc(param->value_count, sizeof *numbers);
        const char **texts = ht_alloc(param->value_count, sizeof *texts);
        for (size_t v = 0; v < param->value_count; ++v) {
            numbers[v] = (double)param->values[v].number;
            texts[v] = param->values[v].text;
        }
        ht_space_model_add_dimension(b->model,
                                     &(ht_dimension){.name = param->name,
                                                     .kind = param->kind,
                                                     .value_count = param->value_count,
                                                     .numbers = numbers,
                                                     .texts = texts,
                                                     .default_index = param->default_index});
        free(numbers);
        free(texts);
    }
}

static char *print_node(const ht_node *node) {
    ht_expr expr = {.root = (ht_node *)node};
    return ht_expr_string(&expr);
}

static bool is_comparison(const ht_node *node) {
    return node->kind == HT_NODE_BINARY &&
           (node->op == HT_OP_EQUAL || node->op == HT_OP_NOT_EQUAL || node->op == HT_OP_LESS ||
            node->op == HT_OP_LESS_EQUAL || node->op == HT_OP_GREATER ||
            node->op == HT_OP_GREATER_EQUAL);
}

static bool is_numeric(const ht_node *node) {
    if (node->kind == HT_NODE_UNARY)
        return node->op != HT_OP_NOT;
    if (node->kind == HT_NODE_BINARY)
        return node->op != HT_OP_OR && node->op != HT_OP_AND && !is_comparison(node);
    if (node->kind == HT_NODE_CALL)
        return node->op != HT_FN_IS_POW2;
    return node->kind == HT_NODE_NAME || node->kind == HT_NODE_CONDITIONAL;
}

/* Adds the operands of comparisons and remainders with `first`, everything else without. */
static void add_terms(builder *b, const ht_node *node, bool prominent, bool first) {
    if (is_numeric(node) && prominent == first)
        ht_space_model_add_term(b->model, ht_code_expr(&b->scope, node), print_node(node));
    bool next =
        is_comparison(node) || (node->kind == HT_NODE_BINARY && node->op == HT_OP_REMAINDER);
    for (size_t i = 0; i < node->child_count; ++i)
        add_terms(b, node->children[i], next, first);
}

static uint32_t both(builder *b, uint32_t x, uint32_t y) {
    return ht_code_binary(b->scope.code, HT_CODE_BOTH, x, y);
}

static uint32_t within(builder *b, uint32_t value, int64_t least, int64_t most) {
    ht_code *code = b->scope.code;
    uint32_t low = ht_code_binary(code, HT_CODE_LESS_EQUAL, ht_code_whole(code, least), value);
    return both(b, low, ht_code_binary(code, HT_CODE_LESS_EQUAL, value, ht_code_whole(code, most)));
}

static int64_t least_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Adds the conditions of ht_binding_launch_fits. */
static void add_launch(builder *b, const ht_launch *launch) {
    const ht_device_fields *device = b->scope.binding->device;
    const ht_device_fields any = {.max_threads = INT64_MAX,
                                  .max_block_x = INT32_MAX,
                                  .max_block_y = INT32_MAX,
                                  .max_block_z = INT32_MAX,
                                  .max_grid_x = INT32_MAX,
                                  .max_grid_y = INT32_MAX,
                                  .max_grid_z = INT32_MAX,
                                  .max_dynamic_lds = INT32_MAX};
    const ht_device_fields *limits = device ? device : &any;
    const int64_t blocks[] = {limits->max_block_x, limits->max_block_y, limits->max_block_z};
    const int64_t grids[] = {limits->max_grid_x, limits->max_grid_y, limits->max_grid_z};
    ht_code *code = b->scope.code;
    uint32_t threads = ht_code_whole(code, 1);
    uint32_t source = ht_space_model_add_source(
        b->model, ht_format("the device's limits on the launch of %s", launch->kernel),
        launch->place);
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t one = ht_code_whole(code, 1);
        uint32_t block =
            launch->block[axis] ? ht_code_expr(&b->scope, launch->block[axis]->root) : one;
        uint32_t grid =
            launch->grid[axis] ? ht_code_expr(&b->scope, launch->grid[axis]->root) : one;
        uint32_t block_fits = within(b, block, 1, least_of(blocks[axis], INT32_MAX));
        uint32_t grid_fits = within(b, grid, 1, least_of(grids[axis], INT32_MAX));
        ht_space_model_require(b->model, block_fits, source);
        ht_space_model_require(b->model, grid_fits, source);
        uint32_t lanes = ht_code_binary(code, HT_CODE_MULTIPLY, block, grid);
        ht_space_model_require(b->model, within(b, lanes, 1, UINT32_MAX), source);
        threads = ht_code_binary(code, HT_CODE_MULTIPLY, threads, block);
    }
    ht_space_model_require(b->model, within(b, threads, 1, limits->max_threads), source);
    if (!launch->lds)
        return;
    uint32_t lds = ht_code_expr(&b->scope, launch->lds->root);
    ht_space_model_require(b->model,
                           within(b, lds, 0, least_of(limits->max_dynamic_lds, INT32_MAX)), source);
}

/* Adds threads a block as a product of what is written, and the bytes of LDS. */
static void add_launch_terms(builder *b, const ht_launch *launch) {
    ht_text text = {0};
    uint32_t threads = ht_code_whole(b->scope.code, 1);
    for (int axis = 0; axis < 3; ++axis) {
        if (!launch->block[axis])
            continue;
        const ht_node *node = launch->block[axis]->root;
        bool plain = node->kind == HT_NODE_NUMBER || node->kind == HT_NODE_NAME;
        char *part = print_node(node);
        ht_text_printf(&text, plain ? "%s%s" : "%s(%s)", text.length ? " * " : "", part);
        free(part);
        threads =
            ht_code_binary(b->scope.code, HT_CODE_MULTIPLY, threads, ht_code_expr(&b->scope, node));
    }
    ht_space_model_add_term(b->model, threads, ht_text_take(&text));
    if (launch->lds)
        ht_space_model_add_term(b->model, ht_code_expr(&b->scope, launch->lds->root),
                                ht_expr_string(launch->lds));
}

static void add_requires(builder *b) {
    const ht_template *template = b->scope.binding->template;
    for (size_t i = 0; i < template->require_count; ++i) {
        const ht_expr *expr = template->requires[i].expr;
        ht_place place = ht_expr_place(expr);
        char *text = ht_expr_string(expr);
        uint32_t source = ht_space_model_add_source(
            b->model,
            place.line ? ht_format("require(%s) in line %d", text, place.line)
                       : ht_format("require(%s)", text),
            place);
        free(text);
        ht_space_model_require(
            b->model,
            ht_code_unary(b->scope.code, HT_CODE_TRUTH, ht_code_expr(&b->scope, expr->root)),
            source);
    }
}

void ht_space_model_template(const ht_binding *binding, ht_space_model *out_model) {
    const ht_template *template = binding->template;
    *out_model = (ht_space_model){
        .subject = ht_format("kernel %s", template->name),
        .file = template->file ? ht_strdup(template->file) : NULL,
        .code = ht_code_new(),
    };
    out_model->place = (ht_place){.file = out_model->file, .line = template->line};
    builder b = {.model = out_model, .scope = {.binding = binding, .code = out_model->code}};
    add_dimensions(&b);
    add_requires(&b);
    for (size_t i = 0; i < template->launch_count; ++i)
        add_launch(&b, &template->launches[i]);
    for (int first = 1; first >= 0; --first) {
        for (size_t i = 0; i < template->require_count; ++i)
            add_terms(&b, template->requires[i].expr->root, false, first);
        for (size_t i = 0; first && i < template->launch_count; ++i)
            add_launch_terms(&b, &template->launches[i]);
    }
    ht_space_model_finish(out_model);
}

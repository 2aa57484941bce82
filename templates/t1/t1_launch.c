/* The launch that a T1 file declares: KernelSpecification.LocalSize, {"X": "block_size_x", ...},
 * and .GridDivX, ["block_size_x", "tile_size_x"], of which a block covers the product. A launch
 * that is more than products of parameters and whole numbers is passed over: a space needs none. */
#include "templates/space/space_model.h"
#include "templates/t1/python.h"

#include <string.h>

static bool factor_add(const ht_space_model *model, const char *name, ht_space_product *product) {
    size_t i = 0;
    while (i < model->dimension_count && strcmp(model->dimensions[i].name, name) != 0)
        ++i;
    if (i == model->dimension_count || product->count == HT_SPACE_FACTORS_MAX ||
        (model->dimensions[i].kind != HT_PARAM_INTEGER &&
         model->dimensions[i].kind != HT_PARAM_BOOLEAN))
        return false;
    product->factors[product->count++] = i;
    return true;
}

/* Multiplies a product by an expression; false: it is more than that. */
static bool node_multiply(const ht_space_model *model, const ht_python_node *node,
                          ht_space_product *product) {
    if (node->kind == HT_PYTHON_NAME)
        return factor_add(model, node->text, product);
    if (node->kind == HT_PYTHON_NUMBER && node->type == HT_CODE_WHOLE) {
        product->constant *= (double)node->number.whole;
        return true;
    }
    return node->kind == HT_PYTHON_BINARY && node->op == HT_PYTHON_MULTIPLY &&
           node_multiply(model, node->children[0], product) &&
           node_multiply(model, node->children[1], product);
}

static bool multiply(const ht_space_model *model, const json_t *given, ht_space_product *product) {
    ht_python_node *node = NULL;
    if (json_is_integer(given)) {
        product->constant *= (double)json_integer_value(given);
        return true;
    }
    if (!json_is_string(given) || ht_python_parse(json_string_value(given), &node, NULL) != HT_OK)
        return false;
    bool known = node_multiply(model, node, product);
    ht_python_free(node);
    return known;
}

/* Reads one axis; false: it is more than products. */
static bool axis_read(const ht_space_model *model, const json_t *kernel, int axis,
                      ht_space_launch *out) {
    static const char *const sizes[] = {"X", "Y", "Z"};
    static const char *const divisors[] = {"GridDivX", "GridDivY", "GridDivZ"};
    const json_t *size = json_object_get(json_object_get(kernel, "LocalSize"), sizes[axis]);
    const json_t *given = json_object_get(kernel, divisors[axis]);
    *out = (ht_space_launch){.block.constant = 1, .covered.constant = 1};
    if (size && !multiply(model, size, &out->block))
        return false;
    if (!json_array_size(given))
        out->covered = out->block;
    for (size_t i = 0; i < json_array_size(given); ++i)
        if (!multiply(model, json_array_get(given, i), &out->covered))
            return false;
    return true;
}

void ht_space_model_t1_launch(const json_t *root, ht_space_model *model) {
    const json_t *kernel = json_object_get(root, "KernelSpecification");
    bool known = true, searched = false;
    for (int axis = 0; known && axis < HT_SPACE_AXES; ++axis) {
        known = axis_read(model, kernel, axis, &model->launch[axis]);
        searched = searched || model->launch[axis].block.count > 0;
    }
    model->launches = known && searched;
}

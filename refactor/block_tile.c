/* block-size for kernels whose threads work together. */
#include "refactor/block_size.h"

void ht_block_tile_apply(const ht_model *model, ht_plan *plan) {
    ht_plan_remark_at(plan, HT_REMARK_MISSED, ht_ast_line(model->kernel),
                      "threads share memory; the block is not proved to be free");
}

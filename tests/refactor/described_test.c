/* The kinds of sources that the pass is made for, one look-alike and one test each: the
 * transformations that must be offered, the code that must stay as it is, the kernels that must be
 * refused, and why. */
#include "support.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct expectation {
    const char *file;
    const char *kernel;
    ht_kernel_status status;
    const char *transformations[8]; /* all must be there; NULL ends */
    const char *lines[8];           /* in the template's unit; NULL ends */
    const char *reason[4];          /* pieces of it; NULL ends */
} expectation;

static bool offers(const ht_kernel *kernel, const char *name) {
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        if (strcmp(kernel->transformations[i], name) == 0)
            return true;
    return false;
}

static void expect(expectation of) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open(of.file, &problems);
    const ht_kernel *kernel = kernel_named(refactor, of.kernel, NULL);
    cr_expect_eq(kernel->status, of.status, "%s: %s", of.kernel,
                 kernel->reason ? kernel->reason : "templated");
    for (size_t i = 0; i < 8 && of.transformations[i]; ++i)
        cr_expect(offers(kernel, of.transformations[i]), "%s: no %s", of.kernel,
                  of.transformations[i]);
    for (size_t i = 0; i < 8 && of.lines[i]; ++i)
        cr_expect(kernel->template && strstr(kernel->template->unit, of.lines[i]),
                  "%s: '%s' is not in %s", of.kernel, of.lines[i],
                  kernel->template ? kernel->template->unit : "no template");
    for (size_t i = 0; i < 4 && of.reason[i]; ++i)
        cr_expect(kernel->reason && strstr(kernel->reason, of.reason[i]), "%s: '%s' is not in %s",
                  of.kernel, of.reason[i], kernel->reason ? kernel->reason : "no reason");
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(described, a_filter_whose_width_is_a_template_argument) {
    expect((expectation){
        "tests/refactor/sources/mask_template.hip",
        "mask_filter",
        HT_KERNEL_TEMPLATED,
        {"block-size", "launch-bounds", "restrict", "unroll", "coarsen-x"},
        /* the constant memory keeps its extent */
        {"param(BLOCK_X", "param(BLOCK_Y", "param(UNROLL_MY", "param(UNROLL_MX", "weights[5 * 5]"},
        {NULL}});
}

Test(described, a_family_of_lines_of_any_element_type) {
    /* the block is an option of the program; the tile in dynamic shared memory stays */
    expect((expectation){"tests/refactor/sources/line_family.hip",
                         "line_plain",
                         HT_KERNEL_TEMPLATED,
                         {"block-size", "fixed-sizes"},
                         {"param(BLOCK_X", "param(WIDTH_SIZE", "T taps[MAX_WEIGHTS]"},
                         {NULL}});
    expect((expectation){"tests/refactor/sources/line_family.hip",
                         "line_halo",
                         HT_KERNEL_NEEDS_PROBLEM,
                         {NULL},
                         {NULL},
                         {NULL}});
}

Test(described, a_convolution_whose_tiles_are_counted_on_one_axis_of_the_grid) {
    expect((expectation){"tests/refactor/sources/grid_mappings.hip",
                         "batch_first",
                         HT_KERNEL_TEMPLATED,
                         {"fixed-sizes", "launch-bounds"},
                         {"param(K_SIZE", "param(C_SIZE", "#define TILE_EDGE 16"},
                         {NULL}});
}

Test(described, a_depthwise_pass_over_a_flat_index) {
    expect((expectation){"tests/refactor/sources/flat_depthwise.hip",
                         "depthwise_flat",
                         HT_KERNEL_NEEDS_PROBLEM,
                         {"block-size", "launch-bounds"},
                         {NULL},
                         {"input"}});
}

Test(described, a_line_with_a_halo_in_shared_memory) {
    expect((expectation){"tests/refactor/sources/halo_line.cu",
                         "halo_line",
                         HT_KERNEL_TEMPLATED,
                         {"block-size", "launch-bounds", "unroll"},
                         {"param(THREADS", "param(UNROLL_O", "256 % THREADS == 0"},
                         {NULL}});
}

Test(described, pooling_by_blocks_of_literals) {
    expect((expectation){"tests/refactor/sources/pool3d.hip",
                         "pool3d",
                         HT_KERNEL_TEMPLATED,
                         {"block-size", "fixed-sizes", "coarsen-x", "register-tile"},
                         {"param(BLOCK_X", "param(BLOCK_Y", "param(BLOCK_Z", "param(COARSEN_X",
                          "param(POOLH_SIZE", "param(POOLW_SIZE"},
                         {NULL}});
}

Test(described, a_stencil_in_a_header_with_a_block_from_the_command_line) {
    expect((expectation){"tests/refactor/sources/stencil7.hpp",
                         "stencil7",
                         HT_KERNEL_TEMPLATED,
                         {"block-size", "coarsen-x", "register-tile"},
                         {"param(BLOCK_X", "param(BLOCK_Y", "param(BLOCK_Z", "param(COARSEN_X",
                          "param(COARSEN_Y", "param(COARSEN_Z"},
                         {NULL}});
}

Test(described, old_spelling_and_loops_that_begin_at_the_index) {
    expect((expectation){"tests/refactor/sources/old_spelling.cpp",
                         "flat_convolution",
                         HT_KERNEL_TEMPLATED,
                         {"block-size"},
                         {NULL},
                         {NULL}});
}

/* Its block has another size in other builds, which the tuned launch would not know. */
Test(described, a_grid_stride_loop_that_a_macro_writes) {
    expect((expectation){"tests/refactor/sources/stride_macro.hip",
                         "unfold_kernel",
                         HT_KERNEL_TEMPLATED,
                         {"unroll", "waves-per-eu"},
                         {"param(UNROLL_J", "STRIDE_LOOP(index, n)"},
                         {NULL}});
}

Test(described, kernels_that_token_pasting_writes) {
    expect((expectation){"tests/refactor/sources/pasted.hip",
                         "conv_fwd_nchw_float_float",
                         HT_KERNEL_NEEDS_PROBLEM,
                         {NULL},
                         {NULL},
                         {"a launch of it"}});
}

Test(described, parameters_under_ifndef_are_recognised) {
    static const char file[] = "tests/refactor/sources/macro_parameters.cu";
    expect((expectation){file,
                         "tuned_convolution",
                         HT_KERNEL_REFUSED,
                         {NULL},
                         {NULL},
                         {"parameterized already", "block_w (16)", "per_thread_x (1)"}});
    expect((expectation){file,
                         "plain_convolution",
                         HT_KERNEL_REFUSED,
                         {NULL},
                         {NULL},
                         {"parameterized already", "block_w (16)"}});
}

/* Its block is full of literals, but several of them may be one. */
Test(described, a_relaxation_whose_blocks_are_joined_as_they_are) {
    expect((expectation){"tests/refactor/sources/shuffle_reduce.hip",
                         "relax_step",
                         HT_KERNEL_TEMPLATED,
                         {"block-size"},
                         {"#pragma tune param(BLOCK_Z : 1, 2, 4 = 1)"},
                         {NULL}});
}

#include "benchmarks/loop/subjects.h"

/* Sizes of GPUs are those of a 13B model with 64 tokens, and of a layer of a convolution network;
 * the host's are small ones of the same kind. */
const loop_subject loop_subjects[] = {
    {"silu_and_mul", "benchmarks/loop/kernels/silu_and_mul.hip", "silu_and_mul",
     "benchmarks/loop/rewrites/silu_and_mul.hip", "{\"TOKENS\": 16, \"D\": 1376}",
     "{\"TOKENS\": 64, \"D\": 13824}"},
    {"fused_add_rmsnorm", "benchmarks/loop/kernels/fused_add_rmsnorm.hip", "fused_add_rmsnorm",
     "benchmarks/loop/rewrites/fused_add_rmsnorm.hip", "{\"TOKENS\": 16, \"HIDDEN\": 1024}",
     "{\"TOKENS\": 64, \"HIDDEN\": 5120}"},
    {"merge_attn_states_lse", "benchmarks/loop/kernels/merge_attn_states_lse.hip",
     "merge_attn_states_lse", "benchmarks/loop/rewrites/merge_attn_states_lse.hip",
     "{\"TOKENS\": 8, \"HEADS\": 8, \"SIZE\": 128}",
     "{\"TOKENS\": 64, \"HEADS\": 40, \"SIZE\": 128}"},
    {"depthwise", "examples/kernels/depthwise.hip", "DepthwiseConv3x3",
     "benchmarks/loop/rewrites/depthwise.hip",
     "{\"N\": 1, \"C\": 32, \"H\": 56, \"W\": 56, \"K\": 32, \"R\": 3, \"S\": 3, \"pad\": 1, "
     "\"groups\": 32}",
     "{\"N\": 4, \"C\": 128, \"H\": 56, \"W\": 56, \"K\": 128, \"R\": 3, \"S\": 3, \"pad\": 1, "
     "\"groups\": 128}"},
    {"blur_rows", "examples/kernels/separable.hip", "blur::blurRows",
     "benchmarks/loop/rewrites/blur_rows.hip", "{\"W\": 480, \"H\": 270}",
     "{\"W\": 1920, \"H\": 1080}"},
    {"conv2d", "examples/kernels/conv2d_direct.hip", "conv2d",
     "benchmarks/loop/rewrites/conv2d.hip",
     "{\"N\": 1, \"C\": 16, \"H\": 34, \"W\": 34, \"K\": 32, \"R\": 3, \"S\": 3}",
     "{\"N\": 1, \"C\": 32, \"H\": 58, \"W\": 58, \"K\": 64, \"R\": 3, \"S\": 3}"},
    {"conv_nhwc", "examples/kernels/conv2d_nhwc.hip", "ConvNHWC",
     "benchmarks/loop/rewrites/conv_nhwc.hip",
     "{\"N\": 1, \"C\": 16, \"H\": 14, \"W\": 14, \"K\": 32, \"R\": 3, \"S\": 3, \"pad\": 1}",
     "{\"N\": 1, \"C\": 64, \"H\": 28, \"W\": 28, \"K\": 128, \"R\": 3, \"S\": 3, \"pad\": 1}"},
    {"conv1x1", "examples/kernels/conv1x1.hip", "conv1x1_bias_relu",
     "benchmarks/loop/rewrites/conv1x1.hip",
     "{\"N\": 1, \"C\": 32, \"H\": 28, \"W\": 28, \"K\": 32, \"R\": 1, \"S\": 1}",
     "{\"N\": 1, \"C\": 64, \"H\": 56, \"W\": 56, \"K\": 256, \"R\": 1, \"S\": 1}"},
    {"filter_image", "examples/kernels/filter_constant.hip", "filter_image",
     "benchmarks/loop/rewrites/filter_image.hip", "{\"W\": 320, \"H\": 200}",
     "{\"W\": 1920, \"H\": 1080}"},
};
const size_t loop_subject_count = sizeof loop_subjects / sizeof *loop_subjects;

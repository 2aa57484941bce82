#include "tests/refactor/generated/generated.h"

#include <stdlib.h>

static void about(const gen_choice *choice, ht_text *out) {
    static const char *const operations[] = {"convolution", "depthwise", "filter", "maximum",
                                             "star"},
                             *const paddings[] = {"valid", "tested", "clamped", "padded",
                                                  "interior"},
                             *const guards[] = {"return", "wrapped", "per axis", "exact"},
                             *const forms[] = {"literal", "macro", "constexpr", "template",
                                               "argument"},
                             *const sources[] = {"global", "block", "combined",
                                                 "loop",   "rows",  "flat"};
    ht_text_printf(out, "%d-D %s of %s, %s, window %s, %s, guard %s%s%s%s, %s;", choice->dimensions,
                   operations[choice->operation], choice->type, paddings[choice->padding],
                   forms[choice->window[0].form],
                   !choice->channels ? "flat"
                   : choice->nhwc    ? "NHWC"
                                     : "NCHW",
                   guards[choice->guard], choice->stride > 1 ? ", stride 2" : "",
                   choice->dilation > 1 ? ", dilation 2" : "",
                   choice->window_first ? ", window first" : "", choice->index_type);
    for (int i = 0; i < choice->coordinate_count; ++i)
        ht_text_printf(out, " %s %s", choice->coordinates[i].name,
                       sources[choice->coordinates[i].from]);
}

void generated_make(uint64_t number, generated *out) {
    gen_choice choice;
    ht_text source = {0}, problem = {0}, words = {0};
    gen_choose(number, &choice);
    about(&choice, &words);
    ht_text_printf(&source, "// %s\n#include <hip/hip_runtime.h>\n\n", words.data);
    gen_print_constants(&choice, &source);
    gen_print_kernel(&choice, &source);
    gen_print_host(&choice, &source);
    if (!choice.inferred)
        gen_print_problem(&choice, &problem);
    *out = (generated){ht_text_take(&source), problem.length ? ht_text_take(&problem) : NULL,
                       ht_text_take(&words)};
    ht_text_free(&problem);
}

void generated_free(generated *made) {
    free(made->source);
    free(made->problem);
    free(made->about);
    *made = (generated){0};
}

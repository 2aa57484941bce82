#include "runtime/amd/clang/build.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/tool.h"
#include "runtime/amd/clang/program.h"
#include "runtime/amd/clang/route.h"

#include <stdlib.h>
#include <string.h>

enum { COMPILE_SECONDS = 600, CODE_MAX = 256 << 20, INTERNAL = 11 };

typedef struct words {
    char **items; /* owned */
    size_t count;
} words;

static void word_add(words *to, char *word) {
    HT_GROW(to->items, to->count);
    to->items[to->count++] = word;
}

static void words_free(words *list) {
    ht_strings_free(list->items, list->count);
}

static void library_add(words *to, const ht_amd_clang *clang, const char *name) {
    word_add(to, ht_strdup("-Xclang"));
    word_add(to, ht_strdup("-mlink-builtin-bitcode"));
    word_add(to, ht_strdup("-Xclang"));
    word_add(to, ht_format("%s/%s.bc", clang->bitcode, name));
}

static const char *arch_of(const char *const *options, size_t count) {
    static const char mark[] = "--offload-arch=";
    for (size_t i = 0; i < count; ++i)
        if (strncmp(options[i], mark, strlen(mark)) == 0)
            return options[i] + strlen(mark);
    return "";
}

/* Adds the device libraries with hiprtc's settings: denormals, infinities, exact roots. They pick
 * instructions by the generation alone, for which the newest that is there stands in. */
static void libraries_add(words *to, const ht_amd_clang *clang, const char *arch) {
    static const char *const common[] = {"hip",
                                         "ocml",
                                         "ockl",
                                         "oclc_daz_opt_off",
                                         "oclc_finite_only_off",
                                         "oclc_unsafe_math_off",
                                         "oclc_correctly_rounded_sqrt_on",
                                         "oclc_abi_version_400"};
    const bool gfx9 = strncmp(arch, "gfx9", 4) == 0;
    for (size_t i = 0; i < sizeof common / sizeof *common; ++i)
        library_add(to, clang, common[i]);
    library_add(to, clang, gfx9 ? "oclc_wavefrontsize64_on" : "oclc_wavefrontsize64_off");
    char *own = ht_format("oclc_isa_version_%s", arch + strlen("gfx"));
    char *path = ht_format("%s/%s.bc", clang->bitcode, own);
    const char *like = gfx9 ? "oclc_isa_version_90a" : "oclc_isa_version_1030";
    library_add(to, clang, ht_file_exists(path) ? own : like);
    free(path);
    free(own);
}

static char **arguments_make(const ht_amd_clang *clang, const char *folder,
                             const char *const *options, size_t count, words *list) {
    static const char *const basic[] = {"-x",
                                        "hip",
                                        "--cuda-device-only",
                                        "-nogpulib",
                                        "-nogpuinc",
                                        "--no-gpu-bundle-output",
                                        "-mcode-object-version=4",
                                        "-fno-color-diagnostics",
                                        "-D__HIPCC_RTC__"};
    word_add(list, ht_strdup(clang->clang));
    for (size_t i = 0; i < sizeof basic / sizeof *basic; ++i)
        word_add(list, ht_strdup(basic[i]));
    word_add(list, ht_format("-fuse-ld=%s", clang->linker));
    word_add(list, ht_format("-I%s/include", folder));
    word_add(list, ht_strdup("-include"));
    word_add(list, ht_format("%s/hiprtc.h", folder));
    for (size_t i = 0; i < count; ++i)
        if (strcmp(options[i], HT_AMD_CLANG_OPTION) != 0)
            word_add(list, ht_strdup(options[i]));
    libraries_add(list, clang, arch_of(options, count));
    word_add(list, ht_strdup("-o"));
    word_add(list, ht_format("%s/code.o", folder));
    word_add(list, ht_format("%s/unit.hip", folder));
    word_add(list, NULL);
    return list->items;
}

static ht_status put(const char *folder, const char *name, const char *text, ht_error *error) {
    char *path = ht_path_join(folder, name), *parent = ht_path_folder(path);
    ht_status status = ht_dir_make(parent, error);
    if (status == HT_OK)
        status = ht_file_write(path, text, strlen(text), error);
    free(parent);
    free(path);
    return status;
}

/* The text that hiprtc itself puts in front is no place for warnings. */
static ht_status header_put(const ht_amd_clang *clang, const char *folder, ht_error *error) {
    char *text = ht_format("#pragma clang system_header\n%s\n", clang->header);
    ht_status status = put(folder, "hiprtc.h", text, error);
    free(text);
    return status;
}

static ht_status unit_put(const ht_amd_clang_unit *unit, const char *folder, ht_error *error) {
    ht_text text = {0};
    ht_text_printf(&text, "#line 1 \"%s\"\n", unit->name);
    ht_text_append(&text, unit->source);
    ht_text_append(&text, "\n");
    for (size_t i = 0; i < unit->expression_count; ++i)
        ht_text_printf(&text,
                       "#line 1 \"%s\"\nextern \"C\" { __device__ __attribute__((used)) auto "
                       "__hiprtc_%zu = %s; }\n",
                       unit->name, i + 1, unit->expressions[i]);
    ht_status status = put(folder, "unit.hip", text.data, error);
    for (size_t i = 0; i < unit->header_count && status == HT_OK; ++i) {
        char *name = ht_format("include/%s", unit->include_names[i]);
        if (strstr(name, ".."))
            status = ht_error_set(error, HT_ERROR_INPUT, "header name '%s' leads out of its folder",
                                  unit->include_names[i]);
        else
            status = put(folder, name, unit->headers[i], error);
        free(name);
    }
    ht_text_free(&text);
    return status;
}

static hiprtcResult run(const ht_amd_clang *clang, const char *folder, const char *const *options,
                        size_t count, ht_text *log, ht_error *error) {
    words list = {0};
    int code = -1;
    const char *const *arguments =
        (const char *const *)arguments_make(clang, folder, options, count, &list);
    ht_tool_call call = {.arguments = arguments, .seconds = COMPILE_SECONDS};
    ht_tool_want_large_pages(&call);
    ht_status status = ht_tool_run(&call, log, &code, error);
    words_free(&list);
    if (status != HT_OK || code >= 128)
        return INTERNAL;
    return code == 0 ? HT_HIPRTC_SUCCESS : HT_HIPRTC_ERROR_COMPILATION;
}

hiprtcResult ht_amd_clang_build(const ht_amd_clang_unit *unit, const char *const *options,
                                size_t option_count, char **out_code, size_t *out_size,
                                ht_text *log) {
    const ht_amd_clang *clang;
    ht_scratch scratch = {0};
    ht_error error = {0};
    hiprtcResult result = INTERNAL;
    ht_status status = ht_amd_clang_find(&clang, &error);
    if (status == HT_OK)
        status = ht_scratch_make("clang", &scratch, &error);
    if (status == HT_OK)
        status = header_put(clang, scratch.path, &error);
    if (status == HT_OK)
        status = unit_put(unit, scratch.path, &error);
    if (status == HT_OK)
        result = run(clang, scratch.path, options, option_count, log, &error);
    if (result == HT_HIPRTC_SUCCESS) {
        char *path = ht_path_join(scratch.path, "code.o");
        if (ht_file_read(path, CODE_MAX, out_code, out_size, &error) != HT_OK)
            result = INTERNAL;
        free(path);
    }
    if (error.status)
        ht_text_printf(log, "error: %s%s%s\n", error.file, *error.file ? ": " : "", error.message);
    ht_scratch_remove(&scratch);
    return result;
}

#include "tests/refactor/coarsen/harness.h"
#include "refactor/kernel/model_build.h"
#include "refactor/plan/launch_tiles.h"
#include "refactor/plan/render.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kernels {
    const ht_source *source;
    CXCursor *items;
    size_t count;
} kernels;

static bool on_kernel(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    kernels *list = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return true;
    bool function = kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate;
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (!function || !clang_isCursorDefinition(cursor) || !file ||
        !clang_File_isEqual(file, list->source->files[0].file))
        return false;
    bool global = false;
    ht_cursors children = ht_ast_children(cursor);
    for (size_t i = 0; i < children.count; ++i)
        global |= clang_getCursorKind(children.items[i]) == CXCursor_CUDAGlobalAttr;
    free(children.items);
    if (global) {
        HT_GROW(list->items, list->count);
        list->items[list->count++] = cursor;
    }
    return false;
}

/* Runs the transformations; additions of one that then gives up are taken back. */
static bool run_list(const ht_transformation *const *list, const ht_model *model, ht_plan *plan) {
    bool done = true;
    for (; *list; ++list) {
        size_t covers = plan->covers.count, params = plan->params.count;
        plan->running.transformation = (*list)->name;
        plan->running.failed = plan->running.abandoned = false;
        (*list)->apply(model, plan);
        done = done && !plan->running.failed;
        while (plan->running.abandoned && plan->covers.count > covers)
            free(plan->covers.items[--plan->covers.count].param);
        for (; plan->running.abandoned && params < plan->params.count; ++params)
            plan->params.items[params].name[0] = 0;
    }
    return done;
}

/* A configuration of the plan's parameters; the outputs of a thread and their distance, and all
 * else off. */
typedef struct chosen {
    unsigned factor;
    bool strided;
} chosen;

static const chosen *applied; /* NULL: the template is rendered */

/* Renders the kernel with the chosen values. Returns what ht_plan_render does. */
static char *render_applied(const ht_plan *plan, ht_range range, ht_text *out) {
    ht_param params[HT_PARAM_MAX] = {0};
    ht_param_value values[HT_PARAM_MAX] = {0};
    ht_config config = {0};
    ht_template template = {.params = params};
    for (size_t i = 0; i < plan->params.count; ++i) {
        const char *name = plan->params.items[i].name;
        bool factor = strcmp(name, "COARSEN_X") == 0;
        bool strided = strcmp(name, "COARSEN_X_STRIDED") == 0;
        values[i].number = factor ? applied->factor : strided ? applied->strided : 0;
        values[i].number += strcmp(name, "VECTOR_OUTPUTS") == 0;
        params[i] = (ht_param){
            .name = (char *)name, .values = &values[i], .value_count = 1, .default_index = factor};
    }
    config.count = (uint16_t)plan->params.count;
    template.param_count = plan->params.count;
    return ht_plan_render(plan, range, &(ht_values){.template = &template, .config = &config}, out);
}

static outcome run_one(const ht_transformation *const *list, const ht_source *source,
                       CXCursor kernel, ht_range *out_range, ht_text *out_text) {
    ht_model model;
    ht_plan plan;
    ht_model_build(source, kernel, NULL, &model);
    ht_plan_init(&plan, &model);
    bool done = run_list(list, &model, &plan);
    outcome result = {.kernel = ht_strdup(model.name)};
    for (size_t i = 0; i < plan.remarks.count; ++i) {
        const ht_remark *remark = &plan.remarks.items[i];
        if (remark->kind == HT_REMARK_APPLIED)
            result.applied = done;
        else if (remark->kind == HT_REMARK_NOTE && !result.note)
            result.note = ht_strdup(remark->message);
        else if (remark->kind == HT_REMARK_MISSED) {
            free(result.reason);
            result.reason = ht_strdup(remark->message);
            result.line = remark->line;
            result.column = remark->column;
        }
    }
    for (size_t i = 0; i < plan.covers.count; ++i)
        result.covers[plan.covers.items[i].axis] = true;
    for (size_t i = 0; i < plan.params.count; ++i)
        if (strncmp(plan.params.items[i].name, "TILE_", 5) == 0)
            result.plain = ht_strdup(plan.params.items[i].name);
        else if (strcmp(plan.params.items[i].name, "VECTOR_OUTPUTS") == 0)
            result.vectors = true;
    *out_range = model.definition.range;
    if (plan.launches.tiles.param && ht_launch_edit_tiles(&plan))
        out_range->end = plan.launches.tiles.factor.end; /* the launch, which follows */
    char *problem = applied ? render_applied(&plan, *out_range, out_text)
                            : ht_plan_render(&plan, *out_range, NULL, out_text);
    if (problem) {
        result.applied = false;
        free(result.reason);
        result.reason = problem;
    }
    ht_plan_free(&plan);
    ht_model_free(&model);
    return result;
}

outcomes coarsen_text(const char *folder, const char *name, const char *text) {
    return rewrite_text(&ht_transformation_coarsen_x, folder, name, text);
}

outcomes coarsen_applied(const char *folder, const char *name, const char *text, unsigned factor,
                         bool strided) {
    applied = &(chosen){factor, strided};
    outcomes of = coarsen_text(folder, name, text);
    applied = NULL;
    return of;
}

outcomes rewrite_text(const ht_transformation *transformation, const char *folder, const char *name,
                      const char *text) {
    return rewrite_list((const ht_transformation *const[]){transformation, NULL}, folder, name,
                        text);
}

outcomes rewrite_list(const ht_transformation *const *transformations, const char *folder,
                      const char *name, const char *text) {
    outcomes result = {0};
    ht_error error = {0};
    char *path = ht_path_join(folder, name);
    ht_refactor_options options = {0};
    ht_source *source;
    if (ht_file_write(path, text, strlen(text), &error) != HT_OK ||
        ht_source_open(path, &options, &source, &error) != HT_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        abort();
    }
    for (size_t i = 0; i < source->errors.count; ++i) {
        fprintf(stderr, "%s:%d: %s\n", path, source->errors.items[i].line,
                source->errors.items[i].message);
        abort();
    }
    kernels list = {.source = source};
    ht_ast_walk(clang_getTranslationUnitCursor(source->unit), on_kernel, &list);
    ht_text out = {0};
    size_t at = 0;
    for (size_t i = 0; i < list.count; ++i) {
        ht_range range;
        ht_text body = {0};
        HT_GROW(result.items, result.count);
        result.items[result.count++] =
            run_one(transformations, source, list.items[i], &range, &body);
        ht_text_append_n(&out, source->text + at, range.begin - at); /* as it is read */
        ht_text_append(&out, body.data ? body.data : "");
        ht_text_free(&body);
        at = range.end;
    }
    ht_text_append(&out, source->text + at);
    result.text = ht_text_take(&out);
    free(list.items);
    ht_source_free(source);
    free(path);
    return result;
}

void outcomes_free(outcomes *of) {
    for (size_t i = 0; i < of->count; ++i) {
        free(of->items[i].kernel);
        free(of->items[i].plain);
        free(of->items[i].note);
        free(of->items[i].reason);
    }
    free(of->items);
    free(of->text);
    *of = (outcomes){0};
}

const outcome *outcomes_find(const outcomes *of, const char *kernel) {
    for (size_t i = 0; i < of->count; ++i)
        if (strcmp(of->items[i].kernel, kernel) == 0)
            return &of->items[i];
    return NULL;
}

static const char *const main_text =
    "template <typename F> static void fill(float *data, unsigned seed, F value) {\n"
    "    for (int i = 0; i < SIZE; ++i) {\n"
    "        seed = seed * 1664525u + 1013904223u;\n"
    "        data[i] = value(seed >> 8);\n"
    "    }\n"
    "}\n"
    "int main() {\n"
    "    static float in[SIZE], w[SIZE], start[SIZE], expected[SIZE], out[SIZE];\n"
    "    static const int sizes[][2] = {{1, 1},  {3, 2},  {7, 3},  {8, 1},  {9, 4},  {15, 3}, {16, "
    "4},\n"
    "                                   {17, 5}, {31, 2}, {33, 7}, {64, 2}, {65, 3}, {50, 9}, "
    "{127, 3}};\n"
    "    auto value = [](unsigned bits) { return (int)(bits % 2001 - 1000) / 1024.0f; };\n"
    "    for (auto &size : sizes)\n"
    "        for (auto &each : cases)\n"
    "            for (int v = 0; v < COUNT; ++v) {\n"
    "                fill(in, 1 + size[0], value), fill(w, 2 + size[1], value), fill(start, 3, "
    "value);\n"
    "                memcpy(expected, start, sizeof start), memcpy(out, start, sizeof start);\n"
    "                shim_factor[0] = shim_factor[1] = shim_factor[2] = 1;\n"
    "                each.original(in + 512, w, expected + 512, size[0], size[1]);\n"
    "                for (int a = 0; a < 3; ++a)\n"
    "                    shim_factor[a] = each.covers[a] ? variants[v].factor[a] : 1;\n"
    "                each.coarse[v](in + 512, w, out + 512, size[0], size[1]);\n"
    "                for (int i = 0; i < SIZE; ++i)\n"
    "                    if (memcmp(&expected[i], &out[i], sizeof(float))) {\n"
    "                        printf(\"%s: factors %u %u %u, strided %d, W %d, H %d: out[%d] is "
    "%g, not %g\\n\", "
    "each.name, shim_factor[0], shim_factor[1], shim_factor[2], variants[v].strided,\n"
    "                               size[0], size[1], i - 512, out[i], expected[i]);\n"
    "                        break;\n"
    "                    }\n"
    "            }\n"
    "    return 0;\n"
    "}\n";

static void write_text(const char *folder, const char *name, const char *text) {
    char *path = ht_path_join(folder, name);
    ht_error error;
    if (ht_file_write(path, text, strlen(text), &error) != HT_OK)
        abort();
    free(path);
}

static void write_variants(const outcomes *of, const variant *variants, size_t count,
                           ht_text *main) {
    ht_text_printf(main,
                   "enum { COUNT = %zu };\n"
                   "static const struct { unsigned factor[3]; int strided; } variants[] = {\n",
                   count);
    for (size_t v = 0; v < count; ++v)
        ht_text_printf(main, "    {{%u, %u, %u}, %d},\n", variants[v].factor[0],
                       variants[v].factor[1], variants[v].factor[2], variants[v].strided);
    ht_text_append(main, "};\n");
    for (size_t v = 0; v < count; ++v) {
        ht_text_printf(main,
                       "namespace coarse%zu {\n#define TILED %d\n#undef EDGE_APART\n"
                       "#define EDGE_APART TILED\n#undef VECTOR_OUTPUTS\n"
                       "#define VECTOR_OUTPUTS %u\n#undef VECTOR_ALIGNED\n"
                       "#define VECTOR_ALIGNED %d\n#undef COARSEN_X_JAM\n"
                       "#define COARSEN_X_JAM %d\n#undef COARSEN_X_ROWS\n"
                       "#define COARSEN_X_ROWS %d\n",
                       v, variants[v].tiled, variants[v].vector ? variants[v].vector : 1,
                       variants[v].vector > 1 && v % 2, !variants[v].apart, variants[v].rows);
        for (int axis = 0; axis < 3; ++axis)
            ht_text_printf(main, "#define COARSEN_%c %u\n#define COARSEN_%c_STRIDED %d\n",
                           'X' + axis, variants[v].factor[axis], 'X' + axis, variants[v].strided);
        for (size_t i = 0; i < of->count; ++i)
            if (of->items[i].plain)
                ht_text_printf(main, "#undef %s\n#define %s %u\n", of->items[i].plain,
                               of->items[i].plain, variants[v].plain);
        ht_text_append(main, "#include \"coarse.inc\"\n#undef TILED\n");
        for (int axis = 0; axis < 3; ++axis)
            ht_text_printf(main, "#undef COARSEN_%c\n#undef COARSEN_%c_STRIDED\n", 'X' + axis,
                           'X' + axis);
        ht_text_append(main, "}\n");
    }
}

char *compare_runs(const char *folder, const char *original, const outcomes *of) {
    variant variants[12]; /* blocked, then strided, then one output after the other */
    for (int v = 0; v < 12; ++v)
        variants[v] = (variant){.factor = {1u << v % 4, 1, 1},
                                .strided = v / 4 == 1,
                                .apart = v / 4 == 2,
                                .rows = v >= 10,
                                .plain = 1,
                                .vector = 1};
    return compare_variants(folder, original, of, variants, 12);
}

char *compare_variants(const char *folder, const char *original, const outcomes *of,
                       const variant *variants, size_t count) {
    ht_text main = {0};
    write_text(folder, "original.inc", original);
    write_text(folder, "coarse.inc", of->text);
    ht_text_append(&main, "#include <hip/hip_runtime.h>\n#include <cstdio>\n#include <cstring>\n"
                          "dim3 threadIdx, blockIdx, blockDim, gridDim;\nunsigned shim_factor[3];\n"
                          "enum { SIZE = 1 << 15 };\n"
                          "namespace original {\n#include \"original.inc\"\n}\n");
    write_variants(of, variants, count, &main);
    ht_text_append(&main, "typedef void run(const float *, const float *, float *, int, int);\n"
                          "static const struct {\n    const char *name;\n"
                          "    bool covers[3];\n    run *original, *coarse[COUNT];\n"
                          "} cases[] = {\n");
    for (size_t i = 0; i < of->count; ++i) {
        const char *name = of->items[i].kernel;
        if (!of->items[i].applied)
            continue;
        const bool *covers = of->items[i].covers;
        ht_text_printf(&main, "    {\"%s\", {%d, %d, %d}, original::run_%s, {", name, covers[0],
                       covers[1], covers[2], name);
        for (size_t v = 0; v < count; ++v)
            ht_text_printf(&main, "coarse%zu::run_%s, ", v, name);
        ht_text_append(&main, "}},\n");
    }
    ht_text_append(&main, "};\n");
    ht_text_append(&main, main_text);
    write_text(folder, "main.cpp", main.data);
    ht_text_free(&main);
    char *command = ht_format("cd '%s' && %s -std=c++17 -O0 -w -ffp-contract=off -fwrapv "
                              "-fsanitize=undefined -fno-sanitize=signed-integer-overflow "
                              "-fno-sanitize=vptr -fno-sanitize-recover=all "
                              "-I '%s/tests/refactor/coarsen/shim' main.cpp -o main > log 2>&1 && "
                              "./main > log 2>&1; code=$?; [ -s log ] || exit $code; exit 1",
                              folder, HT_CLANGXX, HT_SOURCE_DIR);
    int code = system(command);
    free(command);
    char *path = ht_path_join(folder, "log"), *log = NULL;
    ht_file_read(path, 0, &log, NULL, NULL);
    free(path);
    if (code == 0) {
        free(log);
        return NULL;
    }
    return log && *log ? log : ht_format("exit code %d", code);
}

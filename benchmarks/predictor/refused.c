/* predictor_refused KERNEL.PRECISION.GPU.tsv[.gz]...: how many tuning records of each kernel and
 * GPU the carried schemas' constraints refuse, and which constraints (docs/results/predictor.md). A
 * refused record is wrong, or shows that a constraint is. */
#include "base/file.h"
#include "base/memory.h"
#include "predictor/data/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The verdict on one kernel's records of one GPU. */
typedef struct verdict {
    char *kernel, *gpu; /* owned, like all below */
    ht_schema *schema;
    size_t records, refused;
    size_t *broken; /* by requirement */
} verdict;

typedef struct verdicts {
    verdict *items;
    size_t count;
} verdicts;

/* The GPU in KERNEL.PRECISION.GPU.tsv; free(). */
static char *path_gpu(const char *path) {
    const char *at = ht_path_name(path);
    for (size_t i = 0; i < 2; ++i) {
        at += strcspn(at, ".");
        at += *at == '.';
    }
    return ht_strndup(at, strcspn(at, "."));
}

static void verdict_free(verdict *one) {
    free(one->kernel);
    free(one->gpu);
    free(one->broken);
    ht_schema_free(one->schema);
}

/* Finds the verdict on a file's kernel and GPU, or begins one. */
static ht_status verdict_find(verdicts *list, const char *path, verdict **out, ht_error *error) {
    verdict one = {.kernel = ht_dataset_kernel(path), .gpu = path_gpu(path)};
    const char *text = ht_schema_builtin_text(one.kernel);
    *out = NULL;
    for (size_t i = 0; i < list->count && !*out; ++i)
        if (!strcmp(list->items[i].kernel, one.kernel) && !strcmp(list->items[i].gpu, one.gpu))
            *out = &list->items[i];
    ht_status status = HT_OK;
    if (!*out)
        status = text ? ht_schema_parse(text, one.kernel, &one.schema, error)
                      : ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0, "no schema for %s",
                                        one.kernel);
    if (*out || status != HT_OK) {
        verdict_free(&one);
        return status;
    }
    one.broken = ht_alloc(one.schema->require_count + 1, sizeof *one.broken);
    HT_GROW(list->items, list->count);
    list->items[list->count] = one;
    *out = &list->items[list->count++];
    return HT_OK;
}

static ht_status file_examine(const char *path, verdicts *list, ht_error *error) {
    verdict *of;
    ht_rules *rules = NULL;
    ht_dataset data = {0};
    ht_status status = verdict_find(list, path, &of, error);
    if (status == HT_OK)
        status = ht_rules_compile(of->schema, NULL, 0, &rules, error);
    if (status == HT_OK)
        status = ht_dataset_read(of->schema, &path, 1, &data, error);
    if (status == HT_OK) {
        of->records += data.count;
        of->refused += ht_dataset_illegal(&data, rules, of->broken).records;
    }
    ht_dataset_free(&data);
    ht_rules_free(rules);
    return status;
}

static double percent(size_t part, size_t all) {
    return all ? 100 * (double)part / (double)all : 0;
}

static void verdicts_print(const verdicts *list) {
    size_t records = 0, refused = 0;
    printf("kernel\tGPU\trecords\trefused\t%%\n");
    for (size_t i = 0; i < list->count; ++i) {
        const verdict *one = &list->items[i];
        printf("%s\t%s\t%zu\t%zu\t%.2f\n", one->kernel, one->gpu, one->records, one->refused,
               percent(one->refused, one->records));
        for (size_t r = 0; r < one->schema->require_count; ++r) {
            ht_text text = {0};
            if (!one->broken[r])
                continue;
            ht_expr_print(one->schema->requires[r].expr, &text);
            printf("\t%zu break line %d: %s\n", one->broken[r], one->schema->requires[r].place.line,
                   text.data);
            ht_text_free(&text);
        }
        records += one->records;
        refused += one->refused;
    }
    printf("all\t\t%zu\t%zu\t%.2f\n", records, refused, percent(refused, records));
}

int main(int argc, char **argv) {
    ht_error error;
    verdicts list = {0};
    int code = 0;
    if (argc < 2) {
        fputs("Usage: predictor_refused KERNEL.PRECISION.GPU.tsv[.gz]...\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; ++i)
        if (file_examine(argv[i], &list, &error) != HT_OK) {
            fprintf(stderr, "%s:%d: %s\n", error.file, error.line, error.message);
            code = 1;
        }
    verdicts_print(&list);
    for (size_t i = 0; i < list.count; ++i)
        verdict_free(&list.items[i]);
    free(list.items);
    return code;
}

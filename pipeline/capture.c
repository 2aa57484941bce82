#include "pipeline/capture.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "pipeline/capture_fill.h"
#include "pipeline/capture_name.h"
#include "pipeline/capture_signature.h"
#include "pipeline/refactor_row.h"
#include "pipeline/report.h"
#include "pipeline/survey.h"

#include <stdlib.h>
#include <string.h>

/* The launches of a kernel: indices into the capture. */
typedef struct group {
    char *name;
    const ht_captured_launch **launches; /* owned */
    size_t count;
    double seconds;
    uint64_t times;
} group;

typedef struct groups {
    group *items;
    size_t count;
} groups;

static int by_time(const void *a, const void *b) {
    const ht_captured_launch *const *left = a, *const *right = b;
    return ((*left)->seconds < (*right)->seconds) - ((*left)->seconds > (*right)->seconds);
}

static int groups_by_time(const void *a, const void *b) {
    const group *left = a, *right = b;
    return (left->seconds < right->seconds) - (left->seconds > right->seconds);
}

/* Sorts launches to kernels. Those of a template with other types are of the same kernel, but a
 * problem is of one: the types that took longest. */
static void groups_make(const ht_capture *capture, groups *out) {
    for (uint32_t i = 0; i < capture->launch_count; ++i) {
        const ht_captured_launch *launch = &capture->launches[i];
        char *name = ht_capture_kernel_name(launch->name);
        size_t at = 0;
        while (at < out->count && strcmp(out->items[at].name, name) != 0)
            ++at;
        if (at == out->count) {
            HT_GROW(out->items, out->count);
            out->items[out->count++] = (group){.name = ht_strdup(name)};
        }
        group *to = &out->items[at];
        HT_GROW(to->launches, to->count);
        to->launches[to->count++] = launch;
        to->seconds += launch->seconds;
        to->times += launch->times;
        free(name);
    }
    for (size_t i = 0; i < out->count; ++i)
        qsort(out->items[i].launches, out->items[i].count, sizeof *out->items[i].launches, by_time);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, groups_by_time);
}

static void groups_free(groups *of) {
    for (size_t i = 0; i < of->count; ++i) {
        free(of->items[i].name);
        free(of->items[i].launches);
    }
    free(of->items);
}

/* Launches of the same instance of a template as one of them. */
static size_t same_types(const group *of, size_t as, const ht_captured_launch **out) {
    size_t count = 0;
    for (size_t i = 0; i < of->count; ++i)
        if (strcmp(of->launches[i]->name, of->launches[as]->name) == 0)
            out[count++] = of->launches[i];
    return count;
}

static bool is_first(const group *of, size_t index) {
    for (size_t i = 0; i < index; ++i)
        if (strcmp(of->launches[i]->name, of->launches[index]->name) == 0)
            return false;
    return true;
}

/* A kernel in a header is found in the file that includes it, too, where it cannot be changed: that
 * of the header comes first, then one whose problem is known, or asked for. */
static const ht_kernel *kernel_find(const ht_survey *survey, const char *name) {
    const ht_kernel *found = NULL;
    int best = -1;
    for (size_t i = 0; i < survey->sources.count; ++i) {
        const ht_refactor *refactor = survey->analyses[i].refactor;
        size_t count = refactor ? ht_refactor_kernel_count(refactor) : 0;
        for (size_t j = 0; j < count; ++j) {
            const ht_kernel *kernel = ht_refactor_kernel(refactor, j);
            bool own = ht_file_same(kernel->file, survey->sources.items[i].path);
            int rank = 2 * own + (kernel->skeleton || kernel->template);
            bool named = ht_kernel_is(kernel->name, name) || ht_kernel_is(name, kernel->name);
            if (named && rank > best) {
                best = rank;
                found = kernel;
            }
        }
    }
    return found;
}

static bool has_gap(const json_t *value) {
    size_t index;
    const char *key;
    json_t *item;
    bool found = json_is_string(value) && strchr(json_string_value(value), '?') != NULL;
    if (json_is_array(value))
        json_array_foreach((json_t *)value, index, item) found = found || has_gap(item);
    else if (json_is_object(value))
        json_object_foreach((json_t *)value, key, item) found =
            found || (strcmp(key, "description") != 0 && (strchr(key, '?') || has_gap(item)));
    return found;
}

/* Moves files to those that are to be written; of one name there is one content. */
static void files_move(ht_capture_files *from, ht_capture_files *to) {
    for (size_t i = 0; i < from->count; ++i) {
        size_t known = 0;
        while (known < to->count && strcmp(to->items[known].name, from->items[i].name) != 0)
            ++known;
        if (known < to->count)
            continue;
        HT_GROW(to->items, to->count);
        to->items[to->count++] = from->items[i];
        from->items[i].name = NULL;
    }
}

static ht_status files_write(const ht_capture_files *files, const char *beside, ht_error *error) {
    char *folder = ht_path_folder(beside);
    ht_status status = HT_OK;
    for (size_t i = 0; i < files->count && status == HT_OK; ++i) {
        char *path = ht_path_join(folder, files->items[i].name);
        status = ht_result_write(path, files->items[i].bytes, files->items[i].length, error);
        free(path);
    }
    free(folder);
    return status;
}

static void entry_add(const group *of, json_t *entry, ht_capture_files *files,
                      ht_capture_result *to) {
    char *words = ht_format("captured: %zu different launch%s, %llu in all", of->count,
                            of->count == 1 ? "" : "es", (unsigned long long)of->times);
    json_object_set_new(entry, "description", json_string(words));
    json_array_append(json_object_get(to->problems, "kernels"), entry);
    ++to->problem_count;
    files_move(files, &to->files);
    free(words);
}

/* Leaves the launches that have the first one's block. */
static void same_block(ht_captured_kernel *seen, const ht_captured_launch **launches) {
    size_t count = 0;
    for (size_t i = 0; i < seen->count; ++i)
        if (memcmp(launches[i]->block, launches[0]->block, sizeof launches[0]->block) == 0)
            launches[count++] = launches[i];
    seen->count = count;
}

/* Fills a kernel's entry, which is `given`. Returns NULL, or why it cannot be filled; free(). */
static char *entry_fill(const json_t *given, const ht_kernel *kernel,
                        const ht_captured_kernel *seen, json_t **out_entry) {
    *out_entry = json_deep_copy(given);
    char *gap = ht_capture_fill(*out_entry, seen);
    if (gap == NULL && has_gap(*out_entry))
        gap = ht_strdup(kernel && kernel->reason ? kernel->reason : "parts of it are not known");
    return gap;
}

/* Adds a kernel's entry to the file, as it is `given`: for the types of a template that took
 * longest and that are those of the source's own problem. A program that tries several blocks has
 * another launch than its source gives: then those with the block that took longest are the
 * problem. Returns NULL, or why there is none; free(). */
static char *entry_make(const ht_capture_seen *all, const group *of, const ht_kernel *kernel,
                        const json_t *given, ht_capture_result *to) {
    const ht_captured_launch **launches = ht_alloc(of->count + 1, sizeof *launches);
    char *first = NULL;
    bool added = false;
    for (size_t i = 0; i < of->count && !added; ++i) {
        if (!is_first(of, i))
            continue;
        ht_capture_files files = {0};
        ht_captured_kernel seen = {.launches = launches,
                                   .count = same_types(of, i, launches),
                                   .template = kernel ? kernel->template : NULL,
                                   .places = kernel ? kernel->places : NULL,
                                   .contents = all->contents,
                                   .files = all->contents != NULL ? &files : NULL};
        json_t *entry;
        char *gap = entry_fill(given, kernel, &seen, &entry);
        if (gap != NULL) {
            json_decref(entry);
            ht_capture_files_free(&files);
            same_block(&seen, launches);
            seen.as_seen = true;
            char *still = entry_fill(given, kernel, &seen, &entry);
            if (still == NULL) {
                free(gap);
                gap = NULL;
            }
            free(still);
        }
        added = gap == NULL;
        if (added)
            entry_add(of, entry, &files, to);
        if (first == NULL)
            first = gap;
        else
            free(gap);
        json_decref(entry);
        ht_capture_files_free(&files);
    }
    if (added) {
        free(first);
        first = NULL;
    }
    free(launches);
    return first;
}

static void problem_make(const ht_capture_seen *all, const group *of, const ht_kernel *kernel,
                         ht_capture_result *to, ht_capture_row *row) {
    json_t *document = kernel->skeleton ? json_loads(kernel->skeleton, 0, NULL) : NULL;
    const json_t *given = document ? json_array_get(json_object_get(document, "kernels"), 0) : NULL;
    row->problem_gap =
        given != NULL
            ? entry_make(all, of, kernel, given, to)
            : ht_strdup(kernel->reason ? kernel->reason : "the source gives its problem itself");
    json_decref(document);
}

/* The same of a kernel whose source is not at hand. */
static char *problem_by_name(const ht_capture_seen *all, const group *of, ht_capture_result *to) {
    json_t *given;
    char *gap = ht_capture_signature(of->launches[0], &given);
    if (gap == NULL)
        gap = entry_make(all, of, NULL, given, to);
    json_decref(given);
    return gap;
}

static void row_make(const ht_capture_seen *all, const group *of, const ht_survey *survey,
                     ht_capture_result *to) {
    ht_capture_row *row = &to->rows[to->count++];
    const ht_kernel *kernel = kernel_find(survey, of->name);
    *row = (ht_capture_row){.kernel = ht_strdup(of->name),
                            .distinct = of->count,
                            .times = of->times,
                            .seconds = of->seconds};
    to->seconds += of->seconds;
    if (!kernel && all->by_name) {
        row->problem_gap = problem_by_name(all, of, to);
        return;
    }
    if (!kernel) {
        row->problem_gap = ht_strdup(
            survey->sources.count > 0 ? "its definition was not found in the program's files"
                                      : "the program was interrupted: its sources were not read");
        return;
    }
    row->file = ht_strdup(kernel->file);
    row->line = kernel->line;
    row->reassociates = kernel->reassociates;
    problem_make(all, of, kernel, to, row);
}

/* Runs the pass with what was found. */
static ht_status rows_try(char *const *files, size_t count, const char *path,
                          const ht_refactor_options *compiler, ht_capture_result *of,
                          ht_error *error) {
    const ht_survey_options how = {.problem = path, .silent = true, .compiler = *compiler};
    ht_survey survey;
    ht_status status = ht_survey_make(files, count, &how, &survey, error);
    for (size_t i = 0; i < of->count && status == HT_OK; ++i) {
        const ht_kernel *kernel = kernel_find(&survey, of->rows[i].kernel);
        if (!kernel || of->rows[i].problem_gap)
            continue;
        of->rows[i].status = ht_kernel_status_name(kernel->status);
        of->rows[i].reason = kernel->reason ? ht_strdup(kernel->reason) : NULL;
    }
    ht_survey_free(&survey);
    return status;
}

ht_status ht_capture_problems(const ht_capture_seen *seen, char *const *files, size_t count,
                              const char *path, const ht_refactor_options *compiler,
                              ht_capture_result *out_result, ht_error *error) {
    const ht_survey_options how = {.silent = true, .compiler = *compiler};
    ht_survey survey = {0};
    groups found = {0};
    const ht_capture *capture = seen->capture;
    groups_make(capture, &found);
    *out_result =
        (ht_capture_result){.rows = ht_alloc(found.count + 1, sizeof *out_result->rows),
                            .problems = json_pack("{s:s, s:i, s:[]}", "format", "hiptemper-problem",
                                                  "version", 1, "kernels")};
    ht_status status = count > 0 ? ht_survey_make(files, count, &how, &survey, error) : HT_OK;
    for (size_t i = 0; i < found.count && status == HT_OK; ++i)
        row_make(seen, &found.items[i], &survey, out_result);
    ht_survey_free(&survey);
    groups_free(&found);
    if (status != HT_OK || out_result->problem_count == 0)
        return status;
    status = files_write(&out_result->files, path, error);
    if (status == HT_OK)
        status = ht_report_json_write(path, out_result->problems, error);
    return status == HT_OK && count > 0 ? rows_try(files, count, path, compiler, out_result, error)
                                        : status;
}

double ht_capture_share(const ht_capture_result *result, const ht_capture_row *row) {
    return result->seconds > 0 ? row->seconds / result->seconds : 0.0;
}

void ht_capture_choose(ht_capture_result *result, double share) {
    double taken = 0.0;
    for (size_t i = 0; i < result->count; ++i) {
        result->rows[i].chosen = taken < share * result->seconds || share >= 1.0;
        taken += result->rows[i].seconds;
    }
}

const ht_capture_row *ht_capture_row_find(const ht_capture_result *result, const char *kernel) {
    const ht_capture_row *like = NULL;
    for (size_t i = 0; i < result->count; ++i) {
        const ht_capture_row *row = &result->rows[i];
        if (strcmp(row->kernel, kernel) == 0)
            return row;
        if (like == NULL &&
            (ht_kernel_is(kernel, row->kernel) || ht_kernel_is(row->kernel, kernel)))
            like = row;
    }
    return like;
}

void ht_capture_result_free(ht_capture_result *result) {
    for (size_t i = 0; i < result->count; ++i) {
        free(result->rows[i].kernel);
        free(result->rows[i].file);
        free(result->rows[i].problem_gap);
        free(result->rows[i].reason);
    }
    ht_capture_files_free(&result->files);
    free(result->rows);
    json_decref(result->problems);
    *result = (ht_capture_result){0};
}

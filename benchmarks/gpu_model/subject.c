#include "benchmarks/gpu_model/subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static uint32_t parts(long whole, long part) {
    return (uint32_t)((whole + part - 1) / part);
}

static void geometry(const ht_recording *recording, const ht_recorded *row, long width, long height,
                     ht_geometry *out) {
    long x = ht_recorded_value(recording, row, "block_size_x", 1);
    long y = ht_recorded_value(recording, row, "block_size_y", 1);
    *out = (ht_geometry){.block = {(uint32_t)x, (uint32_t)y, 1}, .grid = {1, 1, 1}};
    out->grid[0] = parts(width, x * ht_recorded_value(recording, row, "tile_size_x", 1));
    out->grid[1] = parts(height, y * ht_recorded_value(recording, row, "tile_size_y", 1));
}

static void launch_convolution(const ht_recording *recording, const ht_recorded *row,
                               ht_counted_launch *out, ht_kernel_argument *arguments) {
    enum { IMAGE = 4096, BORDER = 14, FILTER = 15 };
    geometry(recording, row, IMAGE, IMAGE, &out->geometry);
    uint64_t output = sizeof(float) * IMAGE * IMAGE;
    uint64_t input = sizeof(float) * (IMAGE + BORDER) * (IMAGE + BORDER);
    arguments[0] = (ht_kernel_argument){.size = output, .output_unit = sizeof(float)};
    arguments[1] = (ht_kernel_argument){.size = input};
    arguments[2] = (ht_kernel_argument){.size = sizeof(float) * FILTER * FILTER};
}

enum { CHANNELS = 1536, SAMPLES = 25000, DMS = 2048, SHIFT = 650 };

/* The delays: 0 at the last channel, the most at the first, by the inverse square of the channel's
 * frequency between 1.22 and 1.52 GHz. */
static float *delays(void) {
    float *shifts = ht_alloc(CHANNELS, sizeof *shifts);
    const double low = 1220, step = 300.0 / CHANNELS, most = SHIFT / (DMS * 0.02);
    double high = low + step * (CHANNELS - 1), last = 1 / (high * high);
    double scale = most / (1 / (low * low) - last);
    for (size_t c = 0; c < CHANNELS; ++c) {
        double frequency = low + step * (double)c;
        shifts[c] = (float)(scale * (1 / (frequency * frequency) - last));
    }
    return shifts;
}

static void launch_dedispersion(const ht_recording *recording, const ht_recorded *row,
                                ht_counted_launch *out, ht_kernel_argument *arguments) {
    geometry(recording, row, SAMPLES, DMS, &out->geometry);
    arguments[0] = (ht_kernel_argument){.size = (uint64_t)CHANNELS * (SAMPLES + SHIFT)};
    arguments[1] =
        (ht_kernel_argument){.size = sizeof(float) * SAMPLES * DMS, .output_unit = sizeof(float)};
    arguments[2] = (ht_kernel_argument){.size = sizeof(float) * CHANNELS, .contents = delays()};
}

const ht_subject *ht_subject_find(const char *space) {
    static const ht_subject subjects[] = {
        {"convolution_milo", "_Z18convolution_kernelPfS_S_", launch_convolution},
        {"dedispersion_milo", "dedispersion_kernel", launch_dedispersion},
    };
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; ++i)
        if (strcmp(subjects[i].space, space) == 0)
            return &subjects[i];
    return NULL;
}

/* Returns the text without the lines that have both words. free(). */
static char *without_lines(const char *text, const char *a, const char *b) {
    ht_text out = {0};
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = ht_strndup(text, length);
        if (!strstr(line, a) || !strstr(line, b)) {
            ht_text_append(&out, line);
            ht_text_append(&out, "\n");
        }
        free(line);
        text += length + (text[length] == '\n');
    }
    return ht_text_take(&out);
}

/* Returns the text with everything from `first` up to `next` left out; unchanged where one of them
 * is not there. Takes the text. */
static char *without_part(char *text, const char *first, const char *next) {
    char *begin = strstr(text, first), *end = begin ? strstr(begin, next) : NULL;
    if (end)
        memmove(begin, end, strlen(end) + 1);
    return text;
}

/* Reads the image itself in place of the staged tile, with the staging's test of the edge where
 * that has one. Takes the text. */
static char *unstaged(char *text, bool edge) {
    static const char staged[] = "sum[yi][xi] += sh_input[ty+yi*block_size_y+i]"
                                 "[tx+xi*block_size_x+j] * d_filter[i*filter_width+j];";
    static const char at[] = "LDG(input, (by+ty+yi*block_size_y+i)*input_width + "
                             "(bx+tx+xi*block_size_x+j)) * d_filter[i*filter_width+j];";
    char *direct = ht_format("%ssum[yi][xi] += %s",
                             edge ? "if (by+ty+yi*block_size_y+i < input_height && "
                                    "bx+tx+xi*block_size_x+j < input_width) "
                                  : "",
                             at);
    text = without_part(text, "//shared memory to hold", "//thread-local registers");
    char *changed = ht_text_replaced(text, staged, direct);
    free(direct);
    free(text);
    return changed;
}

char *ht_subject_source(const char *text, const ht_recording *recording, const ht_recorded *row,
                        bool variants) {
    char *source = ht_strdup(text);
    for (size_t i = 0; i < recording->param_count; ++i) {
        if (!ht_text_begins(recording->names[i], "loop_unroll_factor") || row->values[i] != 0)
            continue;
        char *left = without_lines(source, "#pragma unroll", recording->names[i]);
        free(source);
        source = left;
    }
    ht_geometry g;
    geometry(recording, row, 4096, 4096, &g);
    long width = g.block[0] * ht_recorded_value(recording, row, "tile_size_x", 1);
    long height = g.block[1] * ht_recorded_value(recording, row, "tile_size_y", 1);
    if (variants && ht_recorded_value(recording, row, "use_shmem", 1) == 0)
        source = unstaged(source, 4096 % width != 0 || 4096 % height != 0);
    return source;
}

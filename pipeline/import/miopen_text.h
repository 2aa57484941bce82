/* MIOpen's text databases: one problem a line, KEY=ID:VALUES;ID:VALUES...
 *
 * A key is a convolution, 576-4-4-1x1-192-4-4-8-1x1-2x2-3x3-0-NCHW-FP32-F: channels, height and
 * width of the input, the filter, channels, height and width of the output, batch, padding,
 * strides, dilations, bias, layout (or the three of input, filter and output), data type and
 * direction, and after it _g32 for groups. "Input" is what the kernel reads: in a gradient (B of
 * the input, W of the weights) that is the gradient of the forward output.
 *
 * In a performance database an ID is a solver and VALUES its parameters. In a find database an ID
 * is a solver and VALUES its milliseconds, bytes of workspace and algorithm; before 2022 an ID is
 * the algorithm, and the solver stands first in VALUES. */
#ifndef HT_PIPELINE_IMPORT_MIOPEN_TEXT_H
#define HT_PIPELINE_IMPORT_MIOPEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_miopen_problem {
    int64_t in_c, in_h, in_w, fil_h, fil_w, out_c, out_h, out_w, batch;
    int64_t pad_h, pad_w, stride_h, stride_w, dil_h, dil_w, bias, group;
    char layout[8], precision[8]; /* "NCHW", "FP32" */
    char direction;               /* F, B or W */
    bool out_exact; /* false: the smallest output that fits, as the source does not say */
} ht_miopen_problem;

typedef struct ht_miopen_text {
    const char *at; /* need not end in a zero byte */
    size_t length;
} ht_miopen_text;

/* One ID:VALUES. */
typedef struct ht_miopen_item {
    ht_miopen_text solver;
    ht_miopen_text values; /* of a performance database: its parameters; else empty */
    bool timed;            /* of a find database */
    double milliseconds;
    int64_t workspace; /* bytes */
} ht_miopen_item;

/* Reads a key; returns NULL, or why it is not a problem that records can have. */
const char *ht_miopen_key_parse(ht_miopen_text key, ht_miopen_problem *out_problem);
/* Checks what both forms of a database share: layout, data type, sizes in their ranges that fit
 * the direction. Returns NULL or the reason. */
const char *ht_miopen_problem_check(const ht_miopen_problem *problem);
/* Sets the output's size, which the SQLite form leaves out. */
void ht_miopen_output_fill(ht_miopen_problem *problem);
/* Cuts the next line off `rest`; false at the end. */
bool ht_miopen_line_take(ht_miopen_text *rest, ht_miopen_text *out_line);
/* Cuts a line at its first '='; false when there is none. */
bool ht_miopen_line_split(ht_miopen_text line, ht_miopen_text *out_key, ht_miopen_text *out_items);
/* Cuts the next item off `rest`, false at the end; *out_reason is NULL, or why it is not one. */
bool ht_miopen_item_take(ht_miopen_text *rest, ht_miopen_item *out_item, const char **out_reason);
/* Cuts the next piece before `mark` off `rest`; false when nothing is left (rest->at is NULL). */
bool ht_miopen_piece_take(ht_miopen_text *rest, char mark, ht_miopen_text *out_piece);

#endif

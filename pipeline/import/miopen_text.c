#include "pipeline/import/miopen_text.h"

#include <stdlib.h>
#include <string.h>

static const int64_t most_size = INT64_C(1) << 31;

bool ht_miopen_piece_take(ht_miopen_text *rest, char mark, ht_miopen_text *out_piece) {
    if (!rest->at)
        return false;
    const char *end = memchr(rest->at, mark, rest->length);
    *out_piece = *rest;
    if (!end) {
        *rest = (ht_miopen_text){0};
        return true;
    }
    out_piece->length = (size_t)(end - rest->at);
    rest->at = end + 1;
    rest->length -= out_piece->length + 1;
    return true;
}

static bool is_word(ht_miopen_text text, const char *word) {
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

static bool begins(ht_miopen_text text, const char *word) {
    size_t length = strlen(word);
    return text.length >= length && memcmp(text.at, word, length) == 0;
}

/* Reads a whole number from 0 on. */
static bool number_read(ht_miopen_text text, int64_t *out) {
    if (text.length == 0 || text.length > 12)
        return false;
    *out = 0;
    for (size_t i = 0; i < text.length; ++i) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        *out = *out * 10 + (text.at[i] - '0');
    }
    return true;
}

static bool number_take(ht_miopen_text *rest, int64_t *out) {
    ht_miopen_text piece;
    return ht_miopen_piece_take(rest, '-', &piece) && number_read(piece, out);
}

/* Takes "3x5"; one of three numbers is of a convolution in three dimensions. */
static bool pair_take(ht_miopen_text *rest, int64_t *out_high, int64_t *out_wide, bool *out_deep) {
    ht_miopen_text piece, part;
    int64_t numbers[3];
    size_t count = 0;
    if (!ht_miopen_piece_take(rest, '-', &piece))
        return false;
    while (count < 3 && ht_miopen_piece_take(&piece, 'x', &part))
        if (!number_read(part, &numbers[count++]))
            return false;
    *out_deep = count == 3;
    if (count < 2 || piece.at)
        return false;
    *out_high = numbers[count - 2];
    *out_wide = numbers[count - 1];
    return true;
}

static bool word_take(ht_miopen_text *rest, ht_miopen_text *out) {
    return ht_miopen_piece_take(rest, '-', out) && out->length > 0;
}

static bool word_copy(ht_miopen_text word, char out[8]) {
    if (word.length == 0 || word.length > 7)
        return false;
    memset(out, 0, 8);
    memcpy(out, word.at, word.length);
    return true;
}

/* Reads what stands after the direction: "_g32". Casts of tensors are other kernels. */
static const char *optional_read(ht_miopen_text rest, int64_t *out_group) {
    ht_miopen_text piece;
    *out_group = 1;
    while (ht_miopen_piece_take(&rest, '_', &piece)) {
        if (begins(piece, "g")) {
            piece.at += 1;
            piece.length -= 1;
            if (!number_read(piece, out_group))
                return "the key's number of groups is not a number";
        } else {
            return "the key has a cast of a tensor";
        }
    }
    return NULL;
}

/* Reads layout, data type and direction. */
static const char *words_read(ht_miopen_text rest, ht_miopen_problem *problem) {
    ht_miopen_text words[5], direction = {0};
    size_t count = 0;
    while (count < 5 && word_take(&rest, &words[count]))
        ++count;
    if (rest.at || (count != 3 && count != 5))
        return "the key does not have the parts of a convolution's";
    if (count == 5 && (!is_word(words[1], "NCHW") && !is_word(words[1], "NHWC")))
        return "layout other than NCHW and NHWC";
    for (size_t i = 1; count == 5 && i < 3; ++i)
        if (words[i].length != words[0].length ||
            memcmp(words[i].at, words[0].at, words[0].length) != 0)
            return "tensors of different layouts";
    ht_miopen_text last = words[count - 1];
    ht_miopen_piece_take(&last, '_', &direction);
    if (direction.length != 1)
        return "the key has no direction F, B or W";
    problem->direction = direction.at[0];
    if (!word_copy(words[0], problem->layout))
        return "layout other than NCHW and NHWC";
    if (!word_copy(words[count - 2], problem->precision))
        return "data type other than FP32, FP16 and BF16";
    return last.at ? optional_read(last, &problem->group) : NULL;
}

const char *ht_miopen_key_parse(ht_miopen_text key, ht_miopen_problem *out) {
    static const char *const not_one = "the key is not that of a convolution in two dimensions";
    bool deep = false;
    *out = (ht_miopen_problem){.group = 1, .out_exact = true};
    bool good = number_take(&key, &out->in_c) && number_take(&key, &out->in_h) &&
                number_take(&key, &out->in_w) && pair_take(&key, &out->fil_h, &out->fil_w, &deep) &&
                !deep && number_take(&key, &out->out_c) && number_take(&key, &out->out_h) &&
                number_take(&key, &out->out_w) && number_take(&key, &out->batch) &&
                pair_take(&key, &out->pad_h, &out->pad_w, &deep) && !deep &&
                pair_take(&key, &out->stride_h, &out->stride_w, &deep) && !deep &&
                pair_take(&key, &out->dil_h, &out->dil_w, &deep) && !deep &&
                number_take(&key, &out->bias) && key.at;
    if (!good)
        return not_one;
    const char *reason = words_read(key, out);
    return reason ? reason : ht_miopen_problem_check(out);
}

/* The output of a forward convolution along one axis. */
static int64_t forward(int64_t in, int64_t fil, int64_t pad, int64_t stride, int64_t dil) {
    return (in + 2 * pad - dil * (fil - 1) - 1) / stride + 1;
}

static bool sizes_fit(const ht_miopen_problem *p) {
    bool ahead = p->direction == 'F';
    int64_t high = forward(ahead ? p->in_h : p->out_h, p->fil_h, p->pad_h, p->stride_h, p->dil_h);
    int64_t wide = forward(ahead ? p->in_w : p->out_w, p->fil_w, p->pad_w, p->stride_w, p->dil_w);
    return high == (ahead ? p->out_h : p->in_h) && wide == (ahead ? p->out_w : p->in_w);
}

const char *ht_miopen_problem_check(const ht_miopen_problem *p) {
    const int64_t sizes[] = {p->in_c,     p->in_h,  p->in_w,  p->fil_h, p->fil_w,
                             p->out_c,    p->out_h, p->out_w, p->batch, p->stride_h,
                             p->stride_w, p->dil_h, p->dil_w, p->group};
    const int64_t others[] = {p->pad_h, p->pad_w, p->bias};
    if (strcmp(p->layout, "NCHW") != 0 && strcmp(p->layout, "NHWC") != 0)
        return "layout other than NCHW and NHWC";
    if (strcmp(p->precision, "FP32") != 0 && strcmp(p->precision, "FP16") != 0 &&
        strcmp(p->precision, "BF16") != 0)
        return "data type other than FP32, FP16 and BF16";
    if (!p->direction || !strchr("FBW", p->direction))
        return "the key has no direction F, B or W";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (sizes[i] < 1 || sizes[i] >= most_size)
            return "a size is less than 1 or out of range";
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (others[i] < 0 || others[i] >= most_size)
            return "padding is negative or out of range";
    if (!sizes_fit(p))
        return "the sizes of input and output contradict the direction";
    return NULL;
}

void ht_miopen_output_fill(ht_miopen_problem *p) {
    if (p->direction == 'F') {
        p->out_h = p->stride_h ? forward(p->in_h, p->fil_h, p->pad_h, p->stride_h, p->dil_h) : 0;
        p->out_w = p->stride_w ? forward(p->in_w, p->fil_w, p->pad_w, p->stride_w, p->dil_w) : 0;
        p->out_exact = true;
        return;
    }
    p->out_h = (p->in_h - 1) * p->stride_h + p->dil_h * (p->fil_h - 1) + 1 - 2 * p->pad_h;
    p->out_w = (p->in_w - 1) * p->stride_w + p->dil_w * (p->fil_w - 1) + 1 - 2 * p->pad_w;
    p->out_exact = p->stride_h == 1 && p->stride_w == 1;
}

bool ht_miopen_line_take(ht_miopen_text *rest, ht_miopen_text *out_line) {
    if (!ht_miopen_piece_take(rest, '\n', out_line))
        return false;
    if (out_line->length && out_line->at[out_line->length - 1] == '\r')
        --out_line->length;
    return true;
}

bool ht_miopen_line_split(ht_miopen_text line, ht_miopen_text *out_key, ht_miopen_text *out_items) {
    ht_miopen_text rest = line;
    if (!line.at || !memchr(line.at, '=', line.length))
        return false;
    ht_miopen_piece_take(&rest, '=', out_key);
    *out_items = rest;
    return true;
}

static bool time_read(ht_miopen_text text, double *out) {
    char copy[40], *end;
    if (text.length == 0 || text.length >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = 0;
    if (!strchr("0123456789.", copy[0]))
        return false;
    *out = strtod(copy, &end);
    return *end == 0 && *out >= 0 && *out < 1e9;
}

/* Reads "time,workspace,..." of a find database. */
static const char *times_read(ht_miopen_text rest, ht_miopen_item *item) {
    ht_miopen_text piece;
    item->timed = true;
    item->values = (ht_miopen_text){"", 0};
    if (!ht_miopen_piece_take(&rest, ',', &piece) || !time_read(piece, &item->milliseconds))
        return "the time of a find database's entry is not a number";
    if (!ht_miopen_piece_take(&rest, ',', &piece) || !number_read(piece, &item->workspace))
        return "the workspace of a find database's entry is not a number";
    return NULL;
}

static bool holds(ht_miopen_text text, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text.length; ++i)
        if (memcmp(text.at + i, word, length) == 0)
            return true;
    return false;
}

bool ht_miopen_item_take(ht_miopen_text *rest, ht_miopen_item *out_item, const char **out_reason) {
    static const char *const algorithm = "miopenConvolution";
    ht_miopen_text item, id;
    *out_item = (ht_miopen_item){0};
    *out_reason = NULL;
    if (!ht_miopen_piece_take(rest, ';', &item))
        return false;
    ht_miopen_text values = item;
    ht_miopen_piece_take(&values, ':', &id);
    if (!values.at || id.length == 0) {
        *out_reason = "an entry without a solver";
        return true;
    }
    *out_item = (ht_miopen_item){.solver = id, .values = values};
    if (begins(id, algorithm)) {
        ht_miopen_piece_take(&values, ',', &out_item->solver);
        *out_reason = values.at && out_item->solver.length ? times_read(values, out_item)
                                                           : "an entry without a solver";
    } else if (holds(values, algorithm)) {
        *out_reason = times_read(values, out_item);
    }
    return true;
}

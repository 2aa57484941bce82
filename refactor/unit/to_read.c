#include "refactor/unit/to_read.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/comment.h"
#include "refactor/source/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SAMPLE_STATEMENTS_MAX = 3 };

static bool is_letter(char c) {
    return isalpha((unsigned char)c);
}

/* Returns true if a text has a word, in whatever case; `_` and digits end words, too. */
static bool has_word(const char *text, size_t length, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; ++i) {
        bool begins = i == 0 || !is_letter(text[i - 1]) ||
                      (islower((unsigned char)text[i - 1]) && isupper((unsigned char)text[i]));
        bool ends = i + size == length || !islower((unsigned char)text[i + size]);
        if (begins && ends && strncasecmp(text + i, word, size) == 0)
            return true;
    }
    return false;
}

/* Returns true if the comment right above the kernel calls it naive. */
static bool is_called_naive(const ht_model *model) {
    size_t line = ht_line_begin(model->text, model->definition.range.begin);
    size_t begin = ht_comment_begin(model->text, line);
    return has_word(model->text + begin, line - begin, "naive");
}

/* Returns "kernel1, kernel2, ..." if the file has the next two kernels of that name; NULL: the name
 * is not the first of several; free(). */
static char *ladder_of(const ht_source *source, const char *name) {
    size_t length = strlen(name);
    char last = length ? name[length - 1] : 0;
    bool first =
        (last == '0' || last == '1') && length > 1 && !isdigit((unsigned char)name[length - 2]);
    for (char next = 1; next < 3 && first; ++next) {
        char *other = ht_format("%.*s%c", (int)length - 1, name, last + next);
        first = ht_source_names(source, 0, other);
        free(other);
    }
    return first ? ht_format("%s, %.*s%c, ...", name, (int)length - 1, name, last + 1) : NULL;
}

/* Returns true if the file is a program around this kernel alone, which has a few statements and no
 * loop. */
static bool is_sample(const ht_model *model) {
    static const char *const loops[] = {"for", "while", "do", NULL};
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    size_t kernels = 0, statements = 0;
    ht_range body = model->definition.body_range;
    bool program = false, loop = false;
    for (size_t i = 0; i + 1 < tokens->count && model->definition.file == 0; ++i) {
        size_t at = tokens->items[i].begin;
        bool inside = body.begin <= at && at < body.end;
        kernels += ht_tokens_is(tokens, i, "__global__");
        program |= ht_tokens_is(tokens, i, "main") && ht_tokens_is(tokens, i + 1, "(");
        statements += inside && ht_tokens_is(tokens, i, ";");
        loop |= inside && ht_tokens_is_any(tokens, i, loops);
    }
    return program && kernels == 1 && !loop && statements <= SAMPLE_STATEMENTS_MAX;
}

void ht_to_read_remark(ht_plan *plan) {
    static const char *const words[] = {"naive", "unoptimized", "reference"};
    static const char words_end[] = "it may be there to be read, and a patch of it not be wanted";
    const ht_model *model = plan->model;
    const char *word = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !word; ++i)
        word = has_word(model->name, strlen(model->name), words[i]) ? words[i] : NULL;
    char *ladder = ladder_of(model->facts->source, model->name);
    if (word)
        ht_plan_remark_place(plan, HT_REMARK_DOUBT, HT_AT_KERNEL, "its name says %s: %s", word,
                             words_end);
    else if (is_called_naive(model))
        ht_plan_remark_place(plan, HT_REMARK_DOUBT, HT_AT_KERNEL,
                             "the comment above it says naive: %s", words_end);
    else if (ladder)
        ht_plan_remark_place(plan, HT_REMARK_DOUBT, HT_AT_KERNEL, "it is the first of %s: %s",
                             ladder, words_end);
    else if (is_sample(model))
        ht_plan_remark_place(plan, HT_REMARK_DOUBT, HT_AT_KERNEL,
                             "it is all that a small program shows: %s", words_end);
    free(ladder);
}

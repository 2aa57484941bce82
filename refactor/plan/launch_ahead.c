#include "refactor/plan/launch_ahead.h"

#include "refactor/kernel/facts.h"
#include "refactor/source/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns where a string or a character that begins at `at` ends, in this line; `end`: not here. */
static size_t literal_end(const char *text, size_t at, size_t end) {
    char quote = text[at];
    for (++at; at < end && text[at] != quote; ++at)
        at += text[at] == '\\';
    return at < end ? at : end;
}

/* Returns the last character that a line says something with, apart from a comment of C++ at its
 * end; 0: it says nothing. '*': it may be the end of another comment. */
static char last_of(const char *text, size_t begin, size_t end) {
    size_t last = begin;
    for (size_t at = begin; at < end; ++at) {
        if (text[at] == '/' && at + 1 < end && text[at + 1] == '/')
            break;
        if (text[at] == '"' || text[at] == '\'') {
            bool raw = at > begin && text[at - 1] == 'R';
            at = literal_end(text, at, end);
            if (raw || at == end)
                return '*';
        }
        if (text[at] == '#')
            return '*';
        if (!isspace((unsigned char)text[at]))
            last = at + 1;
    }
    if (last == begin)
        return 0;
    return last > begin + 1 && text[last - 1] == '/' && text[last - 2] == '*' ? '*'
                                                                              : text[last - 1];
}

/* Returns true if the text ahead of a line ends a statement or begins a block. */
static bool is_after_statement(const char *text, size_t line) {
    char last = 0;
    while (line > 0 && last == 0) {
        size_t begin = ht_line_begin(text, line - 1);
        last = last_of(text, begin, line - 1);
        line = begin;
    }
    return last == ';' || last == '{' || last == '}';
}

/* Returns where a launch begins whose kernel's name is at a place: with the name's scopes, or with
 * the macro that has it as its argument. */
static size_t call_begin(const char *text, size_t at) {
    static const char macro[] = "hipLaunchKernelGGL";
    size_t begin = at, size = sizeof macro - 1;
    while (begin > 0 && (ht_name_has(text[begin - 1]) || text[begin - 1] == ':'))
        --begin;
    size_t open = begin;
    while (open > 0 && strchr(" (\t", text[open - 1]) && text[open - 1])
        --open;
    bool called = open < begin && open >= size && memcmp(text + open - size, macro, size) == 0;
    return called ? open - size : begin;
}

bool ht_launch_ahead_place(const ht_plan *plan, const ht_launch_site *site, size_t *out_line) {
    const char *text = plan->model->facts->source->files[site->file].text;
    return ht_launch_ahead_of(plan, site, call_begin(text, site->range.begin), out_line);
}

bool ht_launch_ahead_of(const ht_plan *plan, const ht_launch_site *site, size_t begin,
                        size_t *out_line) {
    static const char *const jumps[] = {"switch", "goto", "case"};
    const ht_source *source = plan->model->facts->source;
    const ht_user_file *file = &source->files[site->file];
    size_t function_file;
    size_t line = ht_line_begin(file->text, begin);
    ht_range function;
    bool good = !site->in_macro && file->base == 0 &&
                ht_source_range(source, site->function, &function_file, &function) &&
                function_file == site->file && function.begin < line;
    for (size_t at = line; at < begin && good; ++at)
        good = isspace((unsigned char)file->text[at]);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps && good; ++i)
        good =
            !ht_name_stands(file->text + function.begin, function.end - function.begin, jumps[i]);
    *out_line = line;
    return good && is_after_statement(file->text, line);
}

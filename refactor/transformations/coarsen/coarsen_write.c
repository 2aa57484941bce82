#include "refactor/transformations/coarsen/coarsen_write.h"
#include "base/memory.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/source/names.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An argument that a macro uses twice is one place in the text with two nodes: they must agree. */
void ht_writer_swap(ht_writer *writer, ht_range range, char *text) {
    for (size_t i = 0; i < writer->swap_count; ++i) {
        const ht_swap *other = &writer->swaps[i];
        if (other->range.begin != range.begin || other->range.end != range.end)
            continue;
        if (strcmp(other->text, text) != 0) {
            if (range.begin == range.end)
                continue;
            writer->failed = true;
        }
        free(text);
        return;
    }
    HT_GROW(writer->swaps, writer->swap_count);
    writer->swaps[writer->swap_count] = (ht_swap){range, text, writer->swap_count};
    ++writer->swap_count;
    writer->sorted = false;
}

void ht_writer_swaps_clear(ht_writer *writer) {
    for (size_t i = 0; i < writer->swap_count; ++i)
        free(writer->swaps[i].text);
    free(writer->swaps);
    writer->swaps = NULL;
    writer->swap_count = 0;
    writer->failed = false;
}

void ht_writer_free(ht_writer *writer) {
    ht_writer_swaps_clear(writer);
    ht_text_free(&writer->text);
}

ht_writer ht_writer_inner(const ht_writer *writer) {
    ht_writer inner = {.c = writer->c, .depth = writer->depth, .level_count = writer->level_count};
    memcpy(inner.levels, writer->levels, sizeof inner.levels);
    return inner;
}

void ht_writer_join(ht_writer *writer, ht_writer *inner) {
    ht_text_append(&writer->text, inner->text.data ? inner->text.data : "");
    writer->failed |= inner->failed;
    ht_writer_free(inner);
}

bool ht_writer_is_balanced(const ht_writer *writer) {
    long depth = 0;
    for (const char *at = writer->text.data ? writer->text.data : ""; *at && depth >= 0; ++at)
        depth += (*at == '{') - (*at == '}');
    return depth == 0;
}

static int by_place(const void *a, const void *b) {
    const ht_swap *left = a, *right = b;
    if (left->range.begin != right->range.begin)
        return left->range.begin < right->range.begin ? -1 : 1;
    if (left->range.end != right->range.end)
        return left->range.end < right->range.end ? -1 : 1;
    return left->order < right->order ? -1 : 1;
}

/* Returns true if a cut here does not go through an edit of another transformation. Edits of the
 * whole body do not count. */
static bool is_cut_free(const ht_writer *writer, size_t at) {
    const ht_plan *plan = writer->c->plan;
    ht_range body = writer->c->model->definition.body_range;
    for (size_t i = 0; i < plan->edits.count; ++i) {
        ht_range edit = plan->edits.items[i].range;
        bool whole = edit.begin <= body.begin + 1 && edit.end + 1 >= body.end;
        if (!whole && edit.begin < at && at < edit.end)
            return false;
    }
    return true;
}

static const char *indent_unit(const ht_writer *writer) {
    const ht_coarsen *c = writer->c;
    const char *text = c->model->text;
    for (size_t i = 0; i < c->tree->body->count; ++i) {
        size_t at = ht_blank_begin(text, c->tree->body->children[i]->range.begin);
        if (at == 0 || text[at - 1] != '\n')
            continue;
        if (text[at] == '\t')
            return "\t";
        size_t inner = strspn(text + at, " "), outer = c->tree->body->range.end - 1, line = outer;
        while (line > 0 && text[line - 1] == ' ')
            --line;
        size_t step = line > 0 && text[line - 1] == '\n' ? inner - (outer - line) : inner;
        return step == 2 ? "  " : step == 3 ? "   " : step == 8 ? "        " : "    ";
    }
    return "    ";
}

static void indent(ht_writer *writer) {
    const char *unit = indent_unit(writer);
    for (int i = 0; i < writer->depth; ++i)
        ht_text_append(&writer->text, unit);
    for (size_t i = 0; i < writer->level_count; ++i)
        ht_text_printf(&writer->text, "$?{%s}{}{%s}", writer->levels[i], unit);
}

/* Returns how many of a line's blanks are left out, as the depth is below 0. */
static size_t outdent(const ht_writer *writer, const char *line) {
    size_t blank = strspn(line, " \t"), out = 0;
    if (writer->depth < 0)
        out = (size_t)-writer->depth * strlen(indent_unit(writer));
    return out < blank ? out : blank;
}

static void piece(ht_writer *writer, size_t begin, size_t end) {
    if (begin < end)
        ht_text_printf(&writer->text, "$[%zu,%zu]", begin, end);
}

/* Writes a range without swaps inside, with more indentation at the begin of lines. */
static void lines(ht_writer *writer, size_t begin, size_t end) {
    const char *text = writer->c->model->text;
    size_t from = begin;
    bool moved = writer->depth != 0 || writer->level_count > 0;
    for (size_t at = begin; at < end && moved; ++at) {
        bool blank = text[at + 1] == '\n' || text[at + 1] == '\r' || text[at + 1] == '#';
        if (text[at] != '\n' || blank || !is_cut_free(writer, at + 1))
            continue;
        piece(writer, from, at + 1);
        from = at + 1;
        size_t out = outdent(writer, text + from);
        from = from + out < end ? from + out : end;
        indent(writer);
    }
    piece(writer, from, end);
}

void ht_writer_source(ht_writer *writer, size_t begin, size_t end) {
    if (!writer->sorted && writer->swap_count)
        qsort(writer->swaps, writer->swap_count, sizeof *writer->swaps, by_place);
    writer->sorted = true;
    size_t at = begin;
    for (size_t i = 0; i < writer->swap_count; ++i) {
        const ht_swap *swap = &writer->swaps[i];
        if (swap->range.begin < at || swap->range.end > end)
            continue;
        lines(writer, at, swap->range.begin);
        ht_text_append(&writer->text, swap->text);
        at = swap->range.end;
    }
    lines(writer, at, end);
}

static void write_list(ht_writer *writer, const char *format, va_list arguments) {
    char *text = ht_format_list(format, arguments);
    ht_text_append(&writer->text, text);
    free(text);
}

void ht_writer_printf(ht_writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_list(writer, format, arguments);
    va_end(arguments);
}

void ht_writer_line(ht_writer *writer, size_t like) {
    const char *text = writer->c->model->text;
    size_t line = ht_line_begin(text, like), blank = strspn(text + line, " \t");
    if (line + blank > like)
        blank = like - line;
    ht_text_append(&writer->text, "\n");
    size_t out = outdent(writer, text + line);
    ht_text_append_n(&writer->text, text + line, blank - (out < blank ? out : blank));
    indent(writer);
}

void ht_writer_put(ht_writer *writer, size_t like, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ht_writer_line(writer, like);
    write_list(writer, format, arguments);
    va_end(arguments);
}

void ht_writer_open(ht_writer *writer, size_t like, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ht_writer_line(writer, like);
    write_list(writer, format, arguments);
    va_end(arguments);
    ++writer->depth;
}

void ht_writer_close(ht_writer *writer, size_t like, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    --writer->depth;
    ht_writer_line(writer, like);
    write_list(writer, format, arguments);
    va_end(arguments);
}

void ht_writer_count(ht_writer *writer, size_t like, const char *counter, const char *end,
                     const char *step, const char *ending) {
    ht_writer_open(writer, like, "for (int %s = 0; %s < ${%s}; %s%s%s)%s", counter, counter, end,
                   step ? counter : "++", step ? " += " : counter, step ? step : "", ending);
}

void ht_writer_unrolled(ht_writer *writer, size_t like, const char *counter, const char *end,
                        const char *step, const char *ending) {
    ht_writer_put(writer, like, "#pragma unroll");
    ht_writer_count(writer, like, counter, end, step, ending);
}

void ht_writer_unroll_kept(ht_writer *writer, const ht_syntax *loop, const char *several) {
    size_t begin = loop->range.begin;
    const ht_planned_param *param = ht_plan_unroll_of(writer->c->plan, loop->start);
    if (!param || !param->whole)
        return;
    size_t at = ht_blank_begin(writer->text.data, writer->text.length);
    ht_writer_printf(writer, "$?{(%s) && %s == %s}{}{", several, param->name, param->default_value);
    if (at > 0 && writer->text.data[at - 1] != '\n')
        ht_writer_line(writer, begin);
    ht_writer_printf(writer, "#pragma unroll");
    ht_writer_line(writer, begin);
    ht_writer_printf(writer, "}");
}

void ht_writer_lines(ht_writer *writer, const char *text, size_t like) {
    const char *at = text;
    for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        ht_text_append_n(&writer->text, at, (size_t)(end - at));
        ht_writer_line(writer, like);
    }
    ht_text_append(&writer->text, at);
}

void ht_writer_lead(ht_writer *writer, const ht_syntax *node) {
    size_t lead = ht_statement_lead(writer->c, node), begin = ht_statement_of(node)->range.begin;
    const char *text = writer->c->model->text;
    if (!memchr(text + lead, '\n', begin - lead)) {
        ht_writer_line(writer, begin);
        while (isspace((unsigned char)text[lead]))
            ++lead;
    }
    ht_writer_source(writer, lead, begin);
}

void ht_writer_comments(ht_writer *writer, const ht_syntax *node, size_t like) {
    size_t at = ht_statement_lead(writer->c, node), end = ht_statement_of(node)->range.begin;
    const char *text = writer->c->model->text;
    while (at < end) {
        at += strspn(text + at, " \t\r\n");
        size_t length = at < end ? strcspn(text + at, "\r\n") : 0;
        size_t last = at + length < end ? at + length : end;
        while (last > at && isspace((unsigned char)text[last - 1]))
            --last;
        if (at < last) {
            ht_writer_line(writer, like);
            ht_writer_printf(writer, text[at] == '*' ? " " : ""); /* in a column with the first */
            piece(writer, at, last);
        }
        at += length;
    }
}

void ht_writer_statement(ht_writer *writer, const ht_syntax *statement) {
    ht_writer_lead(writer, statement);
    ht_writer_source(writer, statement->range.begin, ht_statement_tail(writer->c, statement));
}

/* ---- declarations that are written anew ---- */

/* Returns the end of the `[n][m]` after a name. */
size_t ht_variable_dimensions_end(const ht_coarsen *c, const ht_syntax *node, size_t begin) {
    const char *text = c->model->text;
    size_t end = begin;
    for (size_t at = begin; at < node->range.end;) {
        if (text[at] == '[') {
            int depth = 0;
            do {
                depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
                ++at;
            } while (depth > 0 && at < node->range.end);
            end = at;
        } else if (text[at] == ' ')
            ++at;
        else
            break;
    }
    return end;
}

/* Copies a declaration with its attributes and all its variables, once. */
static void write_shared(ht_writer *writer, const ht_syntax *node) {
    const ht_syntax *statement = ht_statement_of(node);
    if (statement->count && statement->children[0] != node)
        return;
    const char *text = writer->c->model->text;
    size_t begin = ht_statement_lead(writer->c, node);
    while (isspace((unsigned char)text[begin]))
        ++begin;
    size_t end = ht_statement_end(writer->c, statement);
    if (writer->c->plan->stack.param) /* not with an array for each of several blocks */
        ht_writer_printf(writer, "%.*s", (int)(end - begin), text + begin);
    else
        ht_writer_source(writer, begin, end);
}

/* Returns true if the words of a type say no more than the type, nor leave it open. */
static bool is_plain_type(const char *text, size_t length) {
    static const char *const others[] = {"auto", "static", "constexpr", "volatile", "register"};
    bool plain = length > 0;
    for (size_t at = 0; at < length; ++at)
        plain = plain && (ht_name_has(text[at]) || text[at] == ' ');
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        plain = plain && !memmem(text, length, others[i], strlen(others[i]));
    return plain;
}

char *ht_coarsen_index_type(const ht_coarsen *c, size_t variable) {
    const ht_syntax_variable *x = &c->tree->variables[variable];
    const ht_syntax *statement = ht_statement_of(x->declaration);
    size_t begin = statement->range.begin, end = x->name_end - strlen(x->name);
    const char *text = c->model->text;
    if (statement->count == 1 && statement->plain && begin < end && end <= statement->range.end) {
        begin += strncmp(text + begin, "const ", 6) == 0 ? 6 : 0;
        if (is_plain_type(text + begin, end - begin) && text[end - 1] == ' ' &&
            !memmem(text + begin, end - begin, "const", 5))
            return ht_strndup(text + begin, end - begin);
    }
    return ht_syntax_variable_type(x, false);
}

const char *ht_coarsen_index_const(const ht_coarsen *c, size_t variable) {
    return c->tree->variables[variable].is_const ? "const " : "";
}

char *ht_coarsen_x_type(const ht_coarsen *c) {
    return ht_coarsen_index_type(c, c->x);
}

bool ht_coarsen_starts_at_zero(const ht_coarsen *c, const ht_syntax *node) {
    const ht_syntax_variable *variable = &c->tree->variables[node->variable];
    bool number = variable->type == HT_TYPE_REAL || variable->type == HT_TYPE_INTEGER;
    if (!number || variable->is_open || variable->is_array || !ht_variable_has_initialiser(c, node))
        return false;
    const ht_syntax *start = ht_syntax_strip(node->children[0]);
    return start->plain && ht_syntax_is_literal(start) && ht_syntax_literal(start) == 0;
}

/* Returns true if the author writes a pointer's star next to its type: `float* row`. */
static bool has_star_at_type(const ht_writer *writer, const ht_syntax_variable *variable) {
    const char *text = writer->c->model->text;
    size_t length = strlen(variable->name), at = variable->name_end - length;
    if (variable->name_end < length || strncmp(text + at, variable->name, length) != 0)
        return false;
    size_t name = at;
    at = ht_blank_begin(text, at);
    return at < name && at > 1 && text[at - 1] == '*' && ht_name_has(text[at - 2]);
}

void ht_writer_variable(ht_writer *writer, const ht_syntax *node) {
    const ht_syntax_variable *variable = &writer->c->tree->variables[node->variable];
    if (variable->is_shared) {
        write_shared(writer, node);
        return;
    }
    char *type = ht_syntax_variable_type(variable, true);
    size_t begin = variable->name_end;
    bool constant = variable->is_const;
    if (!type) {
        writer->failed = true;
        return;
    }
    size_t length = strlen(type);
    bool pointer = type[length - 1] == '*';
    if (pointer && length > 2 && type[length - 2] == ' ' && has_star_at_type(writer, variable)) {
        type[length - 2] = 0;
        ht_writer_printf(writer, "%s$?{1}{ *}{* }%s%s", type, constant ? "const " : "",
                         variable->name);
    } else
        ht_writer_printf(writer, "%s%s%s%s", constant && !pointer ? "const " : "", type,
                         constant && pointer ? "const " : "", variable->name);
    ht_writer_source(writer, begin, node->range.end > begin ? node->range.end : begin);
    ht_writer_printf(writer, ";");
    free(type);
}

#include "refactor/transformations/block_size/sums_write.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/block_size/sums_own.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

#include <stdlib.h>
#include <string.h>

typedef struct writing {
    ht_coarsen c; /* the writer's */
    ht_plan *plan;
    const ht_block_sums *sums;
    const ht_block_sum *sum;
    const char *reduce, *block;
    const char *parts, *offset, *each, *left, *own; /* names */
    size_t like;                                    /* lines are indented like this place */
} writing;

static void line(const writing *in, ht_writer *writer, const char *text) {
    ht_writer_put(writer, in->like, "%s", text);
}

static void open_brace(const writing *in, ht_writer *writer, const char *text) {
    line(in, writer, text);
    ++writer->depth;
}

static void close_brace(const writing *in, ht_writer *writer) {
    --writer->depth;
    line(in, writer, "}");
}

static const ht_syntax_variable *variable_of(const writing *in, size_t whole) {
    return &in->sums->whole->variables[whole];
}

/* ---- one reduction ---- */

/* Writes TO = TO combined with WITH. */
static void write_combine(const writing *in, ht_combine op, const char *type, const char *to,
                          const char *with, ht_writer *writer) {
    static const char *const names[2][3] = {{"fmaxf", "fmax", "max"}, {"fminf", "fmin", "min"}};
    size_t kind = strncmp(type, "float", 5) == 0 ? 0 : strncmp(type, "double", 6) == 0 ? 1 : 2;
    ht_writer_line(writer, in->like);
    if (op == HT_COMBINE_SUM || op == HT_COMBINE_SCALED)
        ht_writer_printf(writer, "%s += %s;", to, with);
    else
        ht_writer_printf(writer, "%s = %s(%s, %s);", to, names[op == HT_COMBINE_MIN][kind], to,
                         with);
}

/* Writes a reduction by shuffles of 32 lanes, which wavefronts of 64 do in halves. All threads have
 * the result. */
static void write_lanes(const writing *in, const ht_accumulator *of, const char *type,
                        const char *name, ht_writer *writer) {
    char *shuffled = ht_format("__shfl_xor(%s, %s, 32)", name, in->offset);
    char *part = ht_format("%s[%s]", in->parts, in->each);
    ht_writer_put(writer, in->like, "__shared__ %s%s[32];", type, in->parts);
    ht_writer_open(writer, in->like, "for (int %s = 16; %s > 0; %s /= 2)", in->offset, in->offset,
                   in->offset);
    write_combine(in, of->op, type, name, shuffled, writer);
    ht_writer_close(writer, in->like, "if (threadIdx.x %% 32 == 0)");
    ++writer->depth;
    ht_writer_put(writer, in->like, "%s[threadIdx.x / 32] = %s;", in->parts, name);
    ht_writer_close(writer, in->like, "__syncthreads();");
    ht_writer_put(writer, in->like, "%s = %s[0];", name, in->parts);
    ht_writer_open(writer, in->like, "for (int %s = 1; %s < ${%s} / 32; ++%s)", in->each, in->each,
                   in->block, in->each);
    write_combine(in, of->op, type, name, part, writer);
    --writer->depth;
    free(shuffled);
    free(part);
}

/* Writes a reduction by a tree in shared memory. All threads have the result. */
static void write_shared(const writing *in, const ht_accumulator *of, const char *type,
                         const char *name, ht_writer *writer) {
    char *own = ht_format("%s[threadIdx.x]", in->parts);
    char *other = ht_format("%s[threadIdx.x + %s]", in->parts, in->left);
    ht_writer_put(writer, in->like, "__shared__ %s%s[${%s}];", type, in->parts, in->block);
    ht_writer_put(writer, in->like, "%s = %s;", own, name);
    line(in, writer, "__syncthreads();");
    ht_writer_open(writer, in->like, "for (unsigned %s = ${%s / 2}; %s > 0; %s /= 2) {", in->left,
                   in->block, in->left, in->left);
    ht_writer_open(writer, in->like, "if (threadIdx.x < %s)", in->left);
    write_combine(in, of->op, type, own, other, writer);
    ht_writer_close(writer, in->like, "__syncthreads();");
    close_brace(in, writer);
    ht_writer_put(writer, in->like, "%s = %s[0];", name, in->parts);
    free(own);
    free(other);
}

typedef void way(const writing *in, const ht_accumulator *of, const char *type, const char *name,
                 ht_writer *writer);

/* Writes { the reduction in one way }. */
static void write_way(const writing *in, const ht_accumulator *of, const char *type, way *write,
                      ht_writer *writer) {
    ht_writer_printf(writer, "{");
    ++writer->depth;
    write(in, of, type, variable_of(in, of->whole)->name, writer);
    close_brace(in, writer);
}

/* Writes the reduction of an accumulator. In the template a condition chooses between the ways; an
 * applied source has the one that is chosen. */
static bool write_reduction(const writing *in, size_t source, bool applied, ht_writer *writer) {
    static const char *const words[] = {"", "sum", "maximum", "minimum", "sum"};
    const ht_accumulator *of = ht_sums_accumulator(in->sums, source);
    char *type = of ? ht_syntax_variable_type(variable_of(in, source), false) : NULL;
    if (!type)
        return false;
    ht_writer_put(writer, in->like, "// the %s of %s over the block", words[of->op],
                  variable_of(in, source)->name);
    ht_writer_line(writer, in->like);
    if (applied)
        ht_writer_printf(writer, "$?{%s == %d}{}{", in->reduce, HT_REDUCE_LANES);
    else
        ht_writer_printf(writer, "if (${%s} == %d) ", in->reduce, HT_REDUCE_LANES);
    write_way(in, of, type, write_lanes, writer);
    if (applied)
        ht_writer_printf(writer, "}$?{%s == %d}{}{", in->reduce, HT_REDUCE_SHARED);
    else
        ht_writer_printf(writer, " else ");
    write_way(in, of, type, write_shared, writer);
    ht_writer_printf(writer, applied ? "}" : "");
    free(type);
    return true;
}

/* Writes the reduction of a sum that a maximum scales: each thread's sum, scaled by the block's
 * maximum, which is reduced first. */
static bool write_scaled(const writing *in, const ht_accumulator *of, bool applied,
                         ht_writer *writer) {
    const char *most = variable_of(in, of->scale)->name, *sum = variable_of(in, of->whole)->name;
    char *type = ht_syntax_variable_type(variable_of(in, of->scale), false);
    bool done = type != NULL;
    ht_writer_put(writer, in->like, "const %s%s = %s;", type ? type : "", in->own, most);
    done = done && write_reduction(in, of->scale, applied, writer);
    ht_writer_put(writer, in->like, "%s *= %s(%s - %s);", sum, of->exponential, in->own, most);
    done = done && write_reduction(in, of->whole, applied, writer);
    free(type);
    return done;
}

/* ---- what comes out ---- */

/* Returns true if the results from this one on need no reduction of the source: it comes before, or
 * with a sum that it scales. */
static bool is_reduced(const writing *in, size_t result) {
    size_t source = in->sum->results[result].source;
    for (size_t i = 0; i < in->sum->result_count; ++i) {
        const ht_accumulator *of = ht_sums_accumulator(in->sums, in->sum->results[i].source);
        if ((i < result && in->sum->results[i].source == source) || (of && of->scale == source))
            return true;
    }
    return false;
}

static bool write_reductions(const writing *in, bool applied, ht_writer *writer) {
    bool done = true;
    for (size_t i = 0; i < in->sum->result_count && done; ++i) {
        const ht_accumulator *of = ht_sums_accumulator(in->sums, in->sum->results[i].source);
        if (is_reduced(in, i))
            continue;
        done = of && of->op == HT_COMBINE_SCALED
                   ? write_scaled(in, of, applied, writer)
                   : write_reduction(in, in->sum->results[i].source, applied, writer);
    }
    return done;
}

/* Writes results to the variables and the shared memory that later statements read. `declare`:
 * variables that the statements declared are declared here; else they have names of their own. */
static bool write_results(const writing *in, char *const *names, bool declare, ht_writer *writer) {
    bool shared = false;
    for (size_t i = 0; i < in->sum->result_count; ++i) {
        const ht_block_result *result = &in->sum->results[i];
        const ht_syntax_variable *variable = variable_of(in, result->variable);
        const char *source = variable_of(in, result->source)->name;
        shared |= result->element != SIZE_MAX;
        if (result->element != SIZE_MAX || result->variable == result->source)
            continue;
        char *type = ht_syntax_variable_type(variable, false);
        if (!type)
            return false;
        ht_writer_line(writer, in->like);
        if (result->declared && declare)
            ht_writer_printf(writer, "%s%s%s = %s;", variable->is_const ? "const " : "", type,
                             variable->name, source);
        else
            ht_writer_printf(writer, "%s = %s;", result->declared ? names[i] : variable->name,
                             source);
        free(type);
    }
    if (!shared)
        return true;
    open_brace(in, writer, "if (threadIdx.x == 0) {");
    for (size_t i = 0; i < in->sum->result_count; ++i) {
        const ht_block_result *result = &in->sum->results[i];
        if (result->element == SIZE_MAX)
            continue;
        ht_writer_put(
            writer, in->like, "%.*s = %s;", (int)(result->place.end - result->place.begin),
            in->c.model->text + result->place.begin, variable_of(in, result->source)->name);
    }
    close_brace(in, writer);
    line(in, writer, "__syncthreads();");
    return true;
}

/* ---- the statements ---- */

static ht_range range_of(const writing *in) {
    return (ht_range){ht_sums_statement(in->sums, in->sum->first)->range.begin,
                      ht_statement_end(&in->c, ht_sums_statement(in->sums, in->sum->last))};
}

/* Writes declarations that stay ahead. Returns the number. */
static size_t write_hoisted(const writing *in, ht_writer *writer) {
    size_t count = 0;
    for (size_t i = in->sum->first; i <= in->sum->last; ++i) {
        const ht_syntax *statement = ht_sums_statement(in->sums, i);
        if (!ht_block_sums_hoists(in->sums, in->sum, i))
            continue;
        if (count++ > 0)
            ht_writer_line(writer, in->like);
        ht_writer_source(writer, statement->range.begin, ht_statement_end(&in->c, statement));
    }
    return count;
}

/* Writes the author's statements, without declarations that stay ahead. */
static void write_own(const writing *in, ht_writer *writer) {
    ht_writer inner = ht_writer_inner(writer);
    for (size_t i = in->sum->first; i <= in->sum->last; ++i)
        if (ht_block_sums_hoists(in->sums, in->sum, i))
            ht_writer_swap(&inner,
                           (ht_range){ht_sums_statement(in->sums, i)->range.begin,
                                      ht_statement_end(&in->c, ht_sums_statement(in->sums, i))},
                           ht_strdup(""));
    ht_range range = range_of(in);
    ht_writer_line(&inner, in->like);
    ht_writer_source(&inner, range.begin, range.end);
    ht_writer_join(writer, &inner);
}

/* Writes what the template has: the author's statements, or others. */
static bool write_template(const writing *in, char *const *names, ht_writer *writer) {
    bool done = true;
    for (size_t i = 0; i < in->sum->result_count && done; ++i) {
        const ht_block_result *result = &in->sum->results[i];
        char *type = result->declared
                         ? ht_syntax_variable_type(variable_of(in, result->variable), false)
                         : NULL;
        done = type || !result->declared;
        if (type) {
            ht_writer_put(writer, in->like, "%s%s;", type, names[i]);
        }
        free(type);
    }
    ht_writer_open(writer, in->like, "if (${%s} == %d) {", in->reduce, HT_REDUCE_OWN);
    write_own(in, writer);
    for (size_t i = 0; i < in->sum->result_count; ++i)
        if (in->sum->results[i].declared) {
            ht_writer_put(writer, in->like, "%s = %s;", names[i],
                          variable_of(in, in->sum->results[i].variable)->name);
        }
    --writer->depth;
    line(in, writer, "} else {");
    ++writer->depth;
    done = done && write_reductions(in, false, writer) && write_results(in, names, false, writer);
    close_brace(in, writer);
    for (size_t i = 0; i < in->sum->result_count && done; ++i) {
        const ht_syntax_variable *variable = variable_of(in, in->sum->results[i].variable);
        char *type = ht_syntax_variable_type(variable, false);
        if (in->sum->results[i].declared) {
            ht_writer_put(writer, in->like, "%s%s%s = %s;", variable->is_const ? "const " : "",
                          type, variable->name, names[i]);
        }
        free(type);
    }
    return done;
}

static char **names_new(const writing *in) {
    char **names = ht_alloc(in->sum->result_count + 1, sizeof *names);
    for (size_t i = 0; i < in->sum->result_count; ++i) {
        char *wanted = ht_format("%s_whole", variable_of(in, in->sum->results[i].variable)->name);
        names[i] = ht_strdup(ht_plan_name(in->plan, wanted));
        free(wanted);
    }
    return names;
}

/* Returns a name for each thread's own maximum; NULL: none is needed. */
static const char *own_name(const writing *in) {
    for (size_t i = 0; i < in->sum->result_count; ++i) {
        const ht_accumulator *of = ht_sums_accumulator(in->sums, in->sum->results[i].source);
        if (of && of->op == HT_COMBINE_SCALED)
            return ht_plan_name(in->plan, "own_maximum");
    }
    return NULL;
}

static bool write_sum(writing *in) {
    char **names = names_new(in);
    in->own = own_name(in);
    ht_writer writer = {.c = &in->c}, template = {.c = &in->c}, applied = {.c = &in->c};
    in->like = ht_sums_statement(in->sums, in->sum->first)->range.begin;
    size_t hoisted = write_hoisted(in, &writer);
    bool done = write_template(in, names, &template) && write_reductions(in, true, &applied) &&
                write_results(in, names, true, &applied);
    done = done && template.text.data && applied.text.data;
    if (done) {
        /* the first line begins where the statements begin */
        const char *first = template.text.data, *second = applied.text.data;
        first += hoisted ? 0 : strspn(first, "\n \t");
        second += hoisted ? 0 : strspn(second, "\n \t");
        ht_writer_printf(&writer, "$?{%s > 0}{%s}{%s}", in->reduce, first, second);
        done = !writer.failed && !template.failed && !applied.failed &&
               ht_plan_edit(in->plan, range_of(in), in->reduce, writer.text.data);
    }
    ht_strings_free(names, in->sum->result_count);
    ht_writer_free(&writer);
    ht_writer_free(&template);
    ht_writer_free(&applied);
    return done;
}

/* ---- declarations that nothing needs any more ---- */

static bool is_blank_before(const char *text, size_t at) {
    at = ht_blank_begin(text, at);
    return at == 0 || text[at - 1] == '\n';
}

/* Leaves a declaration that only the replaced statements need out of an applied source, with its
 * line. */
static bool drop(const writing *in, const ht_syntax *statement) {
    const char *text = in->c.model->text;
    ht_range range = {statement->range.begin, ht_statement_end(&in->c, statement)};
    if (!ht_is_own_text(statement) || !is_blank_before(text, range.begin) ||
        text[range.end] != '\n')
        return true;
    range.begin = ht_line_begin(text, range.begin);
    ++range.end;
    return ht_plan_editf(in->plan, range, in->reduce, "$?{%s > 0}{$[%zu,%zu]}{}", in->reduce,
                         range.begin, range.end);
}

static bool is_inside(const ht_block_sums *sums, size_t index) {
    for (size_t k = 0; k < sums->count; ++k)
        if (index >= sums->items[k].first && index <= sums->items[k].last)
            return true;
    return false;
}

bool ht_sums_write(ht_plan *plan, const ht_block_sums *sums, const char *reduce,
                   const char *block) {
    writing in = {.c = {.model = plan->model, .plan = plan, .tree = sums->body},
                  .plan = plan,
                  .sums = sums,
                  .reduce = reduce,
                  .block = block};
    in.parts = ht_plan_name(plan, "parts");
    in.offset = ht_plan_name(plan, "offset");
    in.each = ht_plan_name(plan, "part");
    in.left = ht_plan_name(plan, "half");
    bool done = true;
    for (size_t k = 0; k < sums->count && done; ++k) {
        in.sum = &sums->items[k];
        done = write_sum(&in);
    }
    for (size_t i = 0; i < sums->body->body->count && done; ++i) {
        const ht_syntax *statement = ht_sums_statement(sums, i);
        if (statement->kind == HT_SYNTAX_DECLARATION && !is_inside(sums, i) &&
            ht_block_sums_own(sums, statement))
            done = drop(&in, statement);
    }
    return done;
}

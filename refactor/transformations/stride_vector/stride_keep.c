#include "refactor/transformations/stride_vector/stride_keep.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/stride_vector/kept_rows.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that a thread may keep in registers; a block, of shared memory, leaves half to others. */
enum { REGISTER_BYTES_MAX = 256 };

typedef struct row_names {
    const char *pack;      /* the type of elements that are accessed at once */
    const char *own, *lds; /* arrays of such */
    const char *now;       /* one of them, by the counter */
} row_names;

struct ht_stride_keep {
    ht_plan *plan;
    ht_widening *loops;
    size_t count;
    ht_kept_rows rows;
    row_names *names; /* by row; owned */
    char **texts;     /* by loop, in its place; NULL: it stays; owned */
    const char *keep, *lds, *counter;
};

typedef struct ht_stride_keep keeping;

/* ---- names ---- */

static const char *root_of(const ht_syntax *access) {
    while (access->count)
        access = ht_syntax_strip(access->children[0]);
    const ht_syntax_variable *variable = ht_syntax_named(access);
    return variable ? variable->name : "row";
}

static const char *name_of(keeping *in, const char *root, const char *suffix) {
    char *wanted = ht_format("%s_%s", root, suffix);
    const char *name = ht_plan_name(in->plan, wanted);
    free(wanted);
    return name;
}

static void choose_names(keeping *in) {
    in->keep = ht_plan_name(in->plan, "KEEP");
    in->lds = ht_plan_name(in->plan, "KEEP_LDS");
    in->counter = ht_plan_name(in->plan, "kept");
    in->names = ht_alloc(in->rows.count + 1, sizeof *in->names);
    for (size_t r = 0; r < in->rows.count; ++r) {
        row_names *names = &in->names[r];
        const char *root = root_of(in->rows.items[r].access->node);
        names->pack = name_of(in, root, "part");
        names->own = name_of(in, root, "kept");
        names->lds = name_of(in, root, "kept_of_block");
        names->now = name_of(in, root, "now");
    }
}

/* ---- writing ---- */

static size_t place_of(const ht_widening *loop) {
    return loop->of->loop->start;
}

/* Writes the arrays of the rows that this loop is the first one of. */
static void write_arrays(const keeping *in, size_t index, ht_writer *writer) {
    const ht_widening *loop = &in->loops[index];
    const char *block = in->plan->axes[0].block;
    for (size_t r = 0; r < in->rows.count; ++r) {
        const row_names *names = &in->names[r];
        if (in->rows.items[r].first != index)
            continue;
        ht_writer_put(writer, place_of(loop), "struct %s { %s element[${%s}]; };", names->pack,
                      in->rows.items[r].access->type, loop->param);
        ht_writer_put(writer, place_of(loop),
                      "$?{!%s}{%s %s[%s > 0 && !%s ? %s : 1];}{%s %s[${%s}];}", in->lds,
                      names->pack, names->own, in->keep, in->lds, in->keep, names->pack, names->own,
                      in->keep);
        ht_writer_printf(writer, "$?{%s}{", in->lds);
        ht_writer_put(writer, place_of(loop),
                      "__shared__ %s %s[%s ? %s * %s : 1];}{__shared__ %s %s[${%s * %s}];}",
                      names->pack, names->lds, in->lds, in->keep, block, names->pack, names->lds,
                      in->keep, block);
    }
}

/* Writes references to what is kept of this loop's accesses. */
static void write_now(const keeping *in, size_t index, ht_writer *writer) {
    for (size_t r = 0; r < in->rows.count; ++r) {
        const row_names *names = &in->names[r];
        bool here = false;
        for (size_t i = 0; i < in->loops[index].vectors.count; ++i)
            here |= in->rows.of[index][i] == r;
        if (!here)
            continue;
        ht_writer_put(writer, place_of(&in->loops[index]), "%s &%s = ", names->pack, names->now);
        ht_writer_printf(writer,
                         "$?{%s}{%s ? %s[%s * blockDim.x + threadIdx.x] : }{%s[%s * "
                         "blockDim.x + threadIdx.x]}$?{!%s}{%s[%s]}{%s[%s]};",
                         in->lds, in->lds, names->lds, in->counter, names->lds, in->counter,
                         in->lds, names->own, in->counter, names->own, in->counter);
    }
}

/* Opens what a turn runs that begins within the row. */
static void turn_open(ht_widening *loop, ht_writer *writer) {
    ht_writer_put(writer, place_of(loop), "if (%s < ", loop->first);
    ht_widening_bound(loop, writer);
    ht_writer_printf(writer, ") {");
    ++writer->depth;
}

/* Writes a turn, whose iterations `turn` writes. */
static void write_turn(const keeping *in, size_t index, ht_widening *loop,
                       void (*turn)(ht_widening *loop, ht_writer *writer), ht_writer *writer) {
    turn_open(loop, writer);
    write_now(in, index, writer);
    turn(loop, writer);
    ht_writer_close(writer, place_of(loop), "}");
}

/* Writes a turn with the end of a row, which is not kept, as a text of its own. */
static void write_two(const keeping *in, size_t index, ht_widening *loop, ht_writer *writer) {
    turn_open(loop, writer);
    ht_writer_put(writer, place_of(loop), "if (");
    ht_widening_bound(loop, writer);
    ht_writer_printf(writer, " - %s >= ${%s}) {", loop->first, loop->param);
    ++writer->depth;
    write_now(in, index, writer);
    ht_widening_together(loop, writer);
    ht_writer_close(writer, place_of(loop), "}");
    ht_writer_printf(writer, " else {");
    ++writer->depth;
    ht_widening_rest(loop, writer);
    ht_writer_close(writer, place_of(loop), "}");
    ht_writer_close(writer, place_of(loop), "}");
}

static ht_range range_of(const ht_widening *loop) {
    return (ht_range){loop->of->loop->range.begin, ht_statement_end(&loop->c, loop->of->loop)};
}

static char *source_text(const ht_widening *loop, const ht_syntax *node) {
    return ht_strndup(loop->c.model->text + node->range.begin, node->range.end - node->range.begin);
}

/* Writes the loop over the first iterations of each thread, which keep elements. */
static void write_kept(const keeping *in, size_t index, ht_widening *loop, ht_writer *writer) {
    char *start = source_text(loop, loop->of->start), *step = source_text(loop, loop->of->step);
    const char *param = loop->param;
    ht_writer_unrolled(writer, place_of(loop), in->counter, in->keep, NULL, " {");
    char *value = ht_format("$?{%s > 1}{(}{(}%s + %s * %s$?{%s > 1}{) * %s}{) * ${%s}}", param,
                            start, in->counter, step, param, param, param);
    ht_widening_counter(loop, loop->first, value, writer);
    ht_writer full = ht_writer_inner(writer), single = ht_writer_inner(writer);
    ht_writer one = ht_writer_inner(writer);
    write_two(in, index, loop, &full);
    write_turn(in, index, loop, ht_widening_together, &single);
    bool has_one = ht_widening_has_one(loop);
    if (has_one)
        write_turn(in, index, loop, ht_widening_one, &one);
    writer->failed |= full.failed || single.failed || !full.text.data || !single.text.data;
    if (!writer->failed)
        ht_writer_printf(writer, "$?{%s > 1}{%s}{%s}$?{%s == 1}{}{%s}", param, full.text.data,
                         has_one && !one.failed ? one.text.data : full.text.data, param,
                         single.text.data);
    ht_writer_free(&one);
    ht_writer_free(&full);
    ht_writer_free(&single);
    ht_writer_close(writer, place_of(loop), "}");
    free(value);
    free(start);
    free(step);
}

/* Returns the loop over a thread's first iterations, and the loop itself over the others. NULL: it
 * accesses nothing that is kept. */
static char *text_of(keeping *in, size_t index) {
    ht_widening loop = in->loops[index];
    size_t count = loop.vectors.count;
    ht_vector_access *accesses = ht_alloc(count + 1, sizeof *accesses);
    loop.keeps = true;
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
        size_t row = in->rows.of[index][i];
        accesses[i] = loop.vectors.items[i];
        if (row == SIZE_MAX)
            continue;
        any = accesses[i].elsewhere = true;
        accesses[i].load &= in->rows.items[row].first == index;
        accesses[i].pack = in->names[row].pack;
        accesses[i].name = in->names[row].now;
    }
    loop.vectors.items = accesses;
    ht_writer writer = {.c = &loop.c};
    if (any) {
        ht_range range = range_of(&loop);
        write_arrays(in, index, &writer);
        write_kept(in, index, &loop, &writer);
        ht_writer_put(&writer, place_of(&loop), "$[%zu,%zu]", range.begin, range.end);
        in->plan->running.failed |= writer.failed;
    }
    char *text =
        writer.text.data ? ht_strdup(writer.text.data + strspn(writer.text.data, "\n \t")) : NULL;
    ht_writer_free(&writer);
    free(accesses);
    return text;
}

static void edit_loop(const keeping *in, size_t index) {
    const ht_widening *loop = &in->loops[index];
    char *step = source_text(loop, loop->of->step);
    ht_range start = loop->of->start->range;
    char *later = ht_format("$[%zu,%zu] + ${%s} * %s$?{%s > 1}{ * %s}{ * ${%s}}", start.begin,
                            start.end, in->keep, step, loop->param, loop->param, loop->param);
    ht_plan_wrap(in->plan, range_of(loop), in->keep, in->texts[index]);
    ht_plan_wrap(in->plan, start, in->keep, later);
    free(later);
    free(step);
}

/* ---- parameters ---- */

static void add_parameters(keeping *in) {
    size_t bytes = 0;
    const char *param = in->loops[0].param, *block = in->plan->axes[0].block;
    for (size_t r = 0; r < in->rows.count; ++r) {
        param = in->loops[in->rows.items[r].first].param;
        bytes += ht_syntax_launched_size(in->rows.items[r].access->node);
    }
    ht_plan_param(in->plan, in->keep, "0, 1, 2, 4, 8, 16", "0");
    ht_plan_call(in->plan, in->keep, "accesses kept per thread");
    ht_plan_form(in->plan, in->keep, "each loop over a row twice");
    ht_plan_param(in->plan, in->lds, "false, true", "false");
    ht_plan_require(in->plan, "%s > 0 || !%s", in->keep, in->lds);
    if (in->plan->launches.block_rows) /* which would share the array */
        ht_plan_require(in->plan, "%s == 1 || !%s", in->plan->launches.block_rows, in->lds);
    ht_plan_require(in->plan, "%s || %s * %s * %zu <= %d", in->lds, in->keep, param, bytes,
                    REGISTER_BYTES_MAX);
    ht_plan_require(in->plan, "!%s || %s * %s * %s * %zu <= device.max_static_lds / 2", in->lds,
                    in->keep, param, block, bytes);
}

static void remark(keeping *in) {
    for (size_t r = 0; r < in->rows.count; ++r)
        ht_plan_remark_place(in->plan, HT_REMARK_APPLIED, in->rows.items[r].access->node->at,
                             "%s: for this many accesses of a thread, elements of %s are kept for "
                             "the later loops over the row, in registers or (%s) in shared memory",
                             in->keep, root_of(in->rows.items[r].access->node), in->lds);
    if (in->rows.why)
        ht_plan_remark_place(in->plan, HT_REMARK_NOTE, in->rows.at,
                             "elements that later loops access again are not kept: %s",
                             in->rows.why);
}

ht_stride_keep *ht_stride_keep_new(ht_plan *plan, ht_widening *loops, size_t count) {
    keeping *in = ht_alloc(1, sizeof *in);
    *in = (keeping){.plan = plan, .loops = loops, .count = count};
    ht_kept_rows_find(loops, count, &in->rows);
    in->texts = ht_alloc(count + 1, sizeof *in->texts);
    if (in->rows.count)
        choose_names(in);
    for (size_t l = 0; l < count && in->rows.count; ++l)
        in->texts[l] = text_of(in, l);
    return in;
}

const char *ht_stride_keep_param(const ht_stride_keep *in) {
    return in->rows.count ? in->keep : NULL;
}

void ht_stride_keep_apply(ht_stride_keep *in) {
    for (size_t l = 0; l < in->count; ++l)
        if (in->texts[l])
            edit_loop(in, l);
    if (in->rows.count)
        add_parameters(in);
    remark(in);
}

void ht_stride_keep_free(ht_stride_keep *in) {
    for (size_t l = 0; l < in->count; ++l)
        free(in->texts[l]);
    free(in->names);
    free(in->texts);
    ht_kept_rows_free(&in->rows, in->count);
    free(in);
}

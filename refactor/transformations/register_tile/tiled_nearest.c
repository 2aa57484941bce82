#include "refactor/transformations/register_tile/tiled_nearest.h"
#include "base/memory.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_single.h"

#include <stdlib.h>

void ht_tiled_nearest_note(ht_tiled *t, size_t axis, const ht_syntax *statement) {
    bool loops = false;
    for (size_t i = 0; i < t->form.loop_count; ++i)
        loops = loops || ht_syntax_within(statement, t->form.loops[i].loop);
    if (t->text == HT_TILE_THREAD && loops && ht_tiled_limit(t, axis))
        t->axes[axis].repeats = true;
}

void ht_tiled_nearest_settle(ht_tiled *t) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].repeats && !t->axes[i].kept)
            t->axes[i].kept = ht_tiled_name_like(t->c.plan, "_clamped", t->axes[i].form->name);
}

bool ht_tiled_is_kept(const ht_tiled *t, size_t axis) {
    return t->text == HT_TILE_THREAD && t->axes[axis].kept;
}

/* Writes a comment ahead of the first array. */
static void write_why(const ht_tiled *t, size_t axis, ht_writer *writer, size_t like) {
    ht_text first = {0};
    ht_text_printf(&first, "%s > 1", t->axes[axis].form->factor);
    for (size_t i = 0; i < axis; ++i)
        if (ht_tiled_is_kept(t, i))
            ht_text_printf(&first, " && %s == 1", t->axes[i].form->factor);
    ht_writer_printf(writer, "$?{%s}{}{", first.data);
    ht_writer_put(writer, like,
                  "// outputs past the edge read what lies inside, and are not stored}");
    ht_text_free(&first);
}

void ht_tiled_nearest_write(ht_tiled *t, ht_writer *writer, size_t like) {
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *of = t->axes[i].form;
        if (!ht_tiled_is_kept(t, i))
            continue;
        char *place = ht_tiled_single_place(t, i);
        write_why(t, i, writer, like);
        ht_writer_printf(writer, "$?{%s > 1}{}{", of->factor);
        ht_writer_put(writer, like, "%s%s[${%s}];", t->axes[i].type, t->axes[i].kept, of->factor);
        ht_tiled_axis_loop(of, writer, like);
        ht_writer_line(writer, like);
        --writer->depth;
        ht_writer_printf(writer, "%s[%s] = ", t->axes[i].kept, of->counter);
        ht_tiled_write_clamped(t, i, place, writer);
        ht_writer_printf(writer, ";}");
        free(place);
    }
}

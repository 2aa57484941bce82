/* Texts of launch expressions. */
#include "refactor/kernel/launch_words.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/names.h"

#include <stdlib.h>
#include <string.h>

bool ht_extent_is_record(CXCursor variable) {
    return !clang_Cursor_isNull(variable) &&
           clang_getCanonicalType(clang_getCursorType(variable)).kind == CXType_Record;
}

bool ht_symbol_is_assumed(const ht_symbol *symbol) {
    if (!symbol)
        return false;
    for (int i = 0; i < 3; ++i)
        if (ht_symbol_is_assumed(symbol->arguments[i]))
            return true;
    return symbol->assumed || ht_symbol_is_assumed(symbol->value_of);
}

#define NAMES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]"

char *ht_launch_axis_text(const ht_model *model, const ht_extent3 *extent, int axis) {
    const ht_symbol *symbol = extent->axis[axis];
    if (ht_extent_is_record(extent->variable)) {
        char *name = ht_cursor_name(extent->variable);
        char *text = ht_format("%s.%c", name, 'x' + axis);
        free(name);
        return text;
    }
    ht_range whole = extent->argument;
    bool here = symbol && symbol->has_place && extent->has_argument &&
                ht_range_within(symbol->place, whole);
    if (here) {
        char *text =
            ht_strndup(model->text + symbol->place.begin, symbol->place.end - symbol->place.begin);
        bool atom = strspn(text, NAMES) == strlen(text);
        char *whole = ht_format(atom ? "%s" : "(%s)", text);
        free(text);
        return whole;
    }
    /* a copy, as dim3(grid) makes one: its source may have changed since */
    return symbol && extent->has_argument
               ? ht_format("dim3(%.*s).%c", (int)(whole.end - whole.begin),
                           model->text + whole.begin, 'x' + axis)
               : NULL;
}

char *ht_dim3_text(char *const axes[3], int last) {
    ht_text text = {0};
    ht_text_append(&text, "dim3(");
    for (int axis = 0; axis <= last; ++axis)
        ht_text_printf(&text, axis ? ", %s" : "%s", axes[axis]);
    ht_text_append(&text, ")");
    return ht_text_take(&text);
}

char *ht_extent_text(const ht_model *model, const ht_extent3 *extent, int axis) {
    bool written = extent->axis[axis] || ht_extent_is_record(extent->variable);
    return written ? ht_launch_axis_text(model, extent, axis) : ht_strdup("1");
}

bool ht_launch_says_extents(const ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    bool all = true;
    for (size_t i = 0; i < launches->count; ++i) {
        const ht_launch_site *site = &launches->items[i];
        all = all && (site->file != 0 || (site->block.has_argument && site->grid.has_argument));
        for (int axis = 0; axis < 3; ++axis) {
            char *block = ht_extent_text(model, &site->block, axis);
            char *grid = ht_extent_text(model, &site->grid, axis);
            all = all && ((block && grid) || site->file != 0);
            free(block);
            free(grid);
        }
    }
    return all;
}

bool ht_launch_name_place(const ht_model *model, const ht_launch_site *site, ht_range *out_place,
                          ht_range *out_arguments) {
    size_t base = model->facts->source->files[site->file].base;
    size_t begin = base + site->range.begin, end = begin + strlen(model->name);
    *out_arguments = (ht_range){end, end};
    if (strncmp(model->text + begin, model->name, strlen(model->name)) != 0)
        return false;
    if (site->template_argument_count) {
        ht_range last = site->template_ranges[site->template_argument_count - 1];
        *out_arguments = (ht_range){base + site->template_ranges[0].begin, base + last.end};
        end = base + last.end + strspn(model->text + base + last.end, " \t");
        if (model->text[end++] != '>')
            return false;
    }
    *out_place = (ht_range){begin, end};
    return site->template_argument_count == model->facts->template_parameters.count;
}

bool ht_launch_is_call(const ht_model *model, ht_range place) {
    const char *text = model->text;
    size_t at = place.begin;
    int depth = 0;
    if (ht_source_at(model->facts->source, at) != 0)
        return false;
    while (at < place.end && (ht_name_has(text[at]) || text[at] == ':'))
        ++at;
    if (at == place.begin || text[at] != '(' || !ht_model_is_plain(model, place.begin))
        return false;
    for (; at < place.end; ++at) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0)
            return at + 1 == place.end;
    }
    return false;
}

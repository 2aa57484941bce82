#include "refactor/rewrite/written_constants.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/launch/extent.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 40 };

/* A field that is looked for in the launches. */
typedef struct search {
    const char *name;
    int64_t value;
    bool known;  /* a launch has it */
    bool found;  /* this launch has it */
    bool varies; /* it is no constant somewhere, or another one */
} search;

static bool is_named(const ht_symbol *symbol, const char *name) {
    if (!symbol->name)
        return false;
    const char *dot = strrchr(symbol->name, '.');
    bool dimension = dot && clang_Cursor_isNull(symbol->base); /* grid.x, of no field's name */
    return !dimension && strcmp(dot ? dot + 1 : symbol->name, name) == 0;
}

static void symbol_search(search *in, const ht_symbol *symbol, int depth) {
    if (!symbol || depth > DEPTH_MAX) {
        in->varies = in->varies || symbol;
        return;
    }
    bool variable = symbol->kind == HT_SYMBOL_VARIABLE,
         constant = symbol->kind == HT_SYMBOL_CONSTANT && symbol->origin == HT_ORIGIN_VARIABLE;
    if ((variable || constant) && is_named(symbol, in->name)) {
        int64_t value = 0;
        bool known = ht_symbol_value(symbol, &value) && !symbol->assumed &&
                     (constant || ht_variable_writes(symbol->declaration) == 0); /* int w = 320; */
        in->varies = in->varies || !known || (in->known && value != in->value);
        in->value = value;
        in->known = in->found = true;
    }
    for (int i = 0; i < 3; ++i)
        symbol_search(in, symbol->arguments[i], depth + 1);
    symbol_search(in, symbol->value_of, depth + 1);
}

/* Looks for all fields in a launch. One that it does not have by name it may have as something
 * else: `k<<<width / 16, 16>>>(a, width)` next to a launch with w. */
static void site_search(search *fields, size_t count, const ht_source *source,
                        const ht_launch_site *site) {
    ht_symbol **passed = ht_alloc(site->argument_count + 1, sizeof *passed);
    for (size_t i = 0; i < site->argument_count; ++i)
        passed[i] = ht_symbol_read(source, site->arguments[i]);
    for (search *in = fields; in < fields + count; ++in) {
        in->found = false;
        for (int axis = 0; axis < 3; ++axis) {
            symbol_search(in, site->grid.axis[axis], 0);
            symbol_search(in, site->block.axis[axis], 0);
        }
        symbol_search(in, site->lds, 0);
        for (size_t i = 0; i < site->argument_count; ++i)
            symbol_search(in, passed[i], 0);
        in->varies = in->varies || !in->found;
    }
    for (size_t i = 0; i < site->argument_count; ++i)
        ht_symbol_free(passed[i]);
    free(passed);
}

void ht_written_constants_find(const ht_model *original, ht_written_constants *out) {
    const ht_problem_entry *entry = original->entry;
    const ht_launches *launches = &original->facts->launches;
    size_t count = entry ? entry->spec.field_count : 0;
    search *fields = ht_alloc(count + 1, sizeof *fields);
    *out = (ht_written_constants){0};
    for (size_t i = 0; i < count; ++i)
        fields[i].name = entry->spec.fields[i].name;
    for (size_t k = 0; k < launches->count; ++k)
        site_search(fields, count, original->facts->source, &launches->items[k]);
    for (size_t i = 0; i < count; ++i) {
        const search *in = &fields[i];
        if (!in->known || in->varies || entry->spec.fields[i].kind == HT_FIELD_DERIVED)
            continue;
        HT_GROW(out->items, out->count);
        out->items[out->count++] = (ht_problem_value){ht_strdup(in->name), in->value};
    }
    free(fields);
}

void ht_written_constants_free(ht_written_constants *constants) {
    for (size_t i = 0; i < constants->count; ++i)
        free(constants->items[i].name);
    free(constants->items);
    *constants = (ht_written_constants){0};
}

#include "refactor/rewrite/written_launch.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/kernel/symbol_expression.h"
#include "refactor/rewrite/written_sizes.h"
#include "refactor/unit/annotations.h"

#include "base/memory.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/symbol.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/launch_limits.h"
#include "templates/annotations/apart.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 8, DEPTH_MAX = 8 };

/* A template argument of the launched instance. */
typedef struct argument {
    char *text;                 /* a template expression, or a type */
    int64_t values[VALUES_MAX]; /* values that it may have */
    size_t value_count;         /* 0: it is not a number */
} argument;

typedef struct arguments {
    argument *items;
    size_t count;
} arguments;

typedef struct reading {
    const ht_written_pair *pair;
    const ht_launch_site *site;
    const ht_launch_site *before; /* the original's launch; NULL: it has none */
    ht_text where;                /* condition for the tuned kernel; empty: always */
    ht_text refused;              /* condition under which nothing is launched; empty: never */
    ht_text own;                  /* the host's variables whose values are the problem's */
    ht_text missing;
} reading;

/* ---- the instance ---- */

static void arguments_free(arguments *list) {
    for (size_t i = 0; i < list->count; ++i)
        free(list->items[i].text);
    free(list->items);
    *list = (arguments){0};
}

static bool is_plain_number(CXType type) {
    type = clang_getCanonicalType(type);
    return type.kind != CXType_Bool && type.kind != CXType_Enum && ht_type_is_integer(type);
}

/* Returns the index of the original's parameter of this name; facts->template_parameters.count:
 * there is none. */
static size_t original_find(const ht_kernel_facts *facts, const char *name) {
    size_t i = 0;
    while (i < facts->template_parameters.count &&
           strcmp(facts->template_parameters.items[i].name, name) != 0)
        ++i;
    return i;
}

/* Returns the original's argument for `T`, a template parameter of the host function, if the
 * original's launch writes `T` as well; else NULL. free(). */
static char *same_as_original(const reading *in, const char *name, const char *text) {
    const ht_kernel_facts *own = in->pair->original->facts;
    const ht_launch_site *site = in->before;
    size_t index = original_find(own, name);
    if (!site || index >= site->template_argument_count || index >= own->template_parameters.count)
        return NULL;
    ht_range range = site->template_ranges[index];
    const char *before = own->source->files[site->file].text + range.begin;
    bool same = strlen(text) == range.end - range.begin &&
                memcmp(text, before, range.end - range.begin) == 0;
    return same ? ht_template_argument_text(&own->template_parameters.items[index]) : NULL;
}

/* Reads an argument that is written after the kernel's name. */
static argument given_read(const reading *in, const ht_template_parameter *parameter,
                           const ht_launch_arguments *given, size_t index) {
    const ht_user_file *file = &in->pair->written->facts->source->files[in->site->file];
    ht_range range = given->ranges[index];
    int64_t value;
    if (is_plain_number(clang_getCursorType(parameter->cursor)) &&
        !clang_Cursor_isNull(given->items[index]) &&
        ht_model_constant(in->pair->written, given->items[index], &value))
        return (argument){ht_format("%lld", (long long)value), {value}, 1};
    char *text = ht_strndup(file->text + range.begin, range.end - range.begin);
    char *same = same_as_original(in, parameter->name, text);
    if (!same)
        return (argument){.text = text};
    free(text);
    return (argument){.text = same};
}

/* Reads the arguments written after the kernel's name, then those of the original's parameters with
 * the same names. */
static void instance_read(reading *in, CXCursor name, arguments *out) {
    const ht_kernel_facts *facts = in->pair->written->facts, *own = in->pair->original->facts;
    ht_launch_arguments given;
    ht_launch_arguments_read(facts->source, in->site, name, &given);
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        const ht_template_parameter *parameter = &facts->template_parameters.items[i];
        size_t before = original_find(own, parameter->name);
        argument item = {0};
        int64_t value;
        if (i < given.count)
            item = given_read(in, parameter, &given, i);
        else if (before < own->template_parameters.count)
            item.text = ht_template_argument_text(&own->template_parameters.items[before]);
        if (!item.text) { /* a default */
            CXCursor fallback = ht_ast_child(parameter->cursor, 0);
            if (clang_Cursor_isNull(fallback) || !ht_ast_constant(fallback, &value))
                break;
            item = (argument){ht_format("%lld", (long long)value), {value}, 1};
        }
        HT_GROW(out->items, out->count);
        out->items[out->count++] = item;
    }
    ht_launch_arguments_free(&given);
}

static bool argument_merge(const char *condition, argument *first, const argument *second) {
    if (strcmp(first->text, second->text) == 0)
        return true;
    if (!first->value_count || !second->value_count)
        return false;
    char *text = ht_format("(%s ? %s : %s)", condition, first->text, second->text);
    free(first->text);
    first->text = text;
    for (size_t i = 0; i < second->value_count; ++i) {
        bool known = false;
        for (size_t k = 0; k < first->value_count; ++k)
            known = known || first->values[k] == second->values[i];
        if (known)
            continue;
        if (first->value_count == VALUES_MAX)
            return false;
        first->values[first->value_count++] = second->values[i];
    }
    return true;
}

typedef struct other_search {
    CXCursor found;
} other_search;

static bool on_other(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    other_search *search = context;
    CXCursor meant = clang_getCursorKind(cursor) == CXCursor_DeclRefExpr
                         ? clang_getCursorReferenced(cursor)
                         : clang_getNullCursor();
    if (!clang_Cursor_isNull(meant) && clang_Cursor_isNull(search->found))
        search->found = clang_getCursorDefinition(ht_ast_primary(meant));
    return true;
}

/* Returns true if a text ends in the tokens of another: blanks and comments are a formatter's. */
static bool ends_with_tokens(const char *text, const char *wanted) {
    ht_tokens own, last;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &own);
    ht_tokens_read(wanted, (ht_range){0, strlen(wanted)}, true, &last);
    bool same = own.count >= last.count;
    for (size_t i = 0; i < last.count && same; ++i) {
        ht_token a = own.items[own.count - last.count + i], b = last.items[i];
        same = a.end - a.begin == b.end - b.begin &&
               memcmp(text + a.begin, wanted + b.begin, b.end - b.begin) == 0;
    }
    ht_tokens_free(&own);
    ht_tokens_free(&last);
    return same;
}

/* Returns true if the callee is the original kernel under another name, token by token. */
static bool is_kept_original(const reading *in, CXCursor callee) {
    const ht_model *model = in->pair->original;
    const ht_source *source = in->pair->written->facts->source;
    other_search search = {clang_getNullCursor()};
    size_t file;
    ht_range range;
    on_other(callee, callee, &search);
    ht_ast_walk(callee, on_other, &search);
    if (clang_Cursor_isNull(search.found) || !ht_source_range(source, search.found, &file, &range))
        return false;
    unsigned offset;
    clang_getExpansionLocation(clang_getCursorLocation(model->definition.function), NULL, NULL,
                               NULL, &offset);
    char *name = ht_cursor_name(search.found);
    size_t begin = offset + strlen(model->name);
    char *wanted =
        ht_format("%s%.*s", name, (int)(model->definition.range.end - begin), model->text + begin);
    char *own = ht_strndup(source->files[file].text + range.begin, range.end - range.begin);
    bool same = ends_with_tokens(own, wanted);
    free(own);
    free(wanted);
    free(name);
    return same;
}

static bool callee_read(reading *in, CXCursor callee, int depth, arguments *out);

/* Reads (h <= 65535 ? k : k_plain): the tuned kernel, or the original. */
static bool fallback_read(reading *in, const char *condition, CXCursor first, CXCursor second,
                          int depth, arguments *out) {
    bool other = clang_Cursor_isNull(ht_launch_name(in->site, first));
    if (in->where.length || !is_kept_original(in, other ? first : second))
        return false;
    ht_text_printf(&in->where, other ? "!(%s)" : "(%s)", condition);
    return callee_read(in, other ? second : first, depth + 1, out);
}

/* Reads k, k<3> or (R == 3 ? k<3> : k<0>). */
static bool callee_read(reading *in, CXCursor callee, int depth, arguments *out) {
    callee = ht_ast_strip(callee, true);
    ht_cursors parts = ht_ast_children(callee);
    bool done = depth < DEPTH_MAX;
    if (clang_getCursorKind(callee) == CXCursor_ConditionalOperator && parts.count == 3) {
        const ht_model *model = in->pair->written;
        ht_symbol *symbol = ht_symbol_read(model->facts->source, parts.items[0]);
        char *condition = ht_symbol_expression(model, in->site, symbol, &in->missing);
        arguments other = {0};
        bool both = !clang_Cursor_isNull(ht_launch_name(in->site, parts.items[1])) &&
                    !clang_Cursor_isNull(ht_launch_name(in->site, parts.items[2]));
        done = done && condition;
        if (done && !both)
            done = fallback_read(in, condition, parts.items[1], parts.items[2], depth, out);
        else
            done = done && callee_read(in, parts.items[1], depth + 1, out) &&
                   callee_read(in, parts.items[2], depth + 1, &other) && out->count == other.count;
        for (size_t i = 0; done && both && i < out->count; ++i)
            done = argument_merge(condition, &out->items[i], &other.items[i]);
        arguments_free(&other);
        free(condition);
        ht_symbol_free(symbol);
    } else {
        CXCursor name = ht_launch_name(in->site, callee);
        done = done && !clang_Cursor_isNull(name);
        if (done)
            instance_read(in, name, out);
    }
    free(parts.items);
    return done;
}

/* ---- geometry ---- */

/* Writes the axes of block or grid as template expressions; free() each. Returns false if one is
 * unknown. */
static bool axes_read(const ht_model *model, const ht_launch_site *site, const ht_extent3 *extent,
                      char *out[3], ht_text *missing, ht_text *own) {
    bool known = extent->known;
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = extent->axis[axis]
                        ? ht_symbol_expression_own(model, site, extent->axis[axis], missing, own)
                        : ht_strdup("1");
        known = known && out[axis];
    }
    return known;
}

static void axes_free(char *axes[3]) {
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
}

/* Prints the launch that the problem's file gives. Returns false if it gives none. */
static bool given_print(const ht_problem_entry *entry, ht_text *out) {
    if (entry == NULL || !entry->block[0] || !entry->grid[0])
        return false;
    char *block[3], *grid[3];
    for (int axis = 0; axis < 3; ++axis) {
        block[axis] = entry->block[axis] ? ht_expr_string(entry->block[axis]) : ht_strdup("1");
        grid[axis] = entry->grid[axis] ? ht_expr_string(entry->grid[axis]) : ht_strdup("1");
    }
    ht_axes_print("block", block, out);
    ht_axes_print("grid", grid, out);
    char *lds = entry->lds ? ht_expr_string(entry->lds) : NULL;
    if (lds)
        ht_text_printf(out, "#pragma tune lds(%s)\n", lds);
    free(lds);
    axes_free(block);
    axes_free(grid);
    return true;
}

static bool geometry_print(const ht_model *model, const ht_launch_site *site, ht_text *missing,
                           ht_text *own, ht_text *out) {
    char *block[3], *grid[3], *lds = NULL;
    int64_t bytes;
    bool known = axes_read(model, site, &site->block, block, missing, own);
    known = axes_read(model, site, &site->grid, grid, missing, own) && known;
    if (site->lds && !(ht_symbol_value(site->lds, &bytes) && bytes == 0)) {
        lds = ht_symbol_expression_own(model, site, site->lds, missing, own);
        known = known && lds;
    }
    if (known) {
        ht_axes_print("block", block, out);
        ht_axes_print("grid", grid, out);
        if (lds)
            ht_text_printf(out, "#pragma tune lds(%s)\n", lds);
    }
    axes_free(block);
    axes_free(grid);
    free(lds);
    return known;
}

/* Writes the original's geometry: that of its first launch as it was tuned, with the problem's
 * values. */
static bool original_print(const ht_written_pair *pair, const ht_launch_site *before,
                           ht_text *missing, ht_text *out) {
    const ht_model *model = pair->original;
    bool other = before && before != model->facts->launches.items;
    ht_original_print(pair->plan, other ? NULL : pair->grid, "reference", "", out);
    return !other || geometry_print(model, before, missing, NULL, out);
}

/* ---- tests of a launcher function ---- */

/* Reads if (CONDITION) return ...; */
static bool refusal_read(reading *in, CXCursor statement) {
    ht_cursors parts = ht_ast_children(statement);
    bool known = parts.count == 2 && clang_getCursorKind(parts.items[1]) == CXCursor_ReturnStmt;
    char *text = NULL;
    if (known) {
        const ht_model *model = in->pair->written;
        ht_symbol *symbol = ht_symbol_read(model->facts->source, parts.items[0]);
        text = ht_symbol_expression(model, in->site, symbol, &in->missing);
        ht_symbol_free(symbol);
    }
    if (text)
        ht_text_printf(&in->refused, in->refused.length ? " || (%s)" : "(%s)", text);
    free(text);
    free(parts.items);
    return known && text;
}

/* Reads the tests of a launcher function: where one holds, nothing is launched. The author's own
 * functions are left alone, since the original's launch passes the same tests. */
static bool refusals_read(reading *in) {
    bool known = true;
    if (in->pair->original->facts->launches.count)
        return true;
    CXCursor body = ht_ast_body(in->site->function);
    ht_cursors list = clang_Cursor_isNull(body) ? (ht_cursors){0} : ht_ast_children(body);
    for (size_t i = 0; i < list.count && known; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_IfStmt)
            known = refusal_read(in, list.items[i]);
    free(list.items);
    return known;
}

/* ---- all of it ---- */

static void kernel_print(const reading *in, const arguments *list, ht_text *out) {
    ht_text params = {0};
    ht_text_append(&params, "");
    ht_text_printf(out, "#pragma tune kernel(%s", in->pair->written->qualified);
    for (size_t i = 0; i < list->count; ++i) {
        const argument *item = &list->items[i];
        ht_text_append(out, i ? ", " : "<");
        if (item->value_count < 2) {
            ht_text_append(out, item->text);
            continue;
        }
        ht_text_printf(out, "HT_ARGUMENT_%zu", i);
        ht_text_printf(&params, "#pragma tune param(HT_ARGUMENT_%zu : ", i);
        for (size_t k = 0; k < item->value_count; ++k)
            ht_text_printf(&params, "%s%lld", k ? ", " : "", (long long)item->values[k]);
        ht_text_printf(&params, " = %lld)\n#pragma tune require(HT_ARGUMENT_%zu == %s)\n",
                       (long long)item->values[0], i, item->text);
    }
    ht_text_printf(out, "%s)\n%s", list->count ? ">" : "", params.data);
    ht_text_free(&params);
}

static void arguments_publish(const reading *in, const arguments *list, ht_written_launch *out) {
    const ht_kernel_facts *facts = in->pair->written->facts;
    out->arguments = ht_alloc(list->count + 1, sizeof *out->arguments);
    for (size_t i = 0; i < list->count; ++i) {
        ht_written_argument *published = &out->arguments[out->argument_count++];
        published->name = ht_strdup(facts->template_parameters.items[i].name);
        if (list->items[i].value_count)
            ht_expr_parse(list->items[i].text, (ht_place){0}, &published->value, NULL);
    }
}

static void covers_publish(const ht_written_pair *pair, const ht_launch_site *before,
                           ht_written_launch *out) {
    const ht_plan *plan = pair->plan;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t most = before ? ht_launch_squared_most(pair->grid, before, axis) : INT64_MAX;
        out->most[axis] = most < INT64_MAX ? most : 0;
        char *text = ht_plan_per_block(plan, axis);
        if (text)
            ht_expr_parse(text, (ht_place){0}, &out->covers[axis], NULL);
        free(text);
        out->joined[axis] = plan->launches.tiles.param && plan->launches.tiles.axis == axis;
    }
}

static bool is_taken(const ht_symbol *grid, int axis) {
    int64_t value = 0;
    return !grid || (!ht_symbol_is_assumed(grid) && ht_symbol_value(grid, &value) &&
                     value <= ht_launch_blocks_most(axis));
}

/* A program's own constants are fields of a problem, too, which a check may enlarge. */
static void fixed_publish(const reading *in, ht_written_launch *out) {
    for (int axis = 0; in->before && axis < 3; ++axis)
        out->fixed[axis] = is_taken(in->before->grid.axis[axis], axis) &&
                           is_taken(in->site->grid.axis[axis], axis);
}

void ht_written_launch_read(const ht_written_pair *pair, const ht_launch_site *site,
                            const ht_launch_site *before, ht_written_launch *out) {
    const ht_launches *launches = &pair->original->facts->launches;
    reading in = {.pair = pair,
                  .site = site,
                  .before = before            ? before
                            : launches->count ? launches->items
                                              : NULL};
    ht_text annotations = {0};
    arguments list = {0};
    ht_error error = {0};
    *out = (ht_written_launch){0};
    bool known = callee_read(&in, site->callee, 0, &list);
    kernel_print(&in, &list, &annotations);
    known = known &&
            (geometry_print(pair->written, site, &in.missing, &in.own, &annotations) ||
             (ht_written_kernel_alone(pair) && given_print(pair->original->entry, &annotations))) &&
            refusals_read(&in);
    ht_entry_print(pair->original, false, &annotations);
    char *other = known && in.own.length ? ht_written_sizes_differ(pair, in.own.data) : NULL;
    if (other) {
        ht_text_printf(&in.missing, "the host computes '%s' otherwise than in the original", other);
        known = false;
    }
    free(other);
    known = known && original_print(pair, before, &in.missing, &annotations);
    if (known) {
        char *unit =
            ht_units_apart(pair->original_unit, pair->written_unit, true, annotations.data);
        out->template = ht_template_parse_one(unit, pair->written->facts->source->path, &error);
        free(unit);
    }
    if (out->template) {
        arguments_publish(&in, &list, out);
        covers_publish(pair, before, out);
        fixed_publish(&in, out);
        for (int axis = 0; in.before && axis < 3; ++axis)
            out->assumed = out->assumed || ht_symbol_is_assumed(in.before->block.axis[axis]);
        if (in.where.length)
            ht_expr_parse(in.where.data, (ht_place){0}, &out->where, NULL);
        if (in.refused.length)
            ht_expr_parse(in.refused.data, (ht_place){0}, &out->refused, NULL);
    } else
        out->unread = ht_strdup(known               ? error.message
                                : in.missing.length ? in.missing.data
                                                    : "its block, grid or instance is not known");
    arguments_free(&list);
    ht_text_free(&annotations);
    ht_text_free(&in.own);
    ht_text_free(&in.where);
    ht_text_free(&in.refused);
    ht_text_free(&in.missing);
}

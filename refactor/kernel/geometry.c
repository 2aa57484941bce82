/* Launch geometry as template expressions. */
#include "refactor/kernel/geometry.h"

#include "base/memory.h"
#include "refactor/kernel/geometry_joined.h"
#include "refactor/kernel/symbol_expression.h"
#include "refactor/kernel/symbol_parts.h"
#include "refactor/launch/extent.h"

#include <stdlib.h>
#include <string.h>

/* ---- the forms of a grid ---- */

typedef struct term {
    const ht_symbol *symbol;
    int sign;
    int64_t value;
    bool constant; /* and is not a name to which the problem gives a value */
    bool rounds;   /* rounds up; is not a part of n */
} term;

static term *constant_of(term *terms, size_t count, int64_t value) {
    for (size_t i = 0; i < count; ++i)
        if (terms[i].constant && terms[i].sign * terms[i].value == value)
            return &terms[i];
    return NULL;
}

/* Finds the terms that round up: b - 1; b and -1; b; or -1 alone, which the caller accepts if 1 is
 * added to the quotient (HT_FORM_GENERIC); or none. Marks them and sets the form's kind. */
static bool read_rounding(term *terms, size_t count, size_t constants, int64_t block,
                          ht_form *form) {
    term *below = constant_of(terms, count, block - 1), *whole = constant_of(terms, count, block);
    term *less = constant_of(terms, count, -1);
    form->editable = true;
    if (below) {
        form->kind = HT_FORM_CEIL;
        form->addend = below->symbol;
        form->addend_offset = -1;
        below->rounds = true;
    } else if (whole) {
        form->kind = less ? HT_FORM_CEIL : HT_FORM_OVER;
        form->addend = whole->symbol;
        whole->rounds = true;
        if (less)
            less->rounds = true;
    } else if (constants == 0) {
        form->kind = HT_FORM_FLOOR;
    } else if (less) {
        form->kind = HT_FORM_GENERIC;
        less->rounds = true;
    } else { /* the constants may round together: n + 8 + 7 */
        int64_t sum = 0;
        for (size_t i = 0; i < count; ++i) {
            terms[i].rounds = terms[i].constant;
            sum += terms[i].constant ? terms[i].sign * terms[i].value : 0;
        }
        form->kind = sum == block - 1 ? HT_FORM_CEIL : HT_FORM_OVER;
        form->editable = false;
        return sum == block - 1 || sum == block;
    }
    return true;
}

/* Finds the terms of a dividend that round, sets the form's kind by them, and writes the other
 * terms as form->items. */
static bool read_dividend(const ht_model *model, const ht_launch_site *site,
                          const ht_symbol *dividend, int64_t block, ht_form *form) {
    term terms[HT_FORM_TERMS_MAX] = {0};
    ht_symbol_term summands[HT_FORM_TERMS_MAX];
    size_t constants = 0;
    size_t count = ht_symbol_summands(dividend, 1, summands, 0, HT_FORM_TERMS_MAX);
    if (count > HT_FORM_TERMS_MAX)
        return false;
    for (size_t i = 0; i < count; ++i) {
        terms[i].symbol = summands[i].symbol;
        terms[i].sign = summands[i].sign;
        terms[i].constant = ht_symbol_number(model, site, terms[i].symbol, &terms[i].value);
        constants += terms[i].constant;
    }
    if (constants == count) { /* a fixed size: the first term is the number of items */
        terms[0].constant = false;
        --constants;
    }
    if (!read_rounding(terms, count, constants, block, form))
        return false;
    ht_text items = {0};
    for (size_t i = 0; i < count; ++i) {
        if (terms[i].rounds)
            continue;
        char *text = ht_symbol_expression(model, site, terms[i].symbol, NULL);
        if (!text) {
            ht_text_free(&items);
            return false;
        }
        ht_text_printf(&items, terms[i].sign < 0 ? " - %s" : items.length ? " + %s" : "%s", text);
        free(text);
        form->terms[form->term_count++] = (ht_form_term){terms[i].symbol, terms[i].sign};
    }
    form->dividend = dividend;
    form->items = ht_format("(%s)", items.data ? items.data : "0");
    ht_text_free(&items);
    return true;
}

static bool read_quotient(const ht_model *model, const ht_launch_site *site,
                          const ht_symbol *symbol, int64_t block, ht_form *form) {
    int64_t divisor;
    if (symbol->kind != HT_SYMBOL_BINARY || !ht_symbol_value(symbol->arguments[1], &divisor))
        return false;
    bool shift = strcmp(symbol->op, ">>") == 0;
    if (shift)
        divisor = divisor >= 0 && divisor < 31 ? (int64_t)1 << divisor : 0;
    else if (strcmp(symbol->op, "/") != 0)
        return false;
    if (divisor != block || !read_dividend(model, site, symbol->arguments[0], block, form))
        return false;
    form->divisor = shift || !ht_symbol_is_leaf(symbol->arguments[1]) ? NULL : symbol->arguments[1];
    form->editable = form->editable && form->divisor;
    form->quotient = symbol;
    return true;
}

/* Reads n / b + (n % b != 0). */
static bool read_divided(const ht_model *model, const ht_launch_site *site, const ht_symbol *symbol,
                         int64_t block, ht_form *form) {
    const ht_symbol *whole = ht_symbol_is_binary(symbol, "+") ? symbol->arguments[0] : NULL;
    const ht_symbol *rest = whole ? ht_symbol_asks_rest(symbol->arguments[1]) : NULL;
    if (!rest || rest == symbol->arguments[1] || !ht_symbol_is_binary(whole, "/") ||
        !ht_symbol_is_number(whole->arguments[1], block) ||
        !ht_symbol_is_number(rest->arguments[1], block))
        return false;
    char *first = ht_symbol_expression(model, site, whole->arguments[0], NULL);
    char *second = ht_symbol_expression(model, site, rest->arguments[0], NULL);
    bool same = first && second && strcmp(first, second) == 0;
    if (same) {
        form->kind = HT_FORM_CEIL;
        form->quotient = symbol;
        form->divisor = ht_symbol_is_leaf(whole->arguments[1]) ? whole->arguments[1] : NULL;
        form->again = ht_symbol_is_leaf(rest->arguments[1]) ? rest->arguments[1] : NULL;
        form->editable = form->divisor && form->again;
        form->terms[0] = (ht_form_term){whole->arguments[0], 1};
        form->term_count = 1;
        form->items = first;
    } else
        free(first);
    free(second);
    return same;
}

/* Returns the n of n % b != 0 and of n / b * b < n, which hold where n / b leaves a rest; NULL: the
 * condition is another. `whole` is n / b. */
static const ht_symbol *rest_of(const ht_model *model, const ht_launch_site *site,
                                const ht_symbol *condition, const ht_symbol *whole, int64_t block) {
    const ht_symbol *rest = ht_symbol_asks_rest(condition), *product = condition->arguments[0];
    if (rest)
        return ht_symbol_is_number(rest->arguments[1], block) ? rest->arguments[0] : NULL;
    if (!ht_symbol_is_binary(condition, "<") || !ht_symbol_is_binary(product, "*"))
        return NULL;
    int times = ht_symbol_is_number(product->arguments[1], block) ? 0 : 1;
    if (times == 1 && !ht_symbol_is_number(product->arguments[0], block))
        return NULL;
    char *first = ht_symbol_expression(model, site, product->arguments[times], NULL);
    char *second = ht_symbol_expression(model, site, whole, NULL);
    bool same = first && second && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same ? condition->arguments[1] : NULL;
}

/* Reads n % b != 0 ? n / b + 1 : n / b, as an `if` that enlarges the grid gives it. */
static bool read_enlarged(const ht_model *model, const ht_launch_site *site,
                          const ht_symbol *symbol, int64_t block, ht_form *form) {
    if (symbol->kind != HT_SYMBOL_CHOICE)
        return false;
    const ht_symbol *larger = symbol->arguments[1], *through;
    const ht_symbol *whole = ht_symbol_value_through(model, symbol->arguments[2], &through);
    const ht_symbol *rest = rest_of(model, site, symbol->arguments[0], whole, block);
    if (!rest || !ht_symbol_is_binary(whole, "/") ||
        !ht_symbol_is_number(whole->arguments[1], block) || !ht_symbol_is_binary(larger, "+") ||
        !ht_symbol_is_number(larger->arguments[1], 1))
        return false;
    char *texts[] = {ht_symbol_expression(model, site, whole, NULL),
                     ht_symbol_expression(model, site, larger->arguments[0], NULL),
                     ht_symbol_expression(model, site, whole->arguments[0], NULL),
                     ht_symbol_expression(model, site, rest, NULL)};
    bool same = texts[0] && texts[1] && texts[2] && texts[3] && strcmp(texts[0], texts[1]) == 0 &&
                strcmp(texts[2], texts[3]) == 0;
    if (same) {
        form->kind = HT_FORM_CEIL;
        form->quotient = symbol;
        form->terms[0] = (ht_form_term){whole->arguments[0], 1};
        form->term_count = 1;
        form->items = ht_strdup(texts[2]);
    }
    for (int i = 0; i < 4; ++i)
        free(texts[i]);
    return same;
}

static bool read_form(const ht_model *model, const ht_launch_site *site, const ht_symbol *symbol,
                      int64_t block, ht_form *form) {
    const ht_symbol *through;
    int64_t value;
    symbol = ht_symbol_value_through(model, symbol, &through);
    if (read_divided(model, site, symbol, block, form) ||
        read_enlarged(model, site, symbol, block, form))
        return true;
    if (read_quotient(model, site, symbol, block, form))
        return form->kind != HT_FORM_GENERIC;
    if (symbol->kind == HT_SYMBOL_CALL && strcmp(symbol->name, "ceil_div") == 0 &&
        ht_symbol_value(symbol->arguments[1], &value) && value == block) {
        form->items = ht_symbol_expression(model, site, symbol->arguments[0], NULL);
        form->kind = HT_FORM_CEIL;
        form->quotient = symbol;
        form->terms[0] = (ht_form_term){symbol->arguments[0], 1};
        form->term_count = 1;
        form->divisor = ht_symbol_is_leaf(symbol->arguments[1]) ? symbol->arguments[1] : NULL;
        form->editable = form->divisor != NULL;
        return form->items != NULL;
    }
    if (symbol->kind == HT_SYMBOL_BINARY && strcmp(symbol->op, "+") == 0 &&
        ht_symbol_value(symbol->arguments[1], &value) && value == 1 &&
        read_quotient(model, site, symbol->arguments[0], block, form)) {
        form->kind = form->kind == HT_FORM_GENERIC ? HT_FORM_CEIL
                     : form->kind == HT_FORM_FLOOR ? HT_FORM_OVER
                                                   : HT_FORM_GENERIC;
        form->quotient = symbol;
        form->dividend = NULL; /* nothing is added to n */
        return form->kind != HT_FORM_GENERIC;
    }
    return false;
}

void ht_form_forget(ht_form *form) {
    free(form->items);
    if (form->each)
        free(form->each->items);
    free(form->each);
    *form = (ht_form){.kind = HT_FORM_GENERIC};
}

/* Returns the number of items before it is rounded up to blocks: the one summand, or, of
 * n / 4 + (n % 4 != 0) + 255, the sum of two. */
static const ht_symbol *items_of(const ht_form *form) {
    if (form->term_count == 1 && form->terms[0].sign > 0)
        return form->terms[0].symbol;
    const ht_symbol *sum = form->term_count == 2 ? form->dividend : NULL;
    while (
        sum && (ht_symbol_is_binary(sum, "+") || ht_symbol_is_binary(sum, "-")) &&
        (sum->arguments[0] != form->terms[0].symbol || sum->arguments[1] != form->terms[1].symbol))
        sum = sum->arguments[0];
    return sum && ht_symbol_is_binary(sum, "+") ? sum : NULL;
}

/* Returns the value of the named constant that outputs are divided by; 0: it is another divisor. */
static int64_t outputs_of(const ht_model *model, const ht_launch_site *site,
                          const ht_symbol *divisor) {
    int64_t value;
    return divisor && ht_form_names_outputs(divisor) &&
                   ht_symbol_number(model, site, divisor, &value) && value > 1
               ? value
               : 0;
}

/* Reads a number of items that is one of outputs, rounded up to threads: ceil(n / EACH). */
static void read_each(const ht_model *model, const ht_launch_site *site, ht_form *form) {
    const ht_symbol *through = NULL;
    const ht_symbol *items = form->kind == HT_FORM_CEIL && !form->joined ? items_of(form) : NULL;
    items = items ? ht_symbol_value_through(model, items, &through) : NULL;
    int64_t value = items ? outputs_of(model, site, ht_symbol_divisor(items)) : 0;
    if (!value)
        return;
    ht_form *each = ht_alloc(1, sizeof *each);
    if (read_form(model, site, items, value, each) && each->kind == HT_FORM_CEIL && each->divisor &&
        each->items) {
        free(form->items);
        form->items = ht_format("ceil_div(%s, %lld)", each->items, (long long)value);
        form->each = each;
        form->through = through;
        return;
    }
    free(each->items);
    free(each);
}

/* ---- the whole ---- */

static void read_axis(const ht_model *model, ht_grid *grid, int axis) {
    const ht_launch_site *site = ht_launches_first(&model->facts->launches);
    const ht_problem_entry *entry = model->entry;
    ht_form *form = &grid->form[axis];
    form->kind = HT_FORM_GENERIC;
    if (site && site->grid.known) {
        const ht_symbol *symbol = site->grid.axis[axis];
        if (!symbol) {
            grid->original[axis] = ht_strdup("1");
            return;
        }
        bool given = entry && entry->grid[0];
        grid->original[axis] =
            ht_symbol_expression(model, site, symbol, given ? NULL : &grid->missing);
        int64_t block = model->axes[axis].block;
        if (grid->original[axis] && block > 1) {
            if (!read_form(model, site, symbol, block, form)) {
                ht_form_forget(form);
                if (!ht_form_read_joined(model, site, symbol, axis, form))
                    ht_form_forget(form);
            }
            read_each(model, site, form);
        }
    }
    if (!grid->original[axis] && entry && entry->grid[0])
        grid->original[axis] =
            entry->grid[axis] ? ht_expr_string(entry->grid[axis]) : ht_strdup("1");
    if (!grid->original[axis] && !grid->missing.length)
        ht_text_append(&grid->missing, site ? "the launch's grid" : "block and grid of a launch");
}

void ht_grid_read(const ht_model *model, ht_grid *out_grid) {
    *out_grid = (ht_grid){0};
    const ht_launch_site *site = ht_launches_first(&model->facts->launches);
    for (int axis = 0; axis < 3; ++axis) {
        read_axis(model, out_grid, axis);
        if (model->axes[axis].block > 0)
            out_grid->block[axis] = ht_format("%lld", (long long)model->axes[axis].block);
        else if (site && site->block.known && site->block.axis[axis] &&
                 !(model->entry && model->entry->block[0]))
            out_grid->block[axis] = ht_symbol_expression(model, site, site->block.axis[axis],
                                                         axis == 0 ? &out_grid->missing : NULL);
    }
    int64_t bytes;
    bool given = model->entry && model->entry->lds;
    bool wanted = site && site->lds && !(ht_symbol_value(site->lds, &bytes) && bytes == 0);
    if (wanted)
        out_grid->lds =
            ht_symbol_expression(model, site, site->lds, given ? NULL : &out_grid->missing);
    if (given && !out_grid->lds && (wanted || !site))
        out_grid->lds = ht_expr_string(model->entry->lds);
}

void ht_grid_free(ht_grid *grid) {
    for (int axis = 0; axis < 3; ++axis) {
        free(grid->original[axis]);
        free(grid->block[axis]);
        ht_form_forget(&grid->form[axis]);
    }
    free(grid->lds);
    ht_text_free(&grid->missing);
}

/* Returns "line 12", or "main.cu, line 12" for another file; free(). */
static char *where(const ht_model *model, size_t file, int line) {
    const char *path = model->facts->source->files[file].path;
    return ht_format("%s%sline %d", file ? path : "", file ? ", " : "", line);
}

static char *site_problem(const ht_model *model, const ht_launch_site *site) {
    const ht_launch_site *first = &model->facts->launches.items[0];
    char *place = where(model, site->file, site->line), *words = NULL;
    bool kept = model->facts->launches.kept;
    if (site->indirect && !kept)
        words = ht_format("the launch at %s does not name the kernel", place);
    else if (site->in_macro && !kept)
        words = ht_format("the launch at %s is written by a macro", place);
    else if (!site->block.known || !site->grid.known)
        words = ht_format("block or grid of the launch at %s is changed after it is set, or not "
                          "known here",
                          place);
    for (int axis = 0; axis < 3 && !words; ++axis) {
        int64_t value = 1;
        const ht_symbol *symbol = site->block.axis[axis];
        if (symbol && !ht_symbol_value(symbol, &value))
            words = ht_format("the block of the launch at %s is a run-time value", place);
        else if (value != model->axes[axis].block) {
            char *other = where(model, first->file, first->line);
            words =
                strcmp(other, place) == 0
                    ? ht_format("the launches at %s have different blocks", place)
                    : ht_format("the launches at %s and %s have different blocks", other, place);
            free(other);
        }
    }
    free(place);
    return words;
}

char *ht_launch_problem(const ht_model *model, int *out_line) {
    const ht_launches *launches = &model->facts->launches;
    *out_line = 0;
    if (launches->other_use_line) {
        char *place = where(model, launches->other_use_file, launches->other_use_line);
        char *words = ht_format("its name is used otherwise than in a launch at %s", place);
        *out_line = launches->other_use_file == 0 ? launches->other_use_line : 0;
        free(place);
        return words;
    }
    for (size_t i = 0; i < launches->count; ++i) {
        char *words = site_problem(model, &launches->items[i]);
        if (words) {
            *out_line = launches->items[i].file == 0 ? launches->items[i].line : 0;
            return words;
        }
    }
    return NULL;
}

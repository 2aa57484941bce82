/* Spaces in the T1 format: ConfigurationSpace.TuningParameters and .Conditions of a JSON file. */
#include "templates/problem_file/json_read.h"
#include "templates/space/space_model.h"
#include "templates/t1/python.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct t1 {
    ht_json_reader reader;
    ht_space_model *model;
    ht_python_value *values[HT_PARAM_MAX]; /* of each parameter; owned */
    ht_code_type types[HT_PARAM_MAX];
    ht_python_node **conditions; /* owned */
    const char **texts;          /* of the conditions; borrowed from the JSON */
    size_t condition_count;
    char **words; /* every text that is named, sorted; owned */
    size_t word_count;
} t1;

static bool is_identifier(const char *name) {
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; ++name)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static void add_word(t1 *t, const char *word) {
    HT_GROW(t->words, t->word_count);
    t->words[t->word_count++] = ht_strdup(word);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int64_t ordinal(const void *context, const char *text) {
    const t1 *t = context;
    char **found = bsearch(&text, t->words, t->word_count, sizeof *t->words, by_text);
    return found ? found - t->words : -1;
}

static bool lookup(const void *context, const char *name, uint32_t *out_instruction) {
    const t1 *t = context;
    const ht_space_model *model = t->model;
    for (size_t i = 0; i < model->dimension_count; ++i) {
        if (strcmp(model->dimensions[i].name, name) != 0)
            continue;
        size_t count = model->dimensions[i].value_count;
        ht_number *numbers = ht_alloc(count, sizeof *numbers);
        for (size_t v = 0; v < count; ++v) {
            numbers[v] = t->values[i][v].number;
            if (t->types[i] == HT_CODE_TEXT)
                numbers[v].whole = ordinal(t, t->values[i][v].text);
            else if (t->types[i] == HT_CODE_REAL && t->values[i][v].type == HT_CODE_WHOLE)
                numbers[v].real = (double)t->values[i][v].number.whole;
        }
        *out_instruction = ht_code_choice(model->code, (uint32_t)i, 0, t->types[i], numbers, count);
        free(numbers);
        return true;
    }
    return false;
}

/* Brings values to one type: whole numbers, or reals when one is, or texts. */
static ht_status unify(t1 *t, const ht_python_value *values, size_t count, ht_code_type *out) {
    size_t kinds[3] = {0};
    for (size_t i = 0; i < count; ++i)
        ++kinds[values[i].type];
    if (kinds[HT_CODE_TEXT] && kinds[HT_CODE_TEXT] < count)
        return ht_json_fail(&t->reader, "values that mix strings and numbers are not supported");
    *out = kinds[HT_CODE_TEXT] ? HT_CODE_TEXT : kinds[HT_CODE_REAL] ? HT_CODE_REAL : HT_CODE_WHOLE;
    return HT_OK;
}

static double number_of(const ht_python_value *value, size_t index) {
    return value->type == HT_CODE_TEXT   ? (double)index
           : value->type == HT_CODE_REAL ? value->number.real
                                         : (double)value->number.whole;
}

static bool same_value(const ht_python_value *a, const ht_python_value *b) {
    if (a->type == HT_CODE_TEXT || b->type == HT_CODE_TEXT)
        return a->type == b->type && !strcmp(a->text, b->text);
    if (a->type == HT_CODE_WHOLE && b->type == HT_CODE_WHOLE)
        return a->number.whole == b->number.whole;
    return number_of(a, 0) == number_of(b, 0);
}

static ht_status json_value(t1 *t, const json_t *item, ht_python_value *out) {
    *out = (ht_python_value){0};
    if (json_is_string(item)) {
        out->type = HT_CODE_TEXT;
        out->text = ht_strdup(json_string_value(item));
    } else if (json_is_boolean(item)) {
        out->boolean = true;
        out->number.whole = json_is_true(item);
    } else if (json_is_integer(item)) {
        out->number.whole = json_integer_value(item);
    } else if (json_is_real(item)) {
        out->type = HT_CODE_REAL;
        out->number.real = json_real_value(item);
    } else {
        return ht_json_fail(&t->reader, "expected a number, a string, true or false");
    }
    return HT_OK;
}

/* Reads a Python list in a string, or a JSON array. */
static ht_status read_values(t1 *t, const json_t *given, ht_python_value **out, size_t *out_count) {
    *out = NULL;
    *out_count = 0;
    if (json_is_string(given))
        return ht_json_fail_inside(
            &t->reader, ht_python_list(json_string_value(given), out, out_count, t->reader.error));
    if (!json_is_array(given))
        return ht_json_fail(&t->reader, "expected a list in a string, or an array");
    *out = ht_alloc(json_array_size(given), sizeof **out);
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < json_array_size(given); ++i) {
        status = json_value(t, json_array_get(given, i), &(*out)[i]);
        *out_count += status == HT_OK;
    }
    return status;
}

static ht_status check_values(t1 *t, const ht_python_value *values, size_t count) {
    if (!count)
        return ht_json_fail(&t->reader, "the list of values is empty");
    if (count > HT_PARAM_VALUES_MAX)
        return ht_json_fail(&t->reader, "%zu values: at most %d are supported", count,
                            HT_PARAM_VALUES_MAX);
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < i; ++j)
            if (same_value(&values[i], &values[j])) {
                ht_text text = {0};
                ht_python_value_print(&values[i], &text);
                ht_status status =
                    ht_json_fail(&t->reader, "the value %.80s is given twice", text.data);
                ht_text_free(&text);
                return status;
            }
    return HT_OK;
}

/* Finds the index of the "Default"; the first value's where there is none. */
static ht_status read_default(t1 *t, const json_t *given, const ht_python_value *values,
                              size_t count, size_t *out_index) {
    ht_python_value wanted = {0};
    *out_index = 0;
    if (!given || json_is_null(given))
        return HT_OK;
    ht_status status = json_value(t, given, &wanted);
    while (status == HT_OK && *out_index < count && !same_value(&values[*out_index], &wanted))
        ++*out_index;
    if (*out_index == count) {
        ht_text text = {0};
        ht_python_value_print(&wanted, &text);
        status = ht_json_fail(&t->reader,
                              "%.80s is not one of the values; give one of them, or no default",
                              text.data);
        ht_text_free(&text);
    }
    free(wanted.text);
    return status;
}

static void add_dimension(t1 *t, const char *name, const ht_python_value *values, size_t count,
                          size_t default_index) {
    double *numbers = ht_alloc(count, sizeof *numbers);
    char **texts = ht_alloc(count, sizeof *texts);
    bool booleans = true;
    for (size_t i = 0; i < count; ++i) {
        ht_text text = {0};
        numbers[i] = number_of(&values[i], i);
        booleans &= values[i].boolean;
        ht_python_value_print(&values[i], &text);
        texts[i] = ht_text_take(&text);
    }
    bool is_text = t->types[t->model->dimension_count] == HT_CODE_TEXT;
    ht_dimension dimension = {.name = name,
                              .kind = is_text    ? HT_PARAM_ENUMERATION
                                      : booleans ? HT_PARAM_BOOLEAN
                                                 : HT_PARAM_INTEGER,
                              .value_count = count,
                              .numbers = numbers,
                              .texts = (const char *const *)texts,
                              .default_index = default_index};
    ht_space_model_add_dimension(t->model, &dimension);
    ht_strings_free(texts, count);
    free(numbers);
}

static ht_status read_name(t1 *t, const json_t *given, const char **out_name) {
    const char *name = json_string_value(given);
    if (!name)
        return ht_json_fail(&t->reader, "expected the parameter's name as a string");
    if (!is_identifier(name))
        return ht_json_fail(&t->reader, "'%.80s' is no name", name);
    for (size_t i = 0; i < t->model->dimension_count; ++i)
        if (!strcmp(t->model->dimensions[i].name, name))
            return ht_json_fail(&t->reader, "there are two parameters '%.80s'", name);
    *out_name = name;
    return HT_OK;
}

static ht_status read_parameter(t1 *t, const json_t *given) {
    const char *name = NULL;
    ht_python_value *values = NULL;
    size_t count = 0, index = t->model->dimension_count, default_index = 0;
    if (!json_is_object(given))
        return ht_json_fail(&t->reader, "expected an object {...}");
    size_t mark = ht_json_enter(&t->reader, "Name");
    ht_status status = read_name(t, json_object_get(given, "Name"), &name);
    ht_json_leave(&t->reader, mark);
    if (status != HT_OK)
        return status;
    if (index == HT_PARAM_MAX)
        return ht_json_fail(&t->reader, "more than %d parameters", HT_PARAM_MAX);
    mark = ht_json_enter(&t->reader, "Values");
    status = read_values(t, json_object_get(given, "Values"), &values, &count);
    if (status == HT_OK)
        status = check_values(t, values, count);
    if (status == HT_OK)
        status = unify(t, values, count, &t->types[index]);
    ht_json_leave(&t->reader, mark);
    if (status == HT_OK) {
        mark = ht_json_enter(&t->reader, "Default");
        status = read_default(t, json_object_get(given, "Default"), values, count, &default_index);
        ht_json_leave(&t->reader, mark);
    }
    if (status != HT_OK) {
        ht_python_list_free(values, count);
        return status;
    }
    t->values[index] = values;
    add_dimension(t, name, values, count, default_index);
    for (size_t i = 0; i < count && t->types[index] == HT_CODE_TEXT; ++i)
        add_word(t, values[i].text);
    return HT_OK;
}

static void add_words_of(t1 *t, const ht_python_node *node) {
    if (node->kind == HT_PYTHON_TEXT)
        add_word(t, node->text);
    for (size_t i = 0; i < node->child_count; ++i)
        add_words_of(t, node->children[i]);
}

static ht_status parse_condition(t1 *t, const json_t *given) {
    const json_t *expression = json_is_object(given) ? json_object_get(given, "Expression") : given;
    const char *text = json_string_value(expression);
    if (!text)
        return ht_json_fail(&t->reader, "expected {\"Expression\": \"...\"}");
    ht_python_node *node = NULL;
    ht_status status =
        ht_json_fail_inside(&t->reader, ht_python_parse(text, &node, t->reader.error));
    if (status != HT_OK)
        return status;
    HT_GROW(t->conditions, t->condition_count);
    HT_GROW(t->texts, t->condition_count);
    t->conditions[t->condition_count] = node;
    t->texts[t->condition_count++] = text;
    add_words_of(t, node);
    return HT_OK;
}

/* Reads each element of a member of ConfigurationSpace. */
static ht_status read_each(t1 *t, const json_t *space, const char *key, bool needed,
                           ht_status (*read)(t1 *, const json_t *)) {
    const json_t *items = json_object_get(space, key);
    ht_status status = HT_OK;
    size_t outer = ht_json_enter(&t->reader, key);
    if (!json_is_array(items)) {
        if (needed || (items && !json_is_null(items)))
            status = ht_json_fail(&t->reader, "expected an array [...]");
        ht_json_leave(&t->reader, outer);
        return status;
    }
    for (size_t i = 0; status == HT_OK && i < json_array_size(items); ++i) {
        size_t mark = ht_json_enter_index(&t->reader, i);
        status = read(t, json_array_get(items, i));
        ht_json_leave(&t->reader, mark);
    }
    ht_json_leave(&t->reader, outer);
    return status;
}

static bool is_numeric(const ht_python_node *node) {
    if (node->kind == HT_PYTHON_UNARY)
        return node->op != HT_PYTHON_NOT;
    if (node->kind == HT_PYTHON_BINARY)
        return node->op != HT_PYTHON_AND && node->op != HT_PYTHON_OR;
    return node->kind == HT_PYTHON_CONDITIONAL ||
           (node->kind == HT_PYTHON_CALL && strcmp(node->text, "bool") != 0);
}

/* Adds the operands of comparisons and remainders with `first`, everything else without. */
static void add_terms(t1 *t, const ht_python_scope *scope, const ht_python_node *node,
                      const char *text, bool prominent, bool first) {
    uint32_t made;
    if (is_numeric(node) && prominent == first &&
        ht_python_code(scope, node, &made, NULL) == HT_OK &&
        ht_code_at(scope->code, made)->type != HT_CODE_TEXT)
        ht_space_model_add_term(t->model, made,
                                ht_strndup(text + node->begin, node->end - node->begin));
    bool next = node->kind == HT_PYTHON_COMPARE || node->kind == HT_PYTHON_LINK ||
                (node->kind == HT_PYTHON_BINARY && node->op == HT_PYTHON_MODULO);
    for (size_t i = 0; i < node->child_count; ++i)
        add_terms(t, scope, node->children[i], text, next, first);
}

static ht_status make_conditions(t1 *t) {
    ht_python_scope scope = {
        .code = t->model->code, .lookup = lookup, .ordinal = ordinal, .context = t};
    add_word(t, "");
    qsort(t->words, t->word_count, sizeof *t->words, by_text);
    size_t kept = 0;
    for (size_t i = 0; i < t->word_count; ++i) {
        if (kept && !strcmp(t->words[kept - 1], t->words[i]))
            free(t->words[i]);
        else
            t->words[kept++] = t->words[i];
    }
    t->word_count = kept;
    ht_status status = HT_OK;
    size_t outer = ht_json_enter(&t->reader, "ConfigurationSpace.Conditions");
    for (size_t i = 0; status == HT_OK && i < t->condition_count; ++i) {
        uint32_t made = 0;
        size_t mark = ht_json_enter_index(&t->reader, i);
        status = ht_json_fail_inside(
            &t->reader, ht_python_condition(&scope, t->conditions[i], &made, t->reader.error));
        ht_json_leave(&t->reader, mark);
        if (status != HT_OK)
            break;
        uint32_t source =
            ht_space_model_add_source(t->model, ht_format("\"%s\"", t->texts[i]), t->model->place);
        ht_space_model_require(t->model, made, source);
    }
    ht_json_leave(&t->reader, outer);
    for (int first = 1; status == HT_OK && first >= 0; --first)
        for (size_t i = 0; i < t->condition_count; ++i)
            add_terms(t, &scope, t->conditions[i], t->texts[i], false, first);
    return status;
}

static void free_reading(t1 *t) {
    for (size_t i = 0; i < HT_PARAM_MAX; ++i)
        if (t->values[i])
            ht_python_list_free(t->values[i], t->model->dimensions[i].value_count);
    for (size_t i = 0; i < t->condition_count; ++i)
        ht_python_free(t->conditions[i]);
    ht_strings_free(t->words, t->word_count);
    free(t->conditions);
    free((void *)t->texts);
}

static ht_status read_space(t1 *t, const json_t *root) {
    const json_t *space = json_object_get(root, "ConfigurationSpace");
    if (!json_is_object(space))
        return ht_json_fail(&t->reader, "expected \"ConfigurationSpace\": {...} of a T1 file");
    size_t mark = ht_json_enter(&t->reader, "ConfigurationSpace");
    ht_status status = read_each(t, space, "TuningParameters", true, read_parameter);
    if (status == HT_OK)
        status = read_each(t, space, "Conditions", false, parse_condition);
    ht_json_leave(&t->reader, mark);
    return status == HT_OK ? make_conditions(t) : status;
}

ht_status ht_space_model_t1(const char *text, const char *file, ht_space_model *out_model,
                            ht_error *error) {
    json_error_t wrong;
    *out_model = (ht_space_model){
        .subject = ht_strdup("the space"), .file = ht_strdup(file), .code = ht_code_new()};
    out_model->place = (ht_place){.file = out_model->file};
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
    if (!root) {
        ht_space_model_free(out_model);
        return ht_error_set_at(error, HT_ERROR_INPUT, file, wrong.line, wrong.column, "%s",
                               wrong.text);
    }
    t1 t = {.reader = {.file = file, .error = error}, .model = out_model};
    ht_status status = read_space(&t, root);
    free_reading(&t);
    if (status == HT_OK)
        ht_space_model_t1_launch(root, out_model);
    json_decref(root);
    if (status == HT_OK)
        ht_space_model_finish(out_model);
    else
        ht_space_model_free(out_model);
    return status;
}

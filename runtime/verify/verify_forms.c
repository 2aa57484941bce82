#include "runtime/verify/verify_forms.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Forms with more parameters are coarsened to those that stand furthest inside. */
enum { PARAMS_MAX = 12, NUMBERS_MAX = 8, STATES_MAX = 1 << 14 };

/* A test around the form, which is run unless it is known to fail. */
typedef struct test {
    ht_expr *expr;
    bool otherwise; /* the form is in its else-branch */
} test;

/* A parameter that a form hangs on. Its values are distinguished by whether they are the default,
 * and by how they compare with the numbers that the text compares it with. */
typedef struct hinge {
    size_t param;
    int64_t numbers[NUMBERS_MAX];
    size_t number_count;
    uint16_t *kinds; /* by value; owned */
    size_t kind_count;
} hinge;

struct ht_form {
    char *key; /* equal for equal ones */
    hinge hinges[PARAMS_MAX];
    size_t count;
    test *tests;
    size_t test_count;
    bool *seen;  /* by the kinds of values, and `inner`; owned */
    bool run[2]; /* at all: with blocks inside of the grid or not, with such */
};

/* ---- reading */

/* A condition around what is read. */
typedef struct around {
    const struct around *outer; /* NULL: none */
    const char *text;           /* the condition's text */
    size_t length;
    bool asks; /* false: a loop's head, whose parameters count, but which no value skips */
    bool otherwise;
} around;

typedef struct reader {
    ht_forms *forms;
    const char *at;
} reader;

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Skips spaces, comments and lines of the preprocessor. */
static void skip_space(reader *in) {
    for (;;) {
        in->at += strspn(in->at, " \t\r\n");
        if (*in->at == '#') {
            for (in->at += strcspn(in->at, "\n"); *in->at && in->at[-1] == '\\';)
                in->at += 1 + strcspn(in->at + 1, "\n");
        } else if (strncmp(in->at, "//", 2) == 0) {
            in->at += strcspn(in->at, "\n");
        } else if (strncmp(in->at, "/*", 2) == 0) {
            const char *end = strstr(in->at + 2, "*/");
            in->at = end ? end + 2 : in->at + strlen(in->at);
        } else {
            return;
        }
    }
}

static bool take_word(reader *in, const char *word) {
    size_t length = strlen(word);
    if (strncmp(in->at, word, length) != 0 || is_word(in->at[length]))
        return false;
    in->at += length;
    skip_space(in);
    return true;
}

/* Skips a literal that begins here; false when none does. */
static bool skip_literal(reader *in) {
    char quote = *in->at;
    if (quote != '"' && quote != '\'')
        return false;
    for (++in->at; *in->at && *in->at != quote && *in->at != '\n'; ++in->at)
        in->at += *in->at == '\\' && in->at[1];
    in->at += *in->at == quote;
    return true;
}

/* Takes the content of the parentheses that begin here. */
static void take_parentheses(reader *in, around *out) {
    int depth = 0;
    out->text = in->at + (*in->at == '(');
    out->length = 0;
    while (*in->at) {
        if (skip_literal(in))
            continue;
        depth += (*in->at == '(') - (*in->at == ')');
        if (depth <= 0)
            break;
        ++in->at;
    }
    out->length = in->at > out->text ? (size_t)(in->at - out->text) : 0;
    in->at += *in->at == ')';
}

static size_t param_find(const ht_template *template, const char *name, size_t length) {
    size_t i = 0;
    while (i < template->param_count && (strlen(template->params[i].name) != length ||
                                         memcmp(template->params[i].name, name, length) != 0))
        ++i;
    return i;
}

static hinge *hinge_add(ht_form *form, size_t param) {
    for (size_t i = 0; i < form->count; ++i)
        if (form->hinges[i].param == param)
            return &form->hinges[i];
    if (form->count == PARAMS_MAX)
        return NULL;
    form->hinges[form->count] = (hinge){.param = param};
    return &form->hinges[form->count++];
}

/* Adds the number of what stands after a name, such as " == 3". */
static void number_add(hinge *to, const char *text, size_t length) {
    size_t at = 0, known = 0;
    while (at < length && text[at] == ' ')
        ++at;
    size_t operator= at;
    while (at < length && strchr("<>=!", text[at]))
        ++at;
    if (at == operator)
        return;
    while (at < length && text[at] == ' ')
        ++at;
    if (at == length || !isdigit((unsigned char)text[at]) || to->number_count == NUMBERS_MAX)
        return;
    int64_t number = strtoll(text + at, NULL, 0);
    while (known < to->number_count && to->numbers[known] != number)
        ++known;
    if (known == to->number_count)
        to->numbers[to->number_count++] = number;
}

static void names_add(const ht_template *template, const char *text, size_t length, ht_form *out) {
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && is_word(text[end]))
            ++end;
        size_t param =
            end == at ? template->param_count : param_find(template, text + at, end - at);
        hinge *found = param < template->param_count ? hinge_add(out, param) : NULL;
        if (found)
            number_add(found, text + end, length - end);
        at = end == at ? at + 1 : end;
    }
}

/* Returns true if two values are alike: below, at, or above each of the numbers. */
static bool is_alike(const hinge *of, const ht_param *param, size_t a, size_t b) {
    int64_t left = param->values[a].number, right = param->values[b].number;
    bool alike = (a == param->default_index) == (b == param->default_index);
    for (size_t i = 0; i < of->number_count && alike; ++i)
        alike = (left < of->numbers[i]) == (right < of->numbers[i]) &&
                (left == of->numbers[i]) == (right == of->numbers[i]);
    return alike;
}

static void kinds_find(const ht_template *template, hinge *of) {
    const ht_param *param = &template->params[of->param];
    of->kinds = ht_alloc(param->value_count, sizeof *of->kinds);
    for (size_t i = 0; i < param->value_count; ++i) {
        size_t first = 0;
        while (!is_alike(of, param, first, i))
            ++first;
        of->kinds[i] = (uint16_t)(first < i ? of->kinds[first] : of->kind_count);
        of->kind_count += first == i;
    }
}

/* Finds the number of ways to run the form. Hinges that would make them too many go. */
static size_t states_find(const ht_template *template, ht_form *form) {
    size_t states = 2;
    for (size_t i = 0; i < form->count; ++i) {
        kinds_find(template, &form->hinges[i]);
        if (states * form->hinges[i].kind_count > STATES_MAX) {
            free(form->hinges[i].kinds);
            form->count = i;
        } else
            states *= form->hinges[i].kind_count;
    }
    return states;
}

static void form_free(ht_form *form) {
    for (size_t i = 0; i < form->test_count; ++i)
        ht_expr_free(form->tests[i].expr);
    for (size_t i = 0; i < form->count; ++i)
        free(form->hinges[i].kinds);
    free(form->tests);
    free(form->seen);
    free(form->key);
}

static void test_add(ht_form *form, const char *text, size_t length, bool otherwise) {
    char *copy = ht_strndup(text, length);
    const ht_place nowhere = {0};
    ht_expr *expr;
    if (ht_expr_parse(copy, nowhere, &expr, NULL) == HT_OK) {
        HT_GROW(form->tests, form->test_count);
        form->tests[form->test_count++] = (test){expr, otherwise};
    }
    free(copy);
}

/* Finds the operator of two characters outside of parentheses; `length` when there is none. */
static size_t outside_find(const char *text, size_t length, size_t from, const char *operator) {
    int depth = 0;
    for (size_t at = from; at + 1 < length; ++at) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0 && strncmp(text + at, operator, 2) == 0)
            return at;
    }
    return length;
}

/* Adds one test for each part that && joins; what is not to hold is one whole. */
static void tests_add(ht_form *form, const around *of) {
    bool split = !of->otherwise && !memchr(of->text, '?', of->length) &&
                 outside_find(of->text, of->length, 0, "||") == of->length;
    size_t begin = 0, end;
    while (split && (end = outside_find(of->text, of->length, begin, "&&")) < of->length) {
        test_add(form, of->text + begin, end - begin, false);
        begin = end + 2;
    }
    test_add(form, of->text + begin, of->length - begin, of->otherwise);
}

/* Returns the begin of A in A ? B : C, of which this is the mark. */
static size_t condition_begin(const char *begin, const char *mark) {
    const char *at = mark;
    for (int depth = 0; at > begin; --at) {
        char c = at[-1];
        bool compares = c == '=' && (*at == '=' || (at - 1 > begin && strchr("=!<>", at[-2])));
        depth += (c == ')' || c == ']') - (c == '(' || c == '[');
        if (depth < 0 || (depth == 0 && !compares && strchr(",;{}?:=", c)))
            break;
    }
    return (size_t)(at - begin);
}

/* Adds the form between `begin` and `end`, which has been read. */
static void form_add(const reader *in, const around *within, const char *begin, const char *end) {
    ht_forms *forms = in->forms;
    ht_form form = {0};
    ht_text key = {0};
    for (const around *at = within; at; at = at->outer)
        names_add(forms->template, at->text, at->length, &form);
    for (const char *at = begin; at < end; ++at) {
        size_t first = *at == '?' ? condition_begin(begin, at) : 0;
        if (*at == '?')
            names_add(forms->template, begin + first, (size_t)(at - begin) - first, &form);
    }
    for (size_t i = 0; i < form.count; ++i) {
        ht_text_printf(&key, "%zu", form.hinges[i].param);
        for (size_t k = 0; k < form.hinges[i].number_count; ++k)
            ht_text_printf(&key, " %" PRId64, form.hinges[i].numbers[k]);
        ht_text_append(&key, ",");
    }
    for (const around *at = within; at; at = at->outer)
        if (at->asks) {
            ht_text_printf(&key, "%s%.*s;", at->otherwise ? "!" : "", (int)at->length, at->text);
            tests_add(&form, at);
        }
    form.key = ht_text_take(&key);
    bool known = form.count == 0;
    for (size_t i = 0; i < forms->count && !known; ++i)
        known = strcmp(forms->items[i].key, form.key) == 0;
    if (known) {
        form_free(&form);
        return;
    }
    form.seen = ht_alloc(states_find(forms->template, &form), sizeof *form.seen);
    HT_GROW(forms->items, forms->count);
    forms->items[forms->count++] = form;
}

static void read_statement(reader *in, const around *within);

static void read_block(reader *in, const around *within) {
    ++in->at;
    for (skip_space(in); *in->at && *in->at != '}'; skip_space(in))
        read_statement(in, within);
    in->at += *in->at == '}';
}

static void read_if(reader *in, const around *within) {
    around then = {.outer = within, .asks = true};
    take_word(in, "constexpr");
    take_parentheses(in, &then);
    read_statement(in, &then);
    skip_space(in);
    if (!take_word(in, "else"))
        return;
    around otherwise = then;
    otherwise.otherwise = true;
    read_statement(in, &otherwise);
}

/* Returns the end of B in A ? B : C, or of C (`last`), from past the mark on. */
static const char *choice_end(const char *at, const char *end, bool last) {
    int depth = 0, inner = 0;
    for (; at < end; ++at) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth < 0 || (depth == 0 && *at == ','))
            break;
        if (depth == 0 && *at == ':' && inner-- == 0 && !last)
            break;
        inner += depth == 0 && *at == '?';
    }
    return at;
}

/* Reads the branches of A ? B : C, which are run as those of an `if` are. */
static void read_choices(const reader *in, const around *within, const char *begin,
                         const char *end) {
    for (const char *at = begin; at < end; ++at) {
        if (*at != '?')
            continue;
        const char *middle = choice_end(at + 1, end, false);
        if (middle == end || *middle != ':')
            continue;
        const char *asked = begin + condition_begin(begin, at);
        const char *last = choice_end(middle + 1, end, true);
        around yes = {within, asked, (size_t)(at - asked), true, false}, no = yes;
        no.otherwise = true;
        form_add(in, &yes, at + 1, middle);
        form_add(in, &no, middle + 1, last);
        read_choices(in, &yes, at + 1, middle);
        read_choices(in, &no, middle + 1, last);
        at = last > at ? last - 1 : at;
    }
}

/* Reads up to its end, or that of a block in it, as a function's or a lambda's. */
static void read_plain(reader *in, const around *within) {
    const char *begin = in->at;
    while (*in->at && !strchr(";{}", *in->at))
        if (!skip_literal(in))
            ++in->at;
    form_add(in, within, begin, in->at);
    read_choices(in, within, begin, in->at);
    if (*in->at == '{')
        read_block(in, within);
    else
        in->at += *in->at == ';';
}

static void read_statement(reader *in, const around *within) {
    skip_space(in);
    if (*in->at == '{') {
        read_block(in, within);
    } else if (take_word(in, "if")) {
        read_if(in, within);
    } else if (take_word(in, "for") || take_word(in, "while") || take_word(in, "switch")) {
        around loop = {.outer = within};
        take_parentheses(in, &loop);
        read_statement(in, &loop);
    } else if (*in->at) {
        read_plain(in, within);
    }
}

void ht_forms_init(ht_forms *forms, const ht_template *template, const char *unit) {
    *forms = (ht_forms){.template = template};
    reader in = {forms, unit};
    for (skip_space(&in); *in.at; skip_space(&in)) {
        in.at += *in.at == '}'; /* one too many */
        read_statement(&in, NULL);
    }
}

void ht_forms_free(ht_forms *forms) {
    for (size_t i = 0; i < forms->count; ++i)
        form_free(&forms->items[i]);
    free(forms->items);
    *forms = (ht_forms){0};
}

/* ---- configurations */

typedef struct drawn {
    const ht_template *template;
    const ht_config *config;
} drawn;

static bool look_up(const void *context, const char *name, int64_t *out_value) {
    const drawn *of = context;
    for (size_t i = 0; i < of->template->param_count; ++i)
        if (strcmp(of->template->params[i].name, name) == 0) {
            *out_value = of->template->params[i].values[of->config->choice[i]].number;
            return true;
        }
    return false;
}

/* Returns true if no test around it is known to fail: one that asks for more than parameters may
 * hold. */
static bool is_run(const ht_form *form, const drawn *of) {
    const ht_scope scope = {.lookup = look_up, .context = of};
    for (size_t i = 0; i < form->test_count; ++i) {
        int64_t value;
        if (ht_expr_evaluate(form->tests[i].expr, &scope, &value, NULL) == HT_OK &&
            (value != 0) == form->tests[i].otherwise)
            return false;
    }
    return true;
}

/* Counts what is new, or (`add`) notes it. */
static ht_forms_news visit(const ht_forms *forms, const ht_config *config, bool inner, bool add) {
    const drawn of = {forms->template, config};
    ht_forms_news news = {0};
    for (size_t i = 0; i < forms->count; ++i) {
        ht_form *form = &forms->items[i];
        size_t state = inner;
        for (size_t k = 0; k < form->count; ++k) {
            const hinge *each = &form->hinges[k];
            state = state * each->kind_count + each->kinds[config->choice[each->param]];
        }
        if (form->seen[state] || !is_run(form, &of))
            continue;
        ++news.ways;
        news.forms += !form->run[inner];
        form->seen[state] = add;
        form->run[0] = form->run[0] || add;
        form->run[1] = form->run[1] || (inner && add);
    }
    return news;
}

ht_forms_news ht_forms_new(const ht_forms *forms, const ht_config *config, bool inner) {
    return visit(forms, config, inner, false);
}

void ht_forms_add(ht_forms *forms, const ht_config *config, bool inner) {
    visit(forms, config, inner, true);
}

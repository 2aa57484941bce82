#include "loop/agent/answer.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* The members of an answer of each kind, after those that all have. */
typedef struct form {
    const char *word;
    ht_answer_kind kind;
    const char *member; /* NULL: none */
} form;

static const form forms[] = {{"pass", HT_ANSWER_PASS, NULL},
                             {"kernel", HT_ANSWER_KERNEL, "kernel"},
                             {"source", HT_ANSWER_SOURCE, "source"},
                             {"template", HT_ANSWER_TEMPLATE, "template"},
                             {"parameters", HT_ANSWER_PARAMETERS, "parameters"},
                             {"search", HT_ANSWER_SEARCH, "evaluations"}};

static const form *form_find(const char *word) {
    for (size_t i = 0; word && i < sizeof forms / sizeof *forms; ++i)
        if (strcmp(forms[i].word, word) == 0)
            return &forms[i];
    return NULL;
}

static void refuse(ht_refused *out, const char *words) {
    ht_refuse(out, HT_REFUSAL_MESSAGE, 0, "it is no answer: %s; docs/agent.md has the schema",
              words);
}

/* Finds a member that no answer of this kind has. An answer that carries times, say, would be
 * believed by whoever reads the log. */
static void members_judge(const json_t *object, const form *of, ht_refused *out) {
    static const char *const all[] = {"version", "turn", "answer", "parent", "why", NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        if (ht_text_is_one(key, all) || (of->member && strcmp(of->member, key) == 0))
            continue;
        char *words = ht_format("a '%s' answer has no member '%.60s'", of->word, key);
        refuse(out, words);
        free(words);
    }
}

static bool is_name(const char *name) {
    size_t length = 0;
    if (!name || isdigit((unsigned char)name[0]))
        return false;
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        ++length;
    return length > 0 && length < 64 && !name[length];
}

static void parameter_read(const json_t *object, ht_answer *answer, ht_refused *out) {
    ht_answer_parameter *parameter = &answer->parameters[answer->parameter_count];
    const char *name = json_string_value(json_object_get(object, "name"));
    const json_t *values = json_object_get(object, "values");
    size_t count = json_array_size(values);
    if (json_object_size(object) != 2 || !is_name(name) || count == 0 ||
        count > HT_ANSWER_VALUES_MAX) {
        refuse(out, "a parameter has a \"name\" and one to 32 \"values\"");
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const json_t *value = json_array_get(values, i);
        json_int_t number = json_integer_value(value);
        if (!json_is_integer(value) || number < -HT_ANSWER_NUMBER_MAX ||
            number > HT_ANSWER_NUMBER_MAX) {
            refuse(out, "values are whole numbers up to 1048576");
            return;
        }
        parameter->values[parameter->count++] = number;
    }
    parameter->name = ht_strdup(name);
    ++answer->parameter_count;
}

static void parameters_read(const json_t *list, ht_answer *answer, ht_refused *out) {
    size_t count = json_array_size(list);
    if (count == 0 || count > HT_ANSWER_PARAMETERS_MAX) {
        refuse(out, "\"parameters\" is a list of one to 16");
        return;
    }
    answer->parameters = ht_alloc(count, sizeof *answer->parameters);
    for (size_t i = 0; i < count && out->kind == HT_REFUSAL_NONE; ++i)
        parameter_read(json_array_get(list, i), answer, out);
}

static void text_read(const json_t *value, ht_answer *answer, ht_refused *out) {
    size_t length = json_string_length(value);
    if (!json_is_string(value) || length == 0 || length > HT_ANSWER_TEXT_MAX)
        refuse(out, "its text is a string of up to 262144 bytes");
    else
        answer->text = ht_strdup(json_string_value(value));
}

static void body_read(const json_t *object, const form *of, ht_answer *answer, ht_refused *out) {
    const json_t *value = of->member ? json_object_get(object, of->member) : NULL;
    switch (of->kind) {
    case HT_ANSWER_PASS:
        return;
    case HT_ANSWER_PARAMETERS:
        parameters_read(value, answer, out);
        return;
    case HT_ANSWER_SEARCH:
        if (!json_is_integer(value) || json_integer_value(value) < 1 ||
            json_integer_value(value) > HT_ANSWER_EVALUATIONS_MAX)
            refuse(out, "\"evaluations\" is a number from 1 to 1000000");
        else
            answer->evaluations = (uint64_t)json_integer_value(value);
        return;
    default:
        text_read(value, answer, out);
    }
}

/* Reads what answers of all kinds have. */
static void head_read(const json_t *object, uint64_t turn, ht_answer *answer, ht_refused *out) {
    const json_t *parent = json_object_get(object, "parent"), *why = json_object_get(object, "why");
    if (json_integer_value(json_object_get(object, "version")) != HT_AGENT_VERSION)
        refuse(out, "its \"version\" is not 1");
    if (!json_is_integer(json_object_get(object, "turn")) ||
        json_integer_value(json_object_get(object, "turn")) != (json_int_t)turn)
        refuse(out, "its \"turn\" is not that of the question");
    if (parent && (!json_is_integer(parent) || json_integer_value(parent) < 0))
        refuse(out, "\"parent\" is the number of a revision");
    if (why && (!json_is_string(why) || json_string_length(why) > HT_ANSWER_WHY_MAX))
        refuse(out, "\"why\" is a sentence of up to 500 bytes");
    if (out->kind != HT_REFUSAL_NONE)
        return;
    answer->has_parent = parent != NULL;
    answer->parent = (uint64_t)json_integer_value(parent);
    answer->why = why ? ht_strdup(json_string_value(why)) : NULL;
    if (answer->why)
        ht_text_make_printable(answer->why, "", false);
}

void ht_answer_read(const char *line, size_t length, uint64_t turn, ht_answer *out,
                    ht_refused *out_refused) {
    json_error_t at;
    *out = (ht_answer){0};
    if (length > HT_ANSWER_LINE_MAX) {
        refuse(out_refused, "its line is longer than 2097152 bytes");
        return;
    }
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &at);
    if (!json_is_object(object)) {
        char *words = object ? ht_strdup("it is no object") : ht_format("%.120s", at.text);
        refuse(out_refused, words);
        free(words);
        json_decref(object);
        return;
    }
    const form *of = form_find(json_string_value(json_object_get(object, "answer")));
    if (!of)
        refuse(out_refused, "\"answer\" is pass, kernel, source, template, parameters or search");
    else
        members_judge(object, of, out_refused);
    if (out_refused->kind == HT_REFUSAL_NONE)
        head_read(object, turn, out, out_refused);
    if (of && out_refused->kind == HT_REFUSAL_NONE)
        body_read(object, of, out, out_refused);
    if (of && out_refused->kind == HT_REFUSAL_NONE)
        out->kind = of->kind;
    json_decref(object);
}

void ht_answer_free(ht_answer *answer) {
    for (size_t i = 0; i < answer->parameter_count; ++i)
        free(answer->parameters[i].name);
    free(answer->parameters);
    free(answer->text);
    free(answer->why);
    *answer = (ht_answer){0};
}

/* ---- writing ---- */

char *ht_answer_parameters_text(const ht_answer *answer) {
    ht_text text = {0};
    for (size_t i = 0; i < answer->parameter_count; ++i) {
        const ht_answer_parameter *parameter = &answer->parameters[i];
        ht_text_printf(&text, "param(%s : ", parameter->name);
        for (size_t j = 0; j < parameter->count; ++j)
            ht_text_printf(&text, "%s%" PRId64, j ? ", " : "", parameter->values[j]);
        ht_text_printf(&text, " = %" PRId64 ")\n", parameter->values[0]);
    }
    return ht_text_take(&text);
}

static json_t *refused_json(const ht_refused *refused) {
    if (!refused || refused->kind == HT_REFUSAL_NONE)
        return json_null();
    return json_pack("{s:s, s:o, s:o}", "kind", ht_refusal_word(refused->kind), "reason",
                     ht_report_json_text(refused->reason), "line",
                     refused->line ? json_integer(refused->line) : json_null());
}

static json_t *given_json(json_t *value) {
    return value ? json_incref(value) : json_null();
}

json_t *ht_agent_state_json(const ht_agent_state *state) {
    return json_pack(
        "{s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}",
        "hiptemper", "agent", "version", HT_AGENT_VERSION, "turn", (json_int_t)state->turn, "file",
        ht_report_json_text(state->path), "kernel", ht_report_json_text(state->kernel), "source",
        ht_report_json_text(state->source), "definition", ht_report_json_text(state->definition),
        "annotations", ht_report_json_text(state->annotations), "problem",
        ht_report_json_text(state->problem), "device", ht_report_json_text(state->device),
        "profile", given_json(state->profile), "remarks", given_json(state->remarks), "history",
        state->history ? json_incref(state->history) : json_array(), "refused",
        refused_json(state->refused), "rounds_left", (json_int_t)state->rounds_left, "seconds_left",
        state->seconds_left > 0 ? json_real(state->seconds_left) : json_null());
}

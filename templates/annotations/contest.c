#include "templates/annotations/contest.h"

#include "base/memory.h"
#include "templates/annotations/apart.h"
#include "templates/annotations/launches.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static ht_status signature_check(const ht_template *original, const ht_template *candidate,
                                 ht_error *error) {
    if (original->reference_kind != HT_REFERENCE_KERNEL)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "the original is not a kernel of the template's text");
    if (original->arg_count != candidate->arg_count)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "it takes %zu arguments where the original takes %zu",
                            candidate->arg_count, original->arg_count);
    for (size_t i = 0; i < original->arg_count; ++i)
        if (!ht_arg_equal(&original->args[i], &candidate->args[i]))
            return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                                "its argument '%s' is not that of the original, '%s'",
                                candidate->args[i].name, original->args[i].name);
    return HT_OK;
}

/* Gives the template the original's launches, to be compared with and to be faster than. */
static void reference_take(const ht_template *original, ht_template *template) {
    ht_strings_free(template->reference_arguments, template->reference_argument_count);
    free(template->reference_name);
    template->reference_arguments = NULL;
    template->reference_argument_count = 0;
    template->reference_name = NULL;
    template->reference_kind = HT_REFERENCE_KERNEL;
    ht_launch_list_replace(original->reference_launches, original->reference_launch_count,
                           &template->reference_launches, &template->reference_launch_count);
    ht_launch_list_replace(original->reference_launches, original->reference_launch_count,
                           &template->baseline_launches, &template->baseline_launch_count);
    template->tolerance = original->tolerance;
    template->exact = original->exact;
}

static ht_status parse_one(const char *text, const ht_template *like, ht_template **out_template,
                           ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status = ht_template_parse(text, like->file, &templates, &count, error);
    if (status == HT_OK && (count != 1 || templates->param_count != like->param_count)) {
        ht_template_free(templates, count);
        return ht_error_set(error, HT_ERROR_INTERNAL, "the template is not read as it was printed");
    }
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < like->param_count; ++i)
        templates->params[i].form = like->params[i].form; /* which is not printed */
    *out_template = templates;
    return HT_OK;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Appends a text with another name in the place of each identifier of this one; lines that name
 * files stay. */
static void renamed_append(const char *text, const char *name, const char *by, ht_text *out) {
    size_t length = strlen(name);
    for (const char *at = text; *at;) {
        bool begins = at == text || at[-1] == '\n';
        size_t word = 0;
        while (is_word(at[word]))
            ++word;
        if (begins && strncmp(at, "#line", 5) == 0)
            word = strcspn(at, "\n");
        else if (word == length && memcmp(at, name, length) == 0) {
            ht_text_append(out, by);
            at += word;
            continue;
        }
        word = word ? word : 1;
        ht_text_append_n(out, at, word);
        at += word;
    }
}

/* Appends the original's text. Of two kernels of one name the reader of annotations takes the one
 * that has template arguments, so that the original's other kernel gets another name where the
 * candidate has none. */
static void original_append(const ht_template *original, const ht_template *candidate,
                            ht_text *out) {
    const char *name = strrchr(candidate->name, ':');
    name = name ? name + 1 : candidate->name;
    char *other = ht_format("%s__first", name);
    bool plain = true;
    for (size_t i = 0; i < candidate->launch_count; ++i)
        plain = plain && candidate->launches[i].template_argument_count == 0;
    if (plain)
        renamed_append(original->unit, name, other, out);
    else
        ht_text_append(out, original->unit);
    free(other);
}

/* Returns the original's text, which must not get the values of the candidate's macros; free(). */
static char *original_text(const ht_template *original, const ht_template *candidate) {
    ht_text text = {0};
    for (size_t i = 0; i < candidate->param_count; ++i)
        if (candidate->params[i].binding == HT_BIND_MACRO)
            ht_text_printf(&text, "#undef %s\n", candidate->params[i].name);
    original_append(original, candidate, &text);
    return ht_text_take(&text);
}

ht_status ht_contest_make(const ht_template *original, const ht_template *candidate,
                          ht_template **out_template, ht_error *error) {
    ht_status status = signature_check(original, candidate, error);
    if (status != HT_OK)
        return status;
    ht_template *made = ht_template_copy(candidate);
    ht_text annotations = {0};
    reference_take(original, made);
    made->is_unit = true;
    ht_template_print(made, &annotations);
    char *reference = original_text(original, candidate);
    char *text = ht_units_apart(reference, candidate->unit, false, annotations.data);
    status = parse_one(text, candidate, out_template, error);
    free(text);
    free(reference);
    ht_text_free(&annotations);
    ht_template_free(made, 1);
    return status;
}

ht_status ht_contest_print(const ht_template *template, ht_template **out_template,
                           ht_error *error) {
    ht_text text = {0};
    ht_template *made = ht_template_copy(template);
    made->is_unit = true;
    ht_unit_part_print(template->unit, HT_UNIT_INCLUDES, &text);
    ht_template_print(made, &text);
    ht_unit_part_print(template->unit, HT_UNIT_REST, &text);
    ht_status status = parse_one(text.data, template, out_template, error);
    ht_text_free(&text);
    ht_template_free(made, 1);
    return status;
}

/* The option parser: the words that it takes; everything else is one clear message. */
#include "cli/command.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

typedef struct values {
    bool flag;
    const char *text;
    ht_option_list list;
    uint64_t count;
    double number;
    const char *json;
} values;

static const ht_option options[] = {
    {"fresh", HT_OPTION_FLAG, offsetof(values, flag), .help = "A flag."},
    {"device", HT_OPTION_TEXT, offsetof(values, text), "DEVICE", .fallback = "host", .help = "T."},
    {"I", HT_OPTION_LIST, offsetof(values, list), "DIR", .help = "A list."},
    {"max-evals", HT_OPTION_COUNT, offsetof(values, count), "N", .fallback = "60", .min = 1,
     .help = "A count."},
    {"max-time", HT_OPTION_NUMBER, offsetof(values, number), "SECONDS", .help = "A number."},
    {"json", HT_OPTION_JSON, offsetof(values, json), "FILE", .help = "JSON."},
    {0},
};

static const ht_command command = {
    .name = "tried",
    .summary = "a command for tests",
    .usage = "[OPTION]... PATH",
    .options = options,
    .options_size = sizeof(values),
    .min_operands = 1,
    .max_operands = 2,
    .operand = "PATH",
};

enum { WORDS_MAX = 16 };

static bool parse(const char *const *words, ht_command_line *line, bool *help) {
    int count = 0;
    char *copy[WORDS_MAX];
    for (; words[count]; ++count)
        copy[count] = (char *)words[count];
    return ht_command_line_parse(&command, count, copy, line, help);
}

#define PARSE(...)                                                                                 \
    ht_command_line line;                                                                          \
    bool help;                                                                                     \
    bool good = parse((const char *const[]){__VA_ARGS__, NULL}, &line, &help);                     \
    const values *given = line.options;                                                            \
    (void)given

Test(options, defaults_hold_when_nothing_is_given) {
    PARSE("a.hip");
    cr_assert(good);
    cr_assert_not(given->flag);
    cr_assert_str_eq(given->text, "host");
    cr_assert_eq(given->list.count, 0);
    cr_assert_eq(given->count, 60);
    cr_assert_eq(given->number, 0);
    cr_assert_null(given->json);
    cr_assert_eq(line.operand_count, 1);
    ht_command_line_free(&line);
}

Test(options, values_come_by_word_by_equals_sign_or_attached) {
    PARSE("--device", "amd:0", "--max-evals=7", "-Iinclude", "-I", "more", "a.hip", "--fresh",
          "--max-time", "2.5e1", "--", "--fresh");
    cr_assert(good);
    cr_assert(given->flag);
    cr_assert_str_eq(given->text, "amd:0");
    cr_assert_eq(given->count, 7);
    cr_assert_eq(given->number, 25);
    cr_assert_eq(given->list.count, 2);
    cr_assert_str_eq(given->list.items[0], "include");
    cr_assert_str_eq(given->list.items[1], "more");
    cr_assert_eq(line.operand_count, 2);
    cr_assert_str_eq(line.operands[1], "--fresh");
    ht_command_line_free(&line);
}

Test(options, last_of_an_option_given_twice_counts) {
    PARSE("--max-evals", "7", "--max-evals", "9", "a");
    cr_assert(good);
    cr_assert_eq(given->count, 9);
    ht_command_line_free(&line);
}

Test(options, json_takes_a_word_only_when_it_looks_like_its_file) {
    {
        PARSE("--json", "a.hip");
        cr_assert(good);
        cr_assert_str_eq(given->json, "-");
        cr_assert_eq(line.operand_count, 1);
        ht_command_line_free(&line);
    }
    {
        PARSE("--json", "out.json", "a.hip");
        cr_assert(good);
        cr_assert_str_eq(given->json, "out.json");
        ht_command_line_free(&line);
    }
    {
        PARSE("a.hip", "--json=result");
        cr_assert(good);
        cr_assert_str_eq(given->json, "result");
        ht_command_line_free(&line);
    }
}

Test(options, help_wins_over_missing_operands) {
    PARSE("--help");
    cr_assert(good);
    cr_assert(help);
    ht_command_line_free(&line);
}

static void expect_refusal(const char *const *words, const char *expected) {
    cr_redirect_stderr();
    ht_command_line line;
    bool help;
    cr_assert_not(parse(words, &line, &help), "'%s' was taken", words[0]);
    ht_command_line_free(&line);
    char text[1024];
    fflush(stderr);
    FILE *pipe = cr_get_redirected_stderr();
    size_t length = fread(text, 1, sizeof text - 1, pipe);
    text[length] = 0;
    cr_assert(strstr(text, expected), "'%s' is not in: %s", expected, text);
    cr_assert_eq(strchr(text, '\n'), text + length - 1, "not one line: %s", text);
}

#define REFUSAL(name, expected, ...)                                                               \
    Test(options, refuses_##name) {                                                                \
        expect_refusal((const char *const[]){__VA_ARGS__, NULL}, expected);                        \
    }

REFUSAL(unknown_option_and_suggests, "did you mean '--max-evals'?", "--max-eval", "7", "a")
REFUSAL(swapped_letters_and_suggests, "did you mean '--device'?", "--deivce=x", "a")
REFUSAL(unknown_option_without_a_near_one, "unknown option '--zzzzzzzzz'", "--zzzzzzzzz", "a")
REFUSAL(unknown_letter, "unknown option '-x'", "-x", "a")
REFUSAL(word_for_a_count, "'many' is not a whole number", "--max-evals", "many", "a")
REFUSAL(negative_count, "'-3' is not a whole number", "--max-evals", "-3", "a")
REFUSAL(fraction_for_a_count, "'1.5' is not a whole number", "--max-evals=1.5", "a")
REFUSAL(count_past_64_bits, "too large", "--max-evals", "99999999999999999999", "a")
REFUSAL(count_below_the_least, "the least is 1", "--max-evals", "0", "a")
REFUSAL(word_for_a_number, "'soon' is not a number", "--max-time", "soon", "a")
REFUSAL(infinite_number, "'inf' is not a number", "--max-time", "inf", "a")
REFUSAL(nan, "'nan' is not a number", "--max-time", "nan", "a")
REFUSAL(trailing_letters, "'5s' is not a number", "--max-time=5s", "a")
REFUSAL(negative_number, "the least is 0", "--max-time=-1", "a")
REFUSAL(missing_value, "the value is missing", "a", "--device")
REFUSAL(option_where_a_value_should_be, "the value is missing", "a", "--device", "--fresh")
REFUSAL(empty_value, "the value is empty", "--device=", "a")
REFUSAL(value_for_a_flag, "takes no value", "--fresh=yes", "a")
REFUSAL(no_operand, "PATH is missing", "--fresh")
REFUSAL(too_many_operands, "unexpected 'c'", "a", "b", "c")

Test(nearest, finds_what_was_meant_and_nothing_far_away) {
    const char *const words[] = {"optimize", "refactor", "tune", "devices", "inspect", NULL};
    cr_assert_str_eq(ht_nearest_word("optimise", words), "optimize");
    cr_assert_str_eq(ht_nearest_word("opt", words), "optimize");
    cr_assert_str_eq(ht_nearest_word("tnue", words), "tune");
    cr_assert_str_eq(ht_nearest_word("device", words), "devices");
    cr_assert_null(ht_nearest_word("frobnicate", words));
    cr_assert_null(ht_nearest_word("x", words));
}

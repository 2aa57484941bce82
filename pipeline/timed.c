#include "pipeline/timed.h"

#include "base/clock.h"

#include <string.h>

bool ht_timed_is_command(const char *reason) {
    return reason && strstr(reason, "(--max-time)");
}

bool ht_timed_is(const char *reason) {
    static const char *const words[] = {"no end within", "takes too long", "s of CPU time"};
    for (size_t i = 0; reason && i < sizeof words / sizeof *words; ++i)
        if (strstr(reason, words[i]))
            return true;
    return ht_timed_is_command(reason);
}

void ht_timed_note(json_t *document, bool timed, const ht_timed_limits *limits) {
    json_object_set_new(document, "made",
                        json_pack("{s:I, s:b, s:f, s:f}", "when", (json_int_t)time(NULL), "timed",
                                  timed, "analysis", limits->analysis, "command", limits->command));
}

/* Returns true if a limit now (0: no limit) leaves no more time than the one then. */
static bool is_within(double now, const json_t *then) {
    double limit = json_number_value(then);
    return limit <= 0 || (now > 0 && now <= limit);
}

bool ht_timed_fits(const json_t *document, const ht_timed_limits *now) {
    const json_t *made = json_object_get(document, "made");
    const json_t *when = json_object_get(made, "when");
    if (!json_is_integer(when))
        return false;
    if (!json_is_true(json_object_get(made, "timed")))
        return true;
    json_int_t age = (json_int_t)time(NULL) - json_integer_value(when);
    return age >= 0 && age < (json_int_t)HT_TIMED_DAYS * 24 * 3600 &&
           is_within(now->analysis, json_object_get(made, "analysis")) &&
           is_within(now->command, json_object_get(made, "command"));
}

json_t *ht_timed_when(const json_t *document) {
    const json_t *when = json_object_get(json_object_get(document, "made"), "when");
    char text[HT_CLOCK_UTC_SIZE];
    if (!json_is_integer(when) || !ht_clock_utc((time_t)json_integer_value(when), text))
        return json_null();
    return json_string(text);
}

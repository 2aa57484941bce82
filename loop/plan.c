#include "loop/plan.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The gain of a step of each kind where no loop has taught anything yet; guesses, which PRIOR_STEPS
 * steps outweigh. */
static const double prior_gain[HT_ACTION_COUNT] = {
    [HT_ACTION_ORIGINAL] = 1,    [HT_ACTION_TUNE] = 2,          [HT_ACTION_LONGER] = 1.06,
    [HT_ACTION_REFINE] = 1.07,   [HT_ACTION_WIDEN] = 1.08,      [HT_ACTION_AGAIN] = 1.10,
    [HT_ACTION_FREER] = 1.15,    [HT_ACTION_LIBRARY] = 1.10,    [HT_ACTION_SOURCE] = 1.15,
    [HT_ACTION_TEMPLATE] = 1.15, [HT_ACTION_PARAMETERS] = 1.08, [HT_ACTION_STOP] = 1,
};
static const double PRIOR_STEPS = 4;

/* Costs are counted in evaluations, which do not hang on the machine's speed: a plan that went by
 * the clock would be another one the next time. */
enum {
    STEP_COST = 10,     /* of any step: the original again, finals, the check of what is written */
    REFACTOR_COST = 20, /* of an analysis */
    NEIGHBOURS = 16     /* of a best that are looked at, at most */
};

/* The part of the roofline at which a kernel is left alone. */
static const double ROOFLINE = 0.9;

typedef struct planning {
    const ht_loop_settings *settings;
    const ht_history *history;
    const ht_lessons *lessons;
    const ht_revision *best;
    const ht_revision *searched; /* whose template a search goes on with: the best's, or the first
                                    that nothing came of; NULL: there is none */
    ht_choice chosen;
    double score;
    uint64_t left;    /* configurations; UINT64_MAX: no limit */
    ht_text declined; /* what was not worth it, for the sentence of a stop */
} planning;

/* ---- lessons */

static void lesson_add(ht_lesson *lesson, const ht_revision *revision) {
    bool gained = revision->kept && revision->over_best.ratio > 1;
    lesson->log_gain += gained ? log(revision->over_best.ratio) : 0;
    ++lesson->steps;
    lesson->seconds += revision->seconds;
    lesson->evaluations += revision->evaluations;
}

void ht_lessons_add(ht_lessons *lessons, const ht_history *history) {
    for (size_t i = 1; i < history->count; ++i)
        lesson_add(&lessons->of[history->items[i].action], &history->items[i]);
}

json_t *ht_lessons_json(const ht_lessons *lessons) {
    json_t *document = json_object();
    for (int i = 0; i < HT_ACTION_COUNT; ++i)
        if (lessons->of[i].steps)
            json_object_set_new(
                document, ht_action_name((ht_action)i),
                json_pack("{s:f, s:I, s:f, s:I}", "log_gain", lessons->of[i].log_gain, "steps",
                          (json_int_t)lessons->of[i].steps, "seconds", lessons->of[i].seconds,
                          "evaluations", (json_int_t)lessons->of[i].evaluations));
    return document;
}

void ht_lessons_read(const json_t *document, ht_lessons *out_lessons) {
    *out_lessons = (ht_lessons){0};
    for (int i = 0; i < HT_ACTION_COUNT; ++i) {
        const json_t *lesson = json_object_get(document, ht_action_name((ht_action)i));
        out_lessons->of[i] =
            (ht_lesson){json_number_value(json_object_get(lesson, "log_gain")),
                        (uint64_t)json_integer_value(json_object_get(lesson, "steps")),
                        json_number_value(json_object_get(lesson, "seconds")),
                        (uint64_t)json_integer_value(json_object_get(lesson, "evaluations"))};
    }
}

/* ---- predictions */

/* Returns how many steps of this kind have gained nothing that a step is taken for, since the last
 * one that did. */
static unsigned failures(const ht_history *history, ht_action action, double least_gain) {
    unsigned count = 0;
    for (size_t i = history->count; i > 0; --i) {
        const ht_revision *item = &history->items[i - 1];
        if (item->number == 0 || (item->kept && item->over_best.ratio >= least_gain))
            break;
        count += item->action == action;
    }
    return count;
}

/* Returns the gain to be expected of a step: that of earlier ones of its kind, in this loop too,
 * and half of its logarithm after each that was in vain. */
static double gain_expected(const ht_history *history, const ht_lessons *lessons, double least_gain,
                            ht_action action) {
    ht_lessons all = *lessons;
    ht_lessons_add(&all, history);
    const ht_lesson *lesson = &all.of[action];
    double mean = (PRIOR_STEPS * log(prior_gain[action]) + lesson->log_gain) /
                  (PRIOR_STEPS + (double)lesson->steps);
    return exp(ldexp(mean, -(int)failures(history, action, least_gain)));
}

/* Returns the seconds that a number of evaluations takes by what steps took, in this loop if it has
 * any; 0: nothing is known. */
static double seconds_expected(const ht_history *history, const ht_lessons *lessons,
                               double evaluations) {
    ht_lessons own = {0};
    ht_lessons_add(&own, history);
    double seconds = 0, count = 0;
    for (int pass = 0; pass < 2 && count < 1; ++pass)
        for (int i = 0; i < HT_ACTION_COUNT; ++i) {
            const ht_lesson *lesson = pass == 0 ? &own.of[i] : &lessons->of[i];
            seconds += lesson->seconds;
            count += (double)lesson->evaluations + STEP_COST * (double)lesson->steps;
        }
    return count > 0 ? seconds / count * evaluations : 0;
}

void ht_loop_predict(const ht_loop_settings *settings, const ht_history *history,
                     const ht_lessons *lessons, ht_choice *choice) {
    choice->predicted_gain = gain_expected(history, lessons, settings->least_gain, choice->action);
    choice->predicted_cost =
        seconds_expected(history, lessons, (double)choice->evaluations + STEP_COST + REFACTOR_COST);
}

/* ---- candidates */

/* Says how the expected gain is known. */
static char *grounds(const planning *in, ht_action action) {
    ht_lessons all = *in->lessons;
    ht_lessons_add(&all, in->history);
    const ht_lesson *lesson = &all.of[action];
    if (lesson->steps == 0)
        return ht_strdup("no loop has tried that yet");
    double mean = exp(lesson->log_gain / (double)lesson->steps);
    return ht_format("%lu earlier step%s of this kind gained %.3fx on average",
                     (unsigned long)lesson->steps, lesson->steps == 1 ? "" : "s", mean);
}

/* Considers a step: `fresh` evaluations are to be made, and `overhead` as many more are what the
 * rest of it costs. Takes over `fact`, the first half of the sentence. */
static void consider(planning *in, ht_action action, uint64_t evaluations, double fresh,
                     double overhead, char *fact) {
    if (fresh > (double)in->left) { /* a shorter search than it would be */
        evaluations -= (uint64_t)fresh - in->left;
        fresh = (double)in->left;
    }
    double gain = gain_expected(in->history, in->lessons, in->settings->least_gain, action);
    double cost = fresh + overhead;
    double score = log(gain) / cost;
    if (gain < in->settings->least_gain && action != HT_ACTION_TUNE) {
        ht_text_printf(&in->declined, "%s%s %.3fx", in->declined.length ? ", " : "",
                       ht_action_name(action), gain);
    } else if (in->chosen.reason == NULL || score > in->score) {
        char *known = grounds(in, action);
        free(in->chosen.reason);
        in->score = score;
        in->chosen = (ht_choice){.action = action,
                                 .parent = in->best->number,
                                 .evaluations = evaluations,
                                 .predicted_gain = gain,
                                 .predicted_cost = seconds_expected(in->history, in->lessons, cost),
                                 .reason = ht_format("%s; %s.", fact, known)};
        free(known);
    }
    free(fact);
}

/* Returns true if the step was taken from the best already. */
static bool is_tried(const planning *in, ht_action action) {
    for (size_t i = in->best->number + 1; i < in->history->count; ++i)
        if (in->history->items[i].action == action &&
            in->history->items[i].parent == in->best->number)
            return true;
    return false;
}

static void consider_longer(planning *in) {
    uint64_t most = 0;
    for (size_t i = 1; i < in->history->count; ++i) {
        const ht_revision *item = &in->history->items[i];
        if (!in->searched || !ht_revision_same_template(item, in->searched))
            continue;
        if (item->exhausted)
            return;
        most = item->evaluations > most ? item->evaluations : most;
    }
    if (most == 0)
        return;
    consider(in, HT_ACTION_LONGER, 2 * most, (double)most, STEP_COST,
             ht_format("The search has tried %lu configurations and not all that there are",
                       (unsigned long)most));
}

/* Returns true if a search tried all that there is of the template. */
static bool is_exhausted(const planning *in) {
    for (size_t i = 1; i < in->history->count; ++i)
        if (in->history->items[i].exhausted &&
            ht_revision_same_template(&in->history->items[i], in->searched))
            return true;
    return false;
}

static void consider_refine(planning *in) {
    uint64_t count =
        in->settings->evaluations < NEIGHBOURS ? in->settings->evaluations : NEIGHBOURS;
    if (in->searched && in->searched == in->best && in->best->config &&
        !is_tried(in, HT_ACTION_REFINE) && !is_exhausted(in))
        consider(in, HT_ACTION_REFINE, count, (double)count, STEP_COST,
                 ht_strdup("Configurations next to the best may not have been tried"));
}

static void consider_widen(planning *in) {
    uint64_t count = in->settings->evaluations;
    if (in->searched && in->searched->edges && !is_tried(in, HT_ACTION_WIDEN))
        consider(in, HT_ACTION_WIDEN, count, (double)count, STEP_COST,
                 ht_format("The best sits at the edge of %s", in->searched->edges));
}

static void consider_again(planning *in) {
    uint64_t count = in->settings->evaluations;
    if (in->best->source && in->best->number > 0 && !is_tried(in, HT_ACTION_AGAIN))
        consider(in, HT_ACTION_AGAIN, count, (double)count, STEP_COST + REFACTOR_COST,
                 ht_format("Revision %lu's source may be refactored again",
                           (unsigned long)in->best->number));
}

static void consider_freer(planning *in) {
    uint64_t count = in->settings->evaluations;
    if (in->settings->any && in->searched && in->searched->held_back &&
        !is_tried(in, HT_ACTION_FREER))
        consider(in, HT_ACTION_FREER, count, (double)count, STEP_COST,
                 ht_format("The search was not allowed %s", in->searched->held_back));
}

static const ht_revision *searched_find(const planning *in) {
    if (in->best->template_text)
        return in->best;
    for (size_t i = 1; i < in->history->count; ++i)
        if (in->history->items[i].template_text)
            return &in->history->items[i];
    return NULL;
}

static void stop(planning *in, char *reason) {
    free(in->chosen.reason);
    in->chosen = (ht_choice){.action = HT_ACTION_STOP,
                             .parent = in->best->number,
                             .predicted_gain = 1,
                             .reason = reason};
}

/* Returns why the kernel is left alone; NULL: its roofline is not known, or far; free(). */
static char *at_roofline(const planning *in) {
    const ht_revision *best = in->best;
    double share = ht_history_roofline(in->history);
    if (share < ROOFLINE)
        return NULL;
    return ht_format("%s takes %.4g ms, and to move the %.4g MB once that have to be moved takes "
                     "%.4g ms: %.0f %% of it, so that nothing is left to gain.",
                     best->number == 0 ? "The original" : "The best", best->least_ms / share,
                     best->least_bytes / 1e6, best->least_ms, 100 * share);
}

static void candidates_consider(planning *in) {
    const ht_loop_settings *settings = in->settings;
    if (in->history->count == 1) {
        consider(in, HT_ACTION_TUNE, settings->evaluations, (double)settings->evaluations,
                 STEP_COST + REFACTOR_COST, ht_strdup("Nothing was tuned yet"));
        return;
    }
    consider_longer(in);
    consider_refine(in);
    consider_widen(in);
    consider_again(in);
    consider_freer(in);
}

void ht_loop_choose(const ht_loop_settings *settings, const ht_history *history,
                    const ht_lessons *lessons, ht_choice *out_choice) {
    planning in = {.settings = settings,
                   .history = history,
                   .lessons = lessons,
                   .best = ht_history_best(history)};
    uint64_t spent = ht_history_spent(history);
    char *enough = at_roofline(&in);
    in.searched = searched_find(&in);
    in.left = settings->most == 0      ? UINT64_MAX
              : spent < settings->most ? settings->most - spent
                                       : 0;
    if (enough)
        stop(&in, enough);
    else if (settings->rounds && history->count > settings->rounds)
        stop(&in, ht_format("All %lu rounds were made.", (unsigned long)settings->rounds));
    else if (in.left == 0)
        stop(&in, ht_format("All %lu configurations were tried.", (unsigned long)settings->most));
    else
        candidates_consider(&in);
    in.chosen.over = in.chosen.reason && in.chosen.action == HT_ACTION_STOP;
    if (in.chosen.reason == NULL)
        stop(&in, in.declined.length ? ht_format("No step is expected to gain %g %%: %s.",
                                                 100 * (settings->least_gain - 1), in.declined.data)
                                     : ht_strdup("Nothing is left to try."));
    ht_text_free(&in.declined);
    *out_choice = in.chosen;
}

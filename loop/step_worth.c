/* The worth of a step: its winner written, checked and timed. */
#include "base/memory.h"
#include "base/text.h"
#include "loop/deliver.h"
#include "loop/step_internal.h"
#include "loop/step_notes.h"

#include <stdlib.h>
#include <string.h>

/* Returns the finalist that is the best so far: the incumbent, or the template's defaults, if its
 * source is the best's; NULL: it was not among them. */
static const ht_candidate *best_among(const ht_step *in) {
    const ht_finalists *finalists = &in->result->finalists;
    const ht_revision *best = in->best;
    bool source = in->from && best->source && strcmp(in->from->text, best->source) == 0;
    for (size_t i = 0; i < finalists->count; ++i)
        if (source
                ? finalists->items[i].is_default
                : in->has_incumbent && ht_config_equal(&finalists->items[i].config, &in->incumbent))
            return &finalists->items[i];
    return NULL;
}

/* Returns the time of the best before over the winner's, by the rounds that both were in. The
 * finals have the ratios to the fastest, which is one of the two; else nothing is known. */
static ht_gain_interval gain_among(const ht_pair_result *result, const ht_candidate *before) {
    const ht_candidate *winner = ht_pair_result_stays(result);
    if (!winner || winner == before)
        return (ht_gain_interval){1, 1, 1};
    const ht_final *last = &before->final, *now = &winner->final;
    if (last->status != HT_OK || now->status != HT_OK)
        return (ht_gain_interval){0};
    if (now->over_best <= 1)
        return (ht_gain_interval){last->over_best, last->over_best_lo, last->over_best_hi};
    if (last->over_best <= 1 && now->over_best_lo > 0)
        return (ht_gain_interval){1 / now->over_best, 1 / now->over_best_hi, 1 / now->over_best_lo};
    return (ht_gain_interval){0};
}

/* Returns the gain of times of which each is predicted alone. */
static ht_gain_interval gain_predicted(const ht_step *in, const ht_pair_times *times) {
    double gain = in->best->best_ms / times->tuned.median_ms;
    return (ht_gain_interval){gain, gain, gain};
}

/* Fills how much faster the winner is than the best before it. */
static ht_status gain_fill(ht_step *in, ht_error *error) {
    const ht_pair_result *result = in->result;
    ht_revision *out = in->out;
    out->over_best = (ht_gain_interval){0};
    if (result->verdict != HT_VERDICT_IMPROVED)
        return HT_OK;
    if (in->best->number == 0) {
        out->over_best = out->speedup;
        return HT_OK;
    }
    if (in->steps->session->model) {
        out->over_best = gain_predicted(in, &result->times);
        return HT_OK;
    }
    const ht_candidate *before = best_among(in);
    if (before) {
        out->over_best = gain_among(result, before);
        return HT_OK;
    }
    ht_generation *best = NULL;
    ht_pair_times times = {0};
    if (!in->best->source)
        return HT_OK;
    ht_steps_phase(in->steps, "timing it next to the best before");
    ht_status status = ht_steps_source(in->steps, in->best->source, &best, error);
    if (status == HT_OK)
        status =
            ht_deliver_duel(in->steps->session, best, in->template, &result->config, &times, error);
    out->over_best = ht_gain_of(&times);
    return status;
}

void ht_step_finding_set(ht_revision *out, char *words) {
    free(out->finding);
    out->finding = words;
}

/* Writes the winner once more, with a launch that takes the original where that is faster. A source
 * that was refactored again has the best before in the original's place, which was not timed there.
 */
static ht_status dispatch(ht_step *in, ht_error *error) {
    ht_elsewhere *elsewhere = &in->from->entry->elsewhere;
    ht_revision *out = in->out;
    ht_delivery delivery = {0};
    if (!ht_step_is_of_original(in))
        return HT_OK;
    ht_status status = ht_deliver(in->steps->session, in->steps->origin, in->from, in->template,
                                  in->result, NULL, false, &delivery, error);
    if (status == HT_OK && delivery.good && elsewhere->dispatched) {
        free(out->source);
        out->source = delivery.text;
        delivery.text = NULL;
        ht_step_finding_set(out, ht_format("%s; the launch takes the original where that is faster",
                                           delivery.words));
    }
    free(delivery.text);
    free(delivery.words);
    return status;
}

/* Times a winner that is right at sizes that it was not tuned for. */
static ht_status elsewhere_time(ht_step *in, ht_error *error) {
    const ht_session *session = in->steps->session;
    const double least = in->steps->origin->elsewhere;
    ht_revision *out = in->out;
    ht_elsewhere own = {0}, *found = in->from ? &in->from->entry->elsewhere : &own;
    if (least <= 0 || session->model)
        return HT_OK;
    ht_elsewhere_free(found);
    ht_steps_phase(in->steps, "timing other sizes");
    ht_status status =
        ht_elsewhere_time(session, in->template, &in->result->config,
                          in->steps->sources.original.entry->instance, least, found, error);
    if (status == HT_OK && found->slower_count && in->from)
        status = dispatch(in, error);
    if (status == HT_OK)
        out->elsewhere = ht_elsewhere_json(found);
    out->slower = found->slower_count && !found->dispatched;
    if (status == HT_OK && out->slower) {
        char *where = ht_elsewhere_slower(found);
        ht_step_finding_set(
            out, ht_format("slower than the original at sizes that it was not tuned for "
                           "(--elsewhere %g): %s%s%s",
                           least, where, found->refused ? "; its launch cannot choose: " : "",
                           found->refused ? found->refused : ""));
        free(where);
    }
    ht_elsewhere_free(found);
    return status;
}

/* Returns true if the winner is faster than the best before it; else the revision says that it is
 * not. `subject`: "its file is ", "". */
static bool is_gain(const ht_step *in, const char *subject) {
    const ht_gain_interval *gain = &in->out->over_best;
    unsigned long before = (unsigned long)in->best->number;
    if (gain->lo > 1)
        return true;
    ht_step_finding_set(
        in->out, gain->lo == 1 && gain->hi == 1 /* it won again */
                     ? ht_format("nothing is faster than the best before, revision %lu", before)
                     : ht_format("%snot clearly faster than the best before, revision %lu: %.3fx "
                                 "[%.3f, %.3f]",
                                 subject, before, gain->ratio, gain->lo, gain->hi));
    return false;
}

/* Times the file that was written next to another one, whose template may have promised another
 * speed. *out_times is not known where that cannot be done. */
static ht_status file_duel(const ht_step *in, const char *other, ht_pair_times *out_times,
                           ht_error *error) {
    ht_generation *file = NULL, *against = NULL;
    ht_error own = {0};
    *out_times = (ht_pair_times){0};
    ht_status status = ht_steps_source(in->steps, in->out->source, &file, &own);
    if (status == HT_OK)
        status = ht_steps_source(in->steps, other, &against, &own);
    if (status != HT_OK)
        return ht_paired_grave(status, &own, error);
    const ht_config config = ht_config_default(file->kernel->template);
    ht_steps_phase(in->steps, "timing the written source");
    return ht_deliver_duel(in->steps->session, against, file->kernel->template, &config, out_times,
                           error);
}

/* Times the file next to the original, and to the best before it. Where that cannot be done,
 * *out_times is not known, and *out_gain zero. */
static ht_status file_time(const ht_step *in, ht_pair_times *out_times, ht_gain_interval *out_gain,
                           ht_error *error) {
    const char *best = in->best->source;
    ht_pair_times duel = {0};
    ht_status status = HT_OK;
    if (ht_step_is_of_original(in))
        *out_times = in->from->entry->written.times; /* timed when it was checked */
    else if (!in->steps->session->model)
        status = file_duel(in, NULL, out_times, error);
    *out_gain = in->best->number == 0 ? ht_gain_of(out_times) : (ht_gain_interval){1, 1, 1};
    if (status != HT_OK || !out_times->known || in->best->number == 0 ||
        (best && strcmp(best, in->out->source) == 0))
        return status;
    if (in->steps->session->model) {
        *out_gain = gain_predicted(in, out_times);
        return HT_OK;
    }
    if (best)
        status = file_duel(in, best, &duel, error);
    *out_gain = duel.known ? ht_gain_of(&duel) : in->out->over_best;
    return status;
}

/* Takes the file's times in the place of its template's. *out_good: it is faster than the best
 * before. A file that cannot be timed, or not next to that, has those of its template. */
static ht_status file_judge(const ht_step *in, bool *out_good, ht_error *error) {
    const ht_session *session = in->steps->session;
    ht_revision *out = in->out;
    ht_pair_times times = {0};
    ht_gain_interval gain = {0};
    *out_good = true;
    if (session->recording || !out->source)
        return HT_OK;
    ht_status status = file_time(in, &times, &gain, error);
    if (ht_stopped) /* the next run times it */
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "the written source was not timed");
    if (status != HT_OK || !times.known)
        return status;
    const ht_candidate *winner = ht_pair_result_stays(in->result);
    out->template_speedup = winner ? winner->final.speedup : 0;
    out->speedup = ht_gain_of(&times);
    out->over_best = gain;
    out->original_ms = times.original.median_ms;
    out->best_ms = times.tuned.median_ms;
    *out_good = is_gain(in, "its file is ");
    return HT_OK;
}

/* Makes and checks what is delivered, for a winner that is faster than the best before it. */
static ht_status deliver(ht_step *in, ht_error *error) {
    ht_revision *out = in->out;
    const ht_generation *original = ht_steps_original(in->steps);
    const ht_config chosen = in->result->config;
    ht_delivery delivery = {0};
    if (in->result->verdict != HT_VERDICT_IMPROVED || !is_gain(in, ""))
        return HT_OK;
    ht_steps_phase(in->steps, "writing the source and checking it next to the original");
    ht_status status = ht_deliver(in->steps->session, in->steps->origin, in->from, in->template,
                                  in->result, ht_step_is_of_original(in) ? NULL : original,
                                  ht_step_is_of_original(in), &delivery, error);
    out->verified = status == HT_OK && delivery.good;
    out->source = delivery.text;
    ht_step_finding_set(out, delivery.words);
    bool good = out->verified;
    ht_notes_winner_take(in->result, in->template, out); /* another one's file may be faster */
    if (status == HT_OK && (!good || !ht_config_equal(&chosen, &in->result->config)))
        status = gain_fill(in, error);
    if (status == HT_OK && good)
        status = file_judge(in, &good, error);
    return status == HT_OK && good ? elsewhere_time(in, error) : status;
}

ht_status ht_step_conclude(ht_step *in, ht_error *error) {
    ht_revision *out = in->out;
    const ht_pair_result *result = in->result;
    ht_notes_take(result, in->template, in->from ? in->from->kernel : NULL, out);
    ht_notes_winner_take(result, in->template, out);
    if (in->choice->action == HT_ACTION_LONGER || in->choice->action == HT_ACTION_REFINE)
        out->evaluations += in->known.same;
    ht_status status = gain_fill(in, error);
    if (status == HT_OK)
        status = deliver(in, error);
    free(out->verdict);
    out->verdict = ht_strdup(ht_verdict_name(result->verdict));
    return status;
}

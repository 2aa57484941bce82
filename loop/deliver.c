#include "loop/deliver.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/outputs.h"
#include "refactor/rewrite/apply.h"
#include "runtime/verify/verify.h"
#include "templates/annotations/contest.h"

#include <stdlib.h>

/* Takes the file's text, if the others stay as they are: a revision is one file. */
static void text_take(ht_applied *applied, const ht_entry *entry, ht_delivery *out) {
    if (applied->count == 1) {
        out->good = true;
        out->text = ht_strdup(applied->files[0].text);
        out->words = ht_written_proof_string(&entry->written);
    } else if (applied->count > 1) {
        out->words = ht_format("its launches are in another file, %s, which a loop does not change",
                               applied->files[1].path);
    } else {
        out->words = ht_strdup(entry->result.reason ? entry->result.reason : "it was withheld");
    }
}

static ht_status text_make(const ht_session *session, const ht_loop_origin *origin,
                           ht_generation *from, bool timed, ht_delivery *out, ht_error *error) {
    ht_written_checker checker = {.device = &session->device,
                                  .session = timed ? session : NULL,
                                  .seed = session->options.seed,
                                  .interrupted = &ht_stopped};
    const ht_source *source = &from->survey.sources.items[0];
    const ht_output_source output = {.path = source->path,
                                     .refactor = from->survey.analyses[0].refactor,
                                     .compiler = origin->compiler,
                                     .folder = ".",
                                     .name = source->output,
                                     .checker = &checker,
                                     .problem = ""};
    ht_applied applied;
    ht_status status = ht_output_texts(&output, &from->entry, 1, session, &applied, error);
    if (status == HT_OK)
        text_take(&applied, from->entry, out);
    ht_applied_free(&applied);
    ht_written_checker_free(&checker);
    return status;
}

/* Returns a template of which the configuration is the default. */
static ht_status winner_alone(const ht_template *template, const ht_config *config,
                              ht_template **out, ht_error *error) {
    ht_template *copy = ht_template_copy(template);
    for (size_t i = 0; i < copy->param_count; ++i)
        copy->params[i].default_index = config->choice[i];
    ht_status status = ht_contest_print(copy, out, error);
    ht_template_free(copy, 1);
    return status;
}

static void verified_tell(const ht_verify_result *result, ht_delivery *out) {
    ht_text text = {0};
    if (out->words)
        ht_text_printf(&text, "%s; ", out->words);
    out->good = out->good && result->outcome == HT_VERIFY_AGREES;
    if (result->outcome == HT_VERIFY_AGREES)
        ht_text_printf(&text, "run next to the loop's original at %zu sizes: %s",
                       result->size_count,
                       result->bitwise ? "equal to the bit" : "equal within the tolerance");
    else
        ht_text_printf(&text, "it was not shown to do what the loop's original does: %s",
                       result->reason ? result->reason : "no reason is known");
    free(out->words);
    out->words = ht_text_take(&text);
}

/* Returns true if sums may come in another order than in the loop's original: by what this template
 * may do, and those before it might. */
static bool is_tolerant(const ht_generation *from, const ht_generation *original) {
    const ht_kernel *first = original->kernel, *last = from ? from->kernel : NULL;
    return !last || first->reassociates || first->rounds || last->reassociates || last->rounds;
}

/* Runs the winner against the loop's original at other sizes. */
static ht_status original_check(const ht_session *session, const ht_problem *problem,
                                const ht_template *template, const ht_config *config, bool tolerant,
                                ht_delivery *out, ht_error *error) {
    ht_template *alone = NULL;
    ht_device host;
    ht_verify_result result = {0};
    const ht_verify_options options = {.seed = session->options.seed,
                                       .reassociates = tolerant,
                                       .unreduced = true,
                                       .interrupted = &ht_stopped};
    ht_status status = winner_alone(template, config, &alone, error);
    if (status == HT_OK)
        status = ht_device_find("host", &host, error);
    if (status == HT_OK)
        status = ht_verify(alone, problem, &host, &options, &result, error);
    if (status == HT_OK)
        verified_tell(&result, out);
    ht_verify_result_free(&result);
    if (alone)
        ht_template_free(alone, 1);
    return status;
}

ht_status ht_deliver(const ht_session *session, const ht_loop_origin *origin, ht_generation *from,
                     const ht_template *template, const ht_pair_result *result,
                     const ht_generation *original, bool timed, ht_delivery *out_delivery,
                     ht_error *error) {
    const ht_config config = result->config;
    *out_delivery = (ht_delivery){.good = from == NULL};
    ht_status status = from ? text_make(session, origin, from, timed, out_delivery, error) : HT_OK;
    if (status == HT_OK && out_delivery->good && original)
        status = original_check(session, original->entry->instance, template, &config,
                                is_tolerant(from, original), out_delivery, error);
    if (status == HT_OK && !out_delivery->good) {
        free(out_delivery->text);
        out_delivery->text = NULL;
    }
    return status;
}

char *ht_deliver_obstacle(const ht_generation *from, const ht_config *config) {
    const ht_refactor_choice choice = {.kernel = from->entry->kernel, .config = *config};
    ht_applied applied = {0};
    ht_error error = {0};
    ht_status status =
        ht_refactor_apply_all(from->survey.analyses[0].refactor, &choice, 1, &applied, &error);
    ht_applied_free(&applied);
    return status == HT_OK ? NULL : ht_format("its source cannot be written: %s", error.message);
}

/* ---- next to another source */

ht_status ht_deliver_duel(const ht_session *session, const ht_generation *other,
                          const ht_template *template, const ht_config *winner,
                          ht_pair_times *out_times, ht_error *error) {
    ht_template *contest = NULL;
    const ht_template *against =
        other->kernel->against ? other->kernel->against : other->kernel->template;
    ht_error own = {0};
    *out_times = (ht_pair_times){0};
    ht_status status = ht_contest_make(against, template, &contest, &own);
    if (status == HT_OK) {
        const ht_binding binding = {contest, other->entry->instance, &session->device.fields};
        status = ht_paired_time(session, &binding, winner, out_times, &own);
        ht_template_free(contest, 1);
    }
    return ht_paired_grave(status, &own, error);
}

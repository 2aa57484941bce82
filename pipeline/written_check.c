#include "pipeline/written_check.h"

#include "base/code_tokens.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "pipeline/written_limits.h"
#include "pipeline/written_time.h"
#include "refactor/rewrite/written.h"
#include "refactor/rewrite/written_compare.h"
#include "runtime/verify/verify.h"

#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 16 }; /* of the kernel that a launch chooses between */

typedef struct checking {
    ht_written_checker *checker;
    const ht_kernel *kernel;
    const ht_written_subject *subject;
    ht_written_proof *proof;
    const ht_written_launch *launch; /* that is run */
    const ht_written_constants *constants;
} checking;

void ht_written_checker_free(ht_written_checker *checker) {
    for (size_t i = 0; i < checker->agreed_count; ++i) {
        free(checker->agreed[i].tokens);
        free(checker->agreed[i].left_out);
        free(checker->agreed[i].timed_for);
        free(checker->agreed[i].wrong);
    }
    free(checker->agreed);
    checker->agreed = NULL;
    checker->agreed_count = 0;
}

void ht_written_proof_free(ht_written_proof *proof) {
    free(proof->fault);
    free(proof->unproven);
    free(proof->missing);
    *proof = (ht_written_proof){0};
}

/* Returns the key of a unit: comments, of which one has the speedup, are left out; free(). */
static char *tokens_of(const char *unit) {
    ht_text tokens = {0};
    ht_code_tokens(unit, &tokens);
    return ht_text_take(&tokens);
}

static ht_written_agreed *agreed_find(const ht_written_checker *checker, const char *unit) {
    char *tokens = tokens_of(unit);
    ht_written_agreed *found = NULL;
    for (size_t i = 0; i < checker->agreed_count && !found; ++i)
        if (strcmp(checker->agreed[i].tokens, tokens) == 0)
            found = &checker->agreed[i];
    free(tokens);
    return found;
}

/* ---- the launch is that which was measured */

/* Returns true if the tuned configuration is for this size. At others the launch may choose the
 * original's block, so that not one of them would run what was tuned. */
static bool is_legal(const checking *in, const ht_problem *problem) {
    return ht_written_is_legal(in->kernel->template, in->subject->config, problem,
                               &in->checker->device->fields);
}

static char *sized(const checking *in, const ht_problem *problem, char *words) {
    if (!words || !problem)
        return words;
    char *sizes = ht_problem_string(&in->kernel->template->problem, problem);
    char *whole = ht_format("at %s %s", sizes, words);
    free(sizes);
    free(words);
    return whole;
}

/* Returns true if the launch takes the original for a size, or, where one kernel serves both, its
 * block and grid. */
static bool takes_original(const checking *in, const ht_written_launch *launch,
                           const ht_problem *problem) {
    const ht_device_fields *fields = &in->checker->device->fields;
    char *difference = ht_written_original_difference(launch, problem, fields);
    bool takes = !difference && (!launch->where || !ht_written_launches(launch, problem, fields));
    free(difference);
    return takes;
}

static char *difference_at(const checking *in, const ht_written_launch *launch,
                           const ht_problem *problem) {
    const ht_template *tuned = in->kernel->template;
    if (!is_legal(in, problem))
        return NULL;
    const ht_device_fields *fields = &in->checker->device->fields;
    char *found = ht_written_difference(launch, tuned, in->subject->config, problem, fields);
    if (found && in->subject->sizes && takes_original(in, launch, problem)) {
        free(found);
        found = NULL;
    }
    return sized(in, problem, found);
}

/* Looks at sizes for which the launch takes the original, which is kept letter by letter: it does
 * what the original does if its block and grid are the original's. */
static char *original_difference(const checking *in, const ht_written_launch *launch,
                                 const ht_problem *near) {
    ht_problem *problems = NULL;
    size_t count = 0;
    char *found = NULL;
    ht_verify_turns(launch->template, in->checker->device, near, &problems, &count);
    for (size_t i = 0; i < count; ++i) {
        const ht_device_fields *fields = &in->checker->device->fields;
        if (!found && !ht_written_launches(launch, &problems[i], fields))
            found = sized(in, &problems[i],
                          ht_written_original_difference(launch, &problems[i], fields));
        ht_problem_free(&problems[i]);
    }
    free(problems);
    return found;
}

/* Looks at sizes that were timed: the launch must take what was the faster one there. */
static char *choice_difference(const checking *in, const ht_written_launch *launch) {
    const ht_size_samples *sizes = in->subject->sizes;
    const ht_device_fields *fields = &in->checker->device->fields;
    char *found = NULL;
    for (size_t i = 0; sizes && i < sizes->kept_count && !found; ++i)
        found = sized(in, &sizes->kept[i],
                      ht_written_difference(launch, in->kernel->template, in->subject->config,
                                            &sizes->kept[i], fields));
    for (size_t i = 0; sizes && i < sizes->lost_count && !found; ++i)
        if (!takes_original(in, launch, &sizes->lost[i]))
            found = sized(in, &sizes->lost[i], ht_strdup("it does not launch the original"));
    return found;
}

/* Finds a difference at the size that was tuned for, and at those to be run. */
static char *difference_find(const checking *in, const ht_written_launch *launch) {
    ht_problem *problems = NULL;
    size_t count = 0;
    char *found = difference_at(in, launch, in->subject->instance);
    if (in->subject->instance)
        ht_verify_problems(in->kernel->template, in->subject->instance, &problems, &count);
    for (size_t i = 0; i < count; ++i) {
        if (!found)
            found = difference_at(in, launch, &problems[i]);
        ht_problem_free(&problems[i]);
    }
    free(problems);
    if (!found)
        found = choice_difference(in, launch);
    if (!found && launch->where && in->subject->instance)
        found = original_difference(in, launch, in->subject->instance);
    if (!found)
        found = ht_written_limits_fault(launch, in->kernel->template, in->subject,
                                        &in->checker->device->fields);
    return found;
}

/* ---- and does what the original does */

static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

/* Returns true if its sums come in another order than the original's. */
static bool reassociates(const checking *in) {
    const ht_template *tuned = in->kernel->template;
    bool other = in->kernel->reassociates;
    for (size_t i = 0; i < tuned->param_count; ++i)
        other = other || (in->subject->config->choice[i] != tuned->params[i].default_index &&
                          is_listed(in->kernel->rounds, tuned->params[i].name));
    return other;
}

static void fault_tell(checking *in, const ht_written_launch *launch, char *words) {
    in->proof->fault =
        ht_format("its launch at %s:%d is wrong: %s", launch->file, launch->line, words);
    free(words);
}

static void unproven_tell(checking *in, const ht_written_launch *launch, const char *words) {
    if (!in->proof->unproven)
        in->proof->unproven =
            ht_format("the launch at %s:%d was not run: %s", launch->file, launch->line, words);
}

/* Of one of the ways that it may go. */
static void part_unproven_tell(checking *in, const ht_written_launch *launch, const char *words) {
    if (!in->proof->unproven)
        in->proof->unproven =
            ht_format("of the launch at %s:%d, %s", launch->file, launch->line, words);
}

static void agreed_note(checking *in, const ht_written_launch *launch,
                        const ht_written_agreed *agreed) {
    ht_written_proof *proof = in->proof;
    if (agreed->left_out)
        part_unproven_tell(in, launch, agreed->left_out);
    proof->sizes = agreed->sizes > proof->sizes ? agreed->sizes : proof->sizes;
    proof->bitwise = agreed->bitwise && (proof->bitwise || proof->launches == 0);
    ++proof->launches;
}

static void agreed_add(checking *in, const ht_written_launch *launch,
                       const ht_verify_result *result) {
    ht_written_checker *checker = in->checker;
    HT_GROW(checker->agreed, checker->agreed_count);
    checker->agreed[checker->agreed_count] =
        (ht_written_agreed){.tokens = tokens_of(launch->template->unit),
                            .sizes = result->size_count,
                            .bitwise = result->bitwise,
                            .left_out = result->left_out ? ht_strdup(result->left_out) : NULL};
    agreed_note(in, launch, &checker->agreed[checker->agreed_count++]);
}

static void settle(checking *in, const ht_written_launch *launch, const ht_verify_result *result) {
    if (result->outcome == HT_VERIFY_AGREES)
        agreed_add(in, launch, result);
    else if (result->outcome == HT_VERIFY_ORIGINAL)
        unproven_tell(in, launch, result->reason);
    else {
        const char *sizes = result->failing_size < result->size_count
                                ? result->sizes[result->failing_size].problem
                                : "";
        fault_tell(in, launch,
                   ht_format("it does not do what the original's does%s%s: %s",
                             *sizes ? " at " : "", sizes, result->reason));
    }
}

static bool is_tuned(void *context, const ht_problem *problem) {
    return is_legal(context, problem);
}

static bool is_absent(void *context, const ht_problem *problem) {
    const checking *in = context;
    return ht_written_is_elsewhere(in->constants, in->kernel->template, in->subject->config,
                                   problem, &in->checker->device->fields);
}

/* Returns true for a size that is not run: for which the launch takes the original, or which the
 * program does not have. */
static bool is_skipped(void *context, const ht_problem *problem) {
    const checking *in = context;
    const ht_device_fields *fields = &in->checker->device->fields;
    return !ht_written_launches(in->launch, problem, fields) || is_absent(context, problem);
}

static bool is_stopped(const ht_written_checker *checker) {
    return checker->interrupted && *checker->interrupted;
}

static ht_status launch_run(checking *in, const ht_written_launch *launch, ht_error *error) {
    if (!launch->template) {
        fault_tell(in, launch, ht_format("it cannot be taken out of the file: %s", launch->unread));
        return HT_OK;
    }
    char *difference = difference_find(in, launch);
    if (difference) {
        fault_tell(in, launch, difference);
        return HT_OK;
    }
    const ht_written_agreed *known = agreed_find(in->checker, launch->template->unit);
    if (known) {
        agreed_note(in, launch, known);
        return HT_OK;
    }
    if (is_stopped(in->checker))
        return HT_ERROR_INTERRUPTED;
    ht_device host;
    ht_verify_result result = {0};
    in->launch = launch;
    const ht_verify_options options = {.seed = in->checker->seed,
                                       .configurations = INSTANCES,
                                       .reassociates = reassociates(in),
                                       .written = true,
                                       .unreduced = true,
                                       .asked = is_tuned,
                                       .skipped = is_skipped,
                                       .absent = is_absent,
                                       .context = in,
                                       .interrupted = in->checker->interrupted};
    ht_status status = ht_device_find("host", &host, error);
    if (status == HT_OK)
        status =
            ht_verify(launch->template, in->subject->instance, &host, &options, &result, error);
    if (status == HT_OK)
        settle(in, launch, &result);
    ht_verify_result_free(&result);
    return status;
}

static void stopped_tell(ht_written_proof *proof) {
    proof->stopped = true;
    proof->fault = ht_strdup(ht_interrupted ? "it was not verified: interrupted"
                                            : "it was not verified: the time limit (--max-time) "
                                              "was reached");
}

/* Returns true if the failure is one of the checking itself: of a scratch file on a full disk, say.
 * Any other is one of the program to be run, which then cannot be run here. */
static bool is_own_failure(ht_status status) {
    return status == HT_ERROR_IO || status == HT_ERROR_DEVICE || status == HT_ERROR_INTERNAL;
}

static void failed_tell(ht_written_proof *proof, const ht_error *error) {
    proof->stopped = true;
    proof->fault = ht_format("it was not verified: %s%s%s", error->file, *error->file ? ": " : "",
                             error->message);
}

/* Checks a launch. One that cannot be run here proves nothing, neither right nor wrong. */
static void launch_check(checking *in, const ht_written_launch *launch) {
    ht_error error = {0};
    ht_status status = launch_run(in, launch, &error);
    if (status == HT_ERROR_INTERRUPTED)
        stopped_tell(in->proof);
    else if (is_own_failure(status))
        failed_tell(in->proof, &error);
    else if (status != HT_OK)
        unproven_tell(in, launch, error.message);
    if (status == HT_ERROR_MISSING && !in->proof->missing)
        in->proof->missing = ht_strdup(error.message);
}

/* Withholds a text of which nothing was run. Only where it was tuned under host emulation: one that
 * was tuned on a GPU was checked there, and its original may be one that no host runs. */
static void unverified_tell(ht_written_proof *proof) {
    proof->stopped = proof->missing != NULL; /* it may be installed */
    proof->unverified = !proof->stopped;
    proof->fault = ht_format("nothing of it could be verified: %s%s",
                             proof->unproven ? proof->unproven : "it has no launch",
                             proof->missing ? ""
                                            : "; a problem file (--problem) names sizes and "
                                              "contents that the original runs with");
}

/* Times a text for the tuned instance, if that was not done. */
static void agreed_time(const checking *in, const ht_template *written, ht_written_agreed *agreed) {
    const ht_problem *instance = in->subject->instance;
    char *problem = ht_problem_string(&in->kernel->template->problem, instance);
    if (agreed->timed_for && strcmp(agreed->timed_for, problem) == 0 &&
        (agreed->times.known || agreed->wrong)) {
        free(problem);
        return;
    }
    free(agreed->timed_for);
    free(agreed->wrong);
    agreed->timed_for = problem;
    agreed->wrong = ht_written_time(in->checker->session, written, in->kernel->template, instance,
                                    &agreed->times);
}

/* Times the launch that the tuned instance takes. */
static void launches_time(checking *in, const ht_written_kernel *kernel) {
    const ht_problem *instance = in->subject->instance;
    const ht_device_fields *fields = &in->checker->device->fields;
    for (size_t i = 0; instance && i < kernel->launch_count; ++i) {
        const ht_written_launch *launch = &kernel->launches[i];
        if (!ht_written_launches(launch, instance, fields))
            continue;
        ht_written_agreed *agreed = agreed_find(in->checker, launch->template->unit);
        if (!agreed)
            return;
        agreed_time(in, launch->template, agreed);
        in->proof->times = agreed->times;
        if (agreed->wrong)
            fault_tell(in, launch, ht_format("when it was timed: %s", agreed->wrong));
        return;
    }
}

static void kernel_check(checking *in, ht_written *written) {
    ht_written_kernel kernel;
    in->proof->reassociates = reassociates(in);
    ht_written_kernel_read(written, in->subject->kernel, &kernel);
    in->constants = &kernel.constants;
    if (kernel.fault) {
        in->proof->fault = kernel.fault;
        kernel.fault = NULL;
    }
    for (size_t i = 0; i < kernel.launch_count && !in->proof->fault; ++i)
        launch_check(in, &kernel.launches[i]);
    if (!in->proof->fault && in->proof->launches == 0 && in->checker->device->emulated)
        unverified_tell(in->proof);
    if (!in->proof->fault && in->proof->launches && in->checker->session)
        launches_time(in, &kernel);
    in->constants = NULL;
    ht_written_kernel_free(&kernel);
}

ht_status ht_written_check(ht_written_checker *checker, const ht_refactor *refactor,
                           const ht_applied *applied, const ht_written_subject *subjects,
                           size_t count, ht_written_proof *proofs, ht_error *error) {
    ht_written *written = NULL;
    ht_error own = {0};
    for (size_t i = 0; i < count; ++i)
        proofs[i] = (ht_written_proof){0};
    bool late = is_stopped(checker) || ht_stop_left() < checker->reading;
    for (size_t i = 0; i < count; ++i)
        late = late && !subjects[i].proven;
    if (late) {
        for (size_t i = 0; i < count; ++i)
            stopped_tell(&proofs[i]);
        return HT_OK;
    }
    ht_status status = ht_written_open(refactor, applied, &written, &own);
    for (size_t i = 0; i < count && status == HT_ERROR_COMPILE; ++i)
        proofs[i].fault = ht_strdup(own.message);
    if (status == HT_ERROR_COMPILE)
        return HT_OK;
    if (status != HT_OK && error)
        *error = own;
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        checking in = {.checker = checker,
                       .kernel = ht_refactor_kernel(refactor, subjects[i].kernel),
                       .subject = &subjects[i],
                       .proof = &proofs[i]};
        kernel_check(&in, written);
    }
    ht_written_close(written);
    return status;
}

static bool says_defaults(const ht_template *now, const ht_template *template,
                          const ht_config *config) {
    const ht_config plain = ht_config_default(now);
    bool same = now->param_count == template->param_count;
    for (size_t i = 0; i < now->param_count && same; ++i) {
        const ht_param_value *own = &now->params[i].values[plain.choice[i]];
        const ht_param_value *wanted = &template->params[i].values[config->choice[i]];
        same = strcmp(now->params[i].name, template->params[i].name) == 0 &&
               own->number == wanted->number &&
               (own->text ? wanted->text && strcmp(own->text, wanted->text) == 0 : !wanted->text);
    }
    return same;
}

char *ht_written_defaults_fault(const char *text, const char *path, const ht_template *template,
                                const ht_config *config) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error = {0};
    if (ht_template_parse(text, path, &templates, &count, &error) != HT_OK)
        return ht_format("line %d: %s", error.line, error.message);
    bool found = false;
    for (size_t i = 0; i < count; ++i)
        found = found || (strcmp(templates[i].name, template->name) == 0 &&
                          says_defaults(&templates[i], template, config));
    ht_template_free(templates, count);
    return found ? NULL : ht_format("its annotations do not have the new defaults");
}

/* ---- reports */

char *ht_written_proof_string(const ht_written_proof *proof) {
    ht_text text = {0};
    if (proof->launches == 0)
        return ht_format("in part: blocks, grid and instance were compared, nothing was run%s%s",
                         proof->unproven ? "; " : "", proof->unproven ? proof->unproven : "");
    ht_text_printf(&text, "%zu launch%s of the file run next to the original's", proof->launches,
                   proof->launches == 1 ? "" : "es");
    if (proof->sizes > 1)
        ht_text_printf(&text, " at %zu sizes", proof->sizes);
    if (proof->sizes)
        ht_text_append(&text,
                       proof->bitwise ? ": equal to the bit" : ": equal within the tolerance");
    if (proof->unproven)
        ht_text_printf(&text, "; %s", proof->unproven);
    return ht_text_take(&text);
}

char *ht_written_proof_brief(const ht_written_proof *proof) {
    if (proof->launches == 0 && proof->missing)
        return ht_strdup("in part: blocks, grid and instance were compared");
    return ht_written_proof_string(proof);
}

json_t *ht_written_proof_json(const ht_written_proof *proof) {
    char *text = proof->fault ? NULL : ht_written_proof_string(proof);
    json_t *object =
        json_pack("{s:I, s:I, s:b, s:b, s:o, s:o, s:o}", "launches", (json_int_t)proof->launches,
                  "sizes", (json_int_t)proof->sizes, "bitwise", proof->bitwise, "timed",
                  proof->times.known, "not_proven", ht_report_json_text(proof->unproven), "missing",
                  ht_report_json_text(proof->missing), "text", ht_report_json_text(text));
    free(text);
    return object;
}

#include "cli/tuning_options.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/loop_report.h"
#include "loop/agent_proposer.h"
#include "loop/keep.h"
#include "loop/series.h"
#include "loop/step.h"
#include "pipeline/model_tuning.h"
#include "pipeline/style.h"
#include "refactor/transformations/transformations.h"

#include <stdlib.h>
#include <string.h>

typedef struct loop_options {
    ht_tuning_options tuning;
    ht_compiler_options compiler;
    const char *sandbox;
    const char *problem;
    const char *kernel;
    const char *style;
    const char *export;
    const char *agent;
    double agent_time;
    const char *json;
    uint64_t rounds;
    uint64_t all_evals;
    double least_gain;
    double elsewhere;
    bool show;
} loop_options;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(loop_options, problem), "FILE",
     .help = "Sizes to tune for and the meaning of the kernel's arguments "
             "(docs/problem-file.md); of several sizes the first is tuned for. Without it the "
             "file NAME.problem.json next to NAME.hip is read, when there is one."},
    {"kernel", HT_OPTION_TEXT, offsetof(loop_options, kernel), "NAME",
     .help = "The kernel of this name, where the file has several that can be tuned."},
    {"rounds", HT_OPTION_COUNT, offsetof(loop_options, rounds), "N", .fallback = "8",
     .help = "Steps at most, over all runs of the loop; 0: until no step is expected to gain "
             "enough."},
    {"all-evals", HT_OPTION_COUNT, offsetof(loop_options, all_evals), "N", .fallback = "0",
     .help = "Configurations that all steps together may try, over all runs of the loop; 0 is no "
             "limit."},
    {"least-gain", HT_OPTION_NUMBER, offsetof(loop_options, least_gain), "RATIO",
     .fallback = "1.01", .min = 1, .help = "The least gain that a step must be expected to have."},
    {"elsewhere", HT_OPTION_NUMBER, offsetof(loop_options, elsewhere), "RATIO", .fallback = "0.95",
     .help = "The least speed, of the original's, at sizes that were not tuned for: half as large, "
             "half as large again, and one less. Where a revision is clearly slower, its launch "
             "takes the original; one whose launch cannot choose by the size is not kept. 0: it is "
             "not timed there."},
    HT_TUNING_OPTIONS(loop_options),
    {"style", HT_OPTION_TEXT, offsetof(loop_options, style), "plain|any", .fallback = "plain",
     .help = "Forms of source that may win: plain, only what a maintainer could have written; any, "
             "also lambdas around the body and second bodies, once plain forms are tuned."},
    {"agent", HT_OPTION_TEXT, offsetof(loop_options, agent), "CMD",
     .help = "A command that is asked before each step but the first, by lines of JSON "
             "(docs/agent.md), and may propose a rewritten kernel, an annotated template, values "
             "for parameters or a longer search."},
    {"agent-time", HT_OPTION_NUMBER, offsetof(loop_options, agent_time), "SECONDS",
     .fallback = "600", .min = 1, .help = "The most that an answer of --agent may take."},
    {"show", HT_OPTION_FLAG, offsetof(loop_options, show),
     .help = "Runs nothing: prints the tree of the latest loop of this file, with the gain of each "
             "step."},
    {"export", HT_OPTION_TEXT, offsetof(loop_options, export), "DIR", .writes = true,
     .help = "Runs nothing: writes the latest loop of this file as a series of patches, one for "
             "each revision that was kept, and the source that comes of them."},
    {"json", HT_OPTION_JSON, offsetof(loop_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_WITHOUT_OPTION(loop_options),
    HT_SANDBOX_OPTION(loop_options),
    HT_COMPILER_OPTIONS(loop_options),
    HT_STUB_OPTION(loop_options),
    HT_ANALYSIS_OPTIONS(loop_options),
    {0},
};

/* A loop under way. */
typedef struct running {
    const loop_options *given;
    bool any; /* styles, not plain ones alone */
    ht_session *session;
    ht_steps *steps;
    ht_keeping *keeping;      /* NULL: there is no database */
    ht_agent_proposer *agent; /* NULL: there is none */
    ht_loop loop;
    char *file; /* absolute; owned */
    json_t *about;
    FILE *out;
} running;

/* ---- a loop that was kept */

static char *absolute_path(const char *path) {
    char *whole = realpath(path, NULL);
    return whole ? whole : ht_strdup(path);
}

static ht_status series_export(const ht_history *history, const char *path, const char *folder,
                               FILE *out, ht_error *error) {
    char *root = NULL;
    size_t count = 0;
    ht_status status = ht_series_write(history, path, folder, &root, &count, error);
    if (status == HT_OK)
        fprintf(out,
                "%s: %zu patch%s, in the order that 'series' lists; for 'patch -p1' or 'git apply' "
                "in %s\n",
                folder, count, count == 1 ? "" : "es", root);
    free(root);
    return status;
}

/* Shows or exports the latest loop of the file. */
static int kept_show(const loop_options *given, const char *path) {
    FILE *out = ht_report_stream(given->json);
    char *database = ht_session_database(given->tuning.database), *file = absolute_path(path);
    ht_kept_loop kept = {0};
    ht_error error = {0};
    const ht_loop_name name = {.file = file, .kernel = given->kernel};
    ht_status status =
        database ? ht_kept_loop_read(database, &name, &kept, &error)
                 : ht_error_set(&error, HT_ERROR_INPUT, "there is no database; --db names one");
    const ht_loop_report report = {.file = file,
                                   .kernel = kept.kernel,
                                   .about = kept.document,
                                   .history = &kept.history,
                                   .ended =
                                       json_string_value(json_object_get(kept.document, "ended"))};
    if (status == HT_OK && given->show)
        ht_loop_report_print(&report, out);
    if (status == HT_OK && given->export)
        status = series_export(&kept.history, path, given->export, out, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    json_t *document = status == HT_OK ? ht_loop_report_json(&report) : NULL;
    if (document)
        code = ht_report_json(given->json, document);
    json_decref(document);
    ht_kept_loop_free(&kept);
    free(file);
    free(database);
    return code;
}

/* ---- hands */

static ht_status step_perform(void *context, const ht_history *history, const ht_choice *choice,
                              const ht_loop_proposal *proposal, ht_revision *out_revision,
                              ht_error *error) {
    const running *in = context;
    char *label = ht_format("revision %zu", history->count);
    ht_progress_begin(in->session->progress, label);
    free(label);
    ht_status status = ht_steps_perform(in->steps, history, choice, proposal, out_revision, error);
    ht_progress_pause(in->session->progress);
    return status;
}

static ht_status step_keep(void *context, const ht_revision *revision, ht_error *error) {
    const running *in = context;
    return in->keeping ? ht_keeping_put(in->keeping, revision, error) : HT_OK;
}

static void step_view(void *context, ht_loop_view *out_view) {
    const running *in = context;
    ht_steps_view(in->steps, out_view);
}

static void step_chosen(void *context, const ht_choice *choice, uint64_t number) {
    const running *in = context;
    ht_progress_pause(in->session->progress); /* of the agent, which has ended */
    ht_loop_report_choice(choice, number, in->out);
}

static void step_done(void *context, const ht_revision *revision) {
    const running *in = context;
    ht_loop_report_done(revision, in->out);
}

/* ---- a loop that runs */

static void list_append(ht_text *text, const char *name, const ht_option_list *list) {
    for (size_t i = 0; i < list->count; ++i)
        ht_text_printf(text, "%s=%s\n", name, list->items[i]);
}

/* Returns the device that is tuned for. */
static const ht_device *device_of(const running *in) {
    return in->session->model ? &in->session->model->target : &in->session->device;
}

/* Writes the loop's key: a hash of all that its history depends on but for the clock. */
static void key_make(const running *in, char out_hex[HT_HASH_SIZE]) {
    const loop_options *given = in->given;
    const ht_tuning_options *tuning = &given->tuning;
    const ht_generation *original = ht_steps_original(in->steps);
    const ht_device *device = device_of(in);
    ht_text text = {0};
    ht_text_printf(&text, HT_VERSION "\n%s\n%s\n%s\n%s\n%s\n%s\n", in->file, original->entry->name,
                   original->entry->fields, device->name, device->description, device->compiler);
    ht_text_printf(&text, "%lu %.17g %.17g %.17g %lu %s %s %s %s %s %d\n",
                   (unsigned long)tuning->max_evals, tuning->min_speedup, tuning->final_time,
                   given->least_gain, (unsigned long)tuning->seed,
                   tuning->strategy ? tuning->strategy : "", tuning->cache, tuning->check,
                   given->style, tuning->predictor ? tuning->predictor : "", tuning->no_sources);
    ht_text_printf(&text, "%sagent=%s\nelsewhere=%.17g\n", tuning->no_facts ? "no facts, " : "",
                   given->agent ? given->agent : "", given->elsewhere);
    list_append(&text, "without", &given->compiler.without);
    list_append(&text, "seeds-from", &tuning->seeds_from);
    ht_hash_strings(out_hex, text.data, original->text, original->kernel->template->unit, NULL);
    ht_text_free(&text);
}

static json_t *about_make(const running *in) {
    const ht_entry *entry = ht_steps_original(in->steps)->entry;
    return json_pack("{s:o, s:o, s:o, s:b, s:b}", "problem", ht_report_json_text(entry->problem),
                     "fields", ht_report_json_text(entry->fields), "device",
                     ht_report_json_text(device_of(in)->name), "emulated",
                     !in->session->model && in->session->device.emulated, "predicted",
                     in->session->model != NULL);
}

/* Begins the loop, or goes on with the one that is kept. */
static ht_status loop_open(running *in, ht_error *error) {
    const loop_options *given = in->given;
    const ht_generation *original = ht_steps_original(in->steps);
    char key[HT_HASH_SIZE];
    ht_revision first;
    ht_steps_first(in->steps, &first);
    key_make(in, key);
    in->loop.settings = (ht_loop_settings){.rounds = given->rounds,
                                           .evaluations = given->tuning.max_evals,
                                           .most = given->all_evals,
                                           .any = in->any,
                                           .least_gain = given->least_gain};
    in->loop.hands = (ht_loop_hands){.context = in,
                                     .perform = step_perform,
                                     .keep = step_keep,
                                     .view = step_view,
                                     .chosen = step_chosen,
                                     .done = step_done};
    const ht_loop_name name = {key, in->file, original->entry->name};
    ht_status status = HT_OK;
    if (in->session->database_file)
        status = ht_keeping_open(in->session->database_file, &name, given->tuning.fresh, &first,
                                 in->about, &in->loop, &in->keeping, error);
    else
        ht_history_add(&in->loop.history, &first);
    ht_revision_free(&first);
    size_t resumed = in->keeping ? ht_keeping_resumed(in->keeping) : 0;
    if (status == HT_OK && resumed > 1)
        fprintf(in->out, "Going on after revision %zu.\n", resumed - 1);
    return status;
}

static void agent_begun(void *context, const char *phase) {
    const running *in = context;
    ht_progress_begin(in->session->progress, "agent");
    ht_progress_long_phase(in->session->progress, phase);
}

static void agent_refused(void *context, const ht_answer *answer, const ht_refused *refused) {
    const running *in = context;
    (void)answer;
    ht_progress_pause(in->session->progress);
    fprintf(in->out, "refused (%s): %s\n", ht_refusal_word(refused->kind),
            refused->reason ? refused->reason : "");
    fflush(in->out);
}

/* Seats the agent, if there is one. */
static ht_status agent_open(running *in, const ht_loop_origin *origin, ht_error *error) {
    const ht_agent_proposer_options options = {.command = in->given->agent,
                                               .seconds = in->given->agent_time,
                                               .origin = origin,
                                               .original = ht_steps_original(in->steps),
                                               .begun = agent_begun,
                                               .refused = agent_refused,
                                               .context = in};
    if (!in->given->agent)
        return HT_OK;
    ht_status status = ht_agent_proposer_open(&options, &in->agent, error);
    if (status == HT_OK)
        in->loop.proposer = ht_agent_proposer_get(in->agent);
    return status;
}

/* Runs it to its end. A stop by Ctrl-C or the clock is not an error: the same command goes on. */
static int loop_go(running *in) {
    ht_error error = {0};
    ht_status status = ht_loop_run(&in->loop, &error);
    ht_progress_pause(in->session->progress);
    const ht_loop_report report = {.file = in->file,
                                   .kernel = ht_steps_original(in->steps)->entry->name,
                                   .about = in->about,
                                   .history = &in->loop.history,
                                   .ended = in->loop.ended};
    if (status == HT_ERROR_INTERRUPTED && !ht_interrupted)
        fprintf(in->out, "The time limit (--max-time) was reached.\n");
    int code = status == HT_OK || (status == HT_ERROR_INTERRUPTED && !ht_interrupted) ? HT_EXIT_OK
               : ht_interrupted ? HT_EXIT_INTERRUPTED
                                : ht_report_error(&error);
    if (in->keeping && ht_keeping_end(in->keeping, in->loop.ended, &error) != HT_OK && !code)
        code = ht_report_error(&error);
    fputc('\n', in->out);
    ht_loop_report_print(&report, in->out);
    json_t *document = ht_loop_report_json(&report);
    int written = ht_report_json(in->given->json, document);
    json_decref(document);
    return code ? code : written;
}

static int loop_run(running *in, const char *path) {
    ht_refactor_options compiler;
    ht_compiler_arguments_make(&in->given->compiler, &compiler);
    const ht_loop_origin origin = {.path = path,
                                   .kernel = in->given->kernel,
                                   .problem = in->given->problem,
                                   .compiler = &compiler,
                                   .device = &device_of(in)->fields,
                                   .elsewhere = in->given->elsewhere};
    ht_error error = {0};
    ht_status status =
        ht_transformations_without(in->given->compiler.without.items,
                                   in->given->compiler.without.count, &compiler.without, &error);
    if (status == HT_OK)
        status = ht_compiler_stub_check(&in->given->compiler, &error);
    if (status == HT_OK)
        status = ht_steps_open(&origin, in->session, &in->steps, &error);
    if (status == HT_OK) {
        in->about = about_make(in);
        status = loop_open(in, &error);
    }
    if (status == HT_OK)
        status = agent_open(in, &origin, &error);
    if (in->given->tuning.max_time > 0)
        ht_stop_at(in->session->start + in->given->tuning.max_time);
    int code = status == HT_OK ? loop_go(in) : ht_report_error(&error);
    ht_stop_at(0);
    ht_agent_proposer_close(in->agent);
    ht_keeping_close(in->keeping);
    ht_loop_free(&in->loop);
    if (in->steps)
        ht_steps_close(in->steps);
    json_decref(in->about);
    ht_compiler_arguments_free(&compiler);
    return code;
}

static int run_loop(const ht_command_line *line) {
    const loop_options *given = line->options;
    ht_session session;
    ht_model_devices model;
    ht_error error = {0};
    bool any = false, modelled = ht_text_begins(given->tuning.device, HT_MODEL_PREFIX);
    if (given->show || given->export)
        return kept_show(given, line->operands[0]);
    ht_tuning_options tuning = given->tuning;
    tuning.plain = true;
    tuning.no_comment = true; /* a revision's text depends on what won, not on how fast it was */
    ht_status status = ht_style_read(given->style, &any, &error);
    if (status == HT_OK && modelled)
        status = ht_model_devices_find(given->tuning.device, &model, &error);
    if (modelled)
        tuning.device = "host"; /* which verifies */
    if (status == HT_OK)
        status = ht_session_open(&tuning, &session, &error);
    if (status != HT_OK)
        return ht_report_error(&error);
    session.model = modelled ? &model : NULL;
    running in = {.given = given,
                  .any = any,
                  .session = &session,
                  .file = absolute_path(line->operands[0]),
                  .out = ht_report_stream(given->json)};
    session.progress = ht_progress_new(in.out, 0);
    int code = loop_run(&in, line->operands[0]);
    ht_progress_free(session.progress);
    free(in.file);
    ht_session_close(&session);
    return code;
}

const ht_command ht_command_loop = {
    .name = "loop",
    .summary = "refactor, tune and plan the next step, until nothing more is gained",
    .usage = "[OPTION]... KERNEL.hip",
    .description =
        "Makes a template of the file's kernel, searches it, and then plans: to search longer, to "
        "try what is next to the best, to widen parameters whose best value is the last that there "
        "is, to refactor the winner's source again. Each step has a predicted gain and cost, "
        "learnt from earlier loops in the "
        "database, and its reason is printed. Every result is verified as by 'optimize' and timed "
        "in turn with the original; a revision is kept if it is clearly faster than the best "
        "before it, measured in the same rounds.\n\n"
        "Revisions are in the database as soon as they are done: a loop that was killed goes on "
        "when the same command is run again. Nothing of the user's is changed: --export writes "
        "patches. On device host, the machine's own cores run the kernels: such times are host "
        "emulation and say nothing about a GPU.",
    .examples = "hiptemper loop conv.hip --rounds 6\n"
                "hiptemper loop conv.hip --show\n"
                "hiptemper loop conv.hip --export patches",
    .options = options,
    .options_size = sizeof(loop_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "KERNEL.hip",
    .run = run_loop,
};

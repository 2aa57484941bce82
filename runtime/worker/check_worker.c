/* Checking, in the worker: four passes over one program, each with its threads in another order and
 * with every buffer between pages that cannot be touched. */
#include "base/memory.h"
#include "runtime/host/check.h"
#include "runtime/worker/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 64 * 1024, PAGE = 4096, ALIGNMENT = 64 };

/* Of notes of elements and buffers together; notes get some of it, however large buffers are. */
enum { MEMORY = 512 << 20, NOTES_LEAST = 64 << 20 };

typedef struct pass {
    const char *name;
    ht_check_order order;
    uint64_t seed;
    bool at_end; /* buffers end at a guard page, not begin */
} pass;

static const pass passes[] = {{"forward order", HT_CHECK_FORWARD, 1, true},
                              {"backward order", HT_CHECK_BACKWARD, 2, false},
                              {"random order 1", HT_CHECK_RANDOM, 3, true},
                              {"random order 2", HT_CHECK_RANDOM, 4, false}};
enum { PASSES = sizeof passes / sizeof *passes };

/* A buffer. Its memory serves all passes, and the checks that follow: for fresh pages the system
 * takes as long as for running many kernels. */
typedef struct guarded {
    char *map;
    size_t map_bytes;
    char *data; /* of this pass */
    char *kept; /* the pointer that arguments held before; NULL between passes */
} guarded;

typedef struct check {
    ht_worker *worker;
    ht_variant *variant;
    ht_buffers *buffers;
    guarded *guarded; /* one per argument; map NULL for scalars and constants; see kept_for */
    ht_check_buffer *described; /* of those that are buffers */
    size_t *described_as;       /* by argument */
    size_t described_count;
    uint64_t accesses;
    uint64_t affordable; /* in the first pass; 0: do not care */
    bool ended;          /* threads may have, before a barrier */
    bool sequence;       /* several launches: later ones read what earlier ones wrote */
    ht_check_outcome outcome;
} check;

static size_t page_bytes(const ht_layout_arg *arg) {
    return (ht_layout_bytes(arg) + PAGE - 1) / PAGE * PAGE;
}

static ht_status map_buffer(guarded *out, const ht_layout_arg *arg, ht_error *error) {
    size_t bytes = ht_layout_bytes(arg), pages = page_bytes(arg);
    out->map_bytes = pages + (size_t)2 * GUARD;
    void *map =
        mmap(NULL, out->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return ht_error_set(error, HT_ERROR_LAUNCH, "out of memory: %zu bytes for '%s'", bytes,
                            arg->arg->name);
    if (pages && mprotect((char *)map + GUARD, pages, PROT_READ | PROT_WRITE) != 0) {
        munmap(map, out->map_bytes);
        return ht_error_set(error, HT_ERROR_LAUNCH, "out of memory: %zu bytes for '%s'", bytes,
                            arg->arg->name);
    }
    out->map = map;
    return HT_OK;
}

/* As aligned as wide loads need; the few bytes this leaves are known not to be the buffer's. */
static char *place(const guarded *in, const ht_layout_arg *arg, bool at_end) {
    size_t room = page_bytes(arg) - ht_layout_bytes(arg);
    return in->map + GUARD + (at_end ? room / ALIGNMENT * ALIGNMENT : 0);
}

static void fill(const check *in, size_t index) {
    const ht_layout_arg *arg = &in->buffers->layout.args[index];
    const void *contents = in->buffers->buffers[index].contents;
    size_t bytes = ht_layout_bytes(arg);
    if (contents)
        memcpy(in->guarded[index].data, contents, bytes);
    else
        memset(in->guarded[index].data, ht_poison_byte(arg->element), bytes);
}

/* Structures that pointers lead to are memory of the kernel's, too. */
static ht_status describe_structures(check *in, ht_error *error) {
    ht_status status = ht_variant_compose(in->variant, error);
    const ht_structure *structure = NULL;
    for (size_t i = 0; status == HT_OK && (structure = ht_variant_structure(in->variant, i)); ++i)
        if (structure->device)
            in->described[in->described_count++] =
                (ht_check_buffer){.name = in->buffers->layout.args[structure->arg].arg->name,
                                  .data = structure->device,
                                  .bytes = structure->size,
                                  .element = structure->size % 8 == 0 ? 8 : 1,
                                  .read_only = true};
    return status;
}

static ht_status map_all(check *in, const pass *how, ht_error *error) {
    const ht_layout *layout = &in->buffers->layout;
    ht_status status = HT_OK;
    in->described_count = 0;
    for (size_t i = 0; i < layout->count && status == HT_OK; ++i) {
        const ht_layout_arg *arg = &layout->args[i];
        if (in->buffers->buffers[i].base == NULL)
            continue;
        guarded *own = &in->guarded[i];
        if (!own->map)
            status = map_buffer(own, arg, error);
        if (status != HT_OK)
            break;
        own->data = place(own, arg, how->at_end);
        fill(in, i);
        own->kept = in->buffers->buffers[i].data;
        in->buffers->buffers[i].data = own->data;
        in->described_as[i] = in->described_count;
        in->described[in->described_count++] =
            (ht_check_buffer){.name = arg->arg->name,
                              .data = own->data,
                              .bytes = ht_layout_bytes(arg),
                              .guard = GUARD,
                              .element = arg->element.bytes,
                              .read_only = arg->arg->role == HT_ARG_IN,
                              .poisoned = in->buffers->buffers[i].contents == NULL,
                              .poison = ht_poison_byte(arg->element)};
    }
    return status == HT_OK ? describe_structures(in, error) : status;
}

/* Gives arguments the pointers that they held before the pass. */
static void restore_all(check *in) {
    for (size_t i = 0; i < in->buffers->layout.count; ++i) {
        guarded *own = &in->guarded[i];
        if (own->kept)
            in->buffers->buffers[i].data = own->kept;
        own->kept = NULL;
    }
}

/* Memory of the last check, which is the next one's where its buffers are as large. Checks are made
 * one at a time. */
static struct {
    guarded *items;
    size_t count;
} kept;

static bool is_as_large(const ht_buffers *buffers) {
    bool same = kept.count == buffers->layout.count;
    for (size_t i = 0; i < buffers->layout.count && same; ++i)
        if (buffers->buffers[i].base && kept.items[i].map)
            same =
                kept.items[i].map_bytes == page_bytes(&buffers->layout.args[i]) + (size_t)2 * GUARD;
        else
            same = !buffers->buffers[i].base && !kept.items[i].map;
    return same;
}

void ht_worker_check_forget(void) {
    for (size_t i = 0; i < kept.count; ++i)
        if (kept.items[i].map)
            munmap(kept.items[i].map, kept.items[i].map_bytes);
    free(kept.items);
    kept.items = NULL;
    kept.count = 0;
}

/* Gives the memory for these buffers: what is kept, or none yet. */
static guarded *kept_for(const ht_buffers *buffers) {
    if (is_as_large(buffers))
        return kept.items;
    ht_worker_check_forget();
    kept.count = buffers->layout.count;
    kept.items = ht_alloc(kept.count + 1, sizeof *kept.items);
    return kept.items;
}

/* Completes the outputs: elements that only blocks which did not run would have written are taken
 * as right. */
static void complete(const check *in, const ht_expected *expected, char *got) {
    const ht_layout_arg *arg = &in->buffers->layout.args[expected->arg];
    size_t bytes = arg->element.bytes, buffer = in->described_as[expected->arg];
    bool whole = expected->bytes && !expected->index;
    for (size_t at = 0; whole && at < expected->known; ++at) {
        size_t end = ht_check_next_written(buffer, at, expected->known);
        memcpy(got + at * bytes, expected->bytes + at * bytes, (end - at) * bytes);
        at = end;
    }
    for (size_t k = 0; !whole && k < expected->known; ++k) {
        size_t at = expected->index ? expected->index[k] : k;
        if (ht_check_next_written(buffer, at, at + 1) == at)
            continue;
        if (expected->bytes)
            memcpy(got + at * bytes, expected->bytes + at * bytes, bytes);
        else
            ht_element_set(arg->element, got, at, expected->value[k]);
    }
}

/* Finds what the original leaves alone. That is poison still, and so is what is computed from
 * shared memory that was never written: they are distinguished by whether an output was written at
 * all. Floating types alone have a poison that no sum of numbers gives. */
static ht_status left_alone(const check *in, const ht_expected *expected, ht_error *error) {
    const ht_layout_arg *arg = &in->buffers->layout.args[expected->arg];
    if (!expected->bytes || in->buffers->buffers[expected->arg].contents ||
        !ht_element_floating(arg->element))
        return HT_OK;
    size_t buffer = in->described_as[expected->arg];
    for (size_t at = 0; (at = ht_check_next_written(buffer, at, expected->count)) < expected->count;
         ++at)
        if (ht_poison_is(arg->element, expected->bytes, at))
            return ht_error_set(error, HT_ERROR_MISMATCH,
                                "mismatch: '%s'[%zu] is written, with what was in memory before; "
                                "the original leaves it alone",
                                arg->arg->name, at / arg->element.components);
    return HT_OK;
}

static ht_status compare(const check *in, bool partial, ht_error *error) {
    const ht_reference *reference = &in->worker->reference;
    ht_status status = HT_OK;
    for (size_t i = 0; i < reference->count && status == HT_OK; ++i) {
        const ht_expected *expected = &reference->outputs[i];
        const ht_layout_arg *arg = &in->buffers->layout.args[expected->arg];
        char *got = in->guarded[expected->arg].data; /* no longer needed after this */
        if (partial)
            complete(in, expected, got);
        status = ht_expected_compare(expected, arg, got,
                                     in->worker->spec.binding.template->tolerance, error);
        if (status == HT_OK)
            status = left_alone(in, expected, error);
    }
    return status;
}

/* Returns how many pages may be noted of elements, so that they and the buffers end below a limit:
 * each page stands for 64 elements. */
static size_t pages_of(const check *in) {
    size_t bytes = 0;
    for (size_t i = 0; i < in->buffers->layout.count; ++i)
        bytes += in->guarded[i].map ? 2 * page_bytes(&in->buffers->layout.args[i]) : 0;
    for (size_t i = 0; i < in->worker->reference.count; ++i) {
        const ht_expected *expected = &in->worker->reference.outputs[i];
        bytes += expected->value ? 2 * sizeof(double) * expected->known : 0;
    }
    size_t room = bytes + NOTES_LEAST < MEMORY ? MEMORY - bytes : NOTES_LEAST;
    return room / PAGE < HT_CHECK_PAGES ? room / PAGE : HT_CHECK_PAGES;
}

/* Runs one pass, within a plan. */
static ht_status run_pass(check *in, ht_error *error) {
    ht_check_outcome so_far;
    ht_status status = ht_variant_launch(in->variant, error);
    ht_check_progress(&so_far);
    if (so_far.found)
        return ht_error_set(error, HT_ERROR_MISMATCH, "%s", so_far.finding.message);
    bool partial = so_far.blocks_run < so_far.blocks;
    if (status == HT_OK && !(partial && so_far.atomics))
        status = compare(in, partial, error);
    if (status == HT_ERROR_MISMATCH && so_far.has_unwritten) {
        char *words = ht_strdup(error->message);
        status = ht_error_set(error, HT_ERROR_MISMATCH, "%s; %s", words, so_far.unwritten.message);
        free(words);
    }
    return status;
}

static json_t *place_json(const ht_check_place *place) {
    return json_pack("{s:o, s:i, s:s, s:[i,i,i], s:[i,i,i]}", "file",
                     place->line ? ht_message_text(place->file) : json_null(), "line", place->line,
                     "access", place->write ? "write" : "read", "thread", (int)place->thread[0],
                     (int)place->thread[1], (int)place->thread[2], "block", (int)place->block[0],
                     (int)place->block[1], (int)place->block[2]);
}

static json_t *finding_json(const ht_check_finding *finding) {
    json_t *places = json_array();
    for (size_t i = 0; i < finding->place_count; ++i)
        json_array_append_new(places, place_json(&finding->places[i]));
    bool placed = finding->array[0] != 0;
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", finding->kind, "message",
                     ht_message_text(finding->message), "array",
                     ht_message_text(placed ? finding->array : NULL), "element",
                     placed ? json_integer(finding->element) : json_null(), "places", places);
}

static json_t *memory_json(const ht_check_outcome *outcome) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "global_reads", (json_int_t)outcome->global_reads,
                     "global_bytes_read", (json_int_t)outcome->global_bytes_read, "global_writes",
                     (json_int_t)outcome->global_writes, "shared_reads",
                     (json_int_t)outcome->shared_reads, "shared_writes",
                     (json_int_t)outcome->shared_writes);
}

static void describe(const check *in, const pass *how, ht_status status, json_t *out) {
    const ht_check_outcome *outcome = &in->outcome;
    json_object_set_new(out, "passes", json_integer(how - passes + 1));
    json_object_set_new(out, "blocks", json_integer((json_int_t)outcome->blocks));
    json_object_set_new(out, "blocks_checked", json_integer((json_int_t)outcome->blocks_checked));
    json_object_set_new(out, "accesses", json_integer((json_int_t)outcome->accesses));
    json_object_set_new(out, "memory", memory_json(outcome));
    json_object_set_new(out, "order", status == HT_OK ? json_null() : json_string(how->name));
    json_object_set_new(
        out, "unwritten_shared",
        ht_message_text(outcome->has_unwritten ? outcome->unwritten.message : NULL));
    json_object_set_new(out, "finding",
                        outcome->found ? finding_json(&outcome->finding) : json_null());
}

static ht_status check_pass(check *in, const pass *how, json_t *out, ht_error *error) {
    ht_status status = map_all(in, how, error);
    if (status == HT_OK) {
        const ht_check_plan plan = {.order = how->order,
                                    .seed = how->seed,
                                    .accesses = in->accesses,
                                    .complete = in->sequence,
                                    .ended = in->ended,
                                    .affordable = how == passes ? in->affordable : 0,
                                    .pages = pages_of(in),
                                    .buffers = in->described,
                                    .buffer_count = in->described_count};
        ht_check_begin(&plan);
        status = run_pass(in, error);
        ht_check_end(&in->outcome);
        describe(in, how, status, out);
    }
    restore_all(in);
    if (status != HT_OK)
        ht_error_prefix(error, "check, threads in %s: ", how->name);
    return status;
}

static ht_status run_passes(check *in, json_t *out, ht_error *error) {
    size_t count = in->buffers->layout.count;
    in->guarded = kept_for(in->buffers);
    in->described = ht_alloc(count + 1, sizeof *in->described);
    in->described_as = ht_alloc(count + 1, sizeof *in->described_as);
    ht_status status = HT_OK;
    for (size_t i = 0; i < PASSES && status == HT_OK; ++i)
        status = check_pass(in, &passes[i], out, error);
    free(in->described);
    free(in->described_as);
    return status;
}

void ht_worker_check_begin(ht_worker *worker) {
    worker->runs = true; /* and times nothing */
    ht_check_prepare();
}

ht_status ht_worker_check(ht_worker *worker, const json_t *request, json_t *reply,
                          ht_error *error) {
    const ht_template *template = worker->spec.binding.template;
    ht_launch_set set = ht_message_get_set(request);
    size_t launches;
    ht_template_launches(template, set, &launches);
    ht_config config;
    ht_error own = {0}; /* needed here, even if the caller does not care */
    if (!ht_message_get_config(json_object_get(request, "config"), template, &config))
        return ht_error_set(error, HT_ERROR_INTERNAL, "a malformed configuration in a request");
    check in = {.worker = worker,
                .accesses = (uint64_t)json_integer_value(json_object_get(request, "accesses")),
                .affordable = (uint64_t)json_integer_value(json_object_get(request, "affordable")),
                .ended = json_is_true(json_object_get(request, "ended")),
                .sequence = launches > 1};
    ht_status status =
        ht_worker_variant(worker, json_object_get(request, "program"), &config, set,
                          HT_NUMBERS_PLAIN, worker->reference.seed, &in.variant, &own);
    if (status == HT_OK) {
        json_t *out = json_object();
        in.buffers = ht_variant_buffers(in.variant);
        status = run_passes(&in, out, &own);
        json_object_set_new(reply, "check", out);
        if (in.outcome.spent)
            json_object_set_new(reply, "spent", json_true());
    }
    ht_variant_free(in.variant);
    if (status != HT_OK && error != NULL)
        *error = own;
    return status;
}

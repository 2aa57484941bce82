/* Words for a finding: which element of what, where in the source, by which thread. */
#include "runtime/host/check_internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/host/symbolizer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes "file:line" of the innermost frame that is not the prelude's, from addr2line's output of
 * one address and the frames inlined there. */
static void take_frame(char *text, ht_check_place *out) {
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *colon = strrchr(line, ':');
        if (!colon || strstr(line, "/prelude/") || strstr(line, "/include/hip/") || line[0] == '?')
            continue;
        *colon = 0;
        const char *slash = strrchr(line, '/');
        const char *name = slash ? slash + 1 : line;
        snprintf(out->file, sizeof out->file, "%.*s", (int)sizeof out->file - 1, name);
        out->line = atoi(colon + 1);
        return;
    }
}

static void find_line(const ht_check_image *image, uintptr_t offset, ht_check_place *out) {
    ht_text text = {0};
    /* The call itself, not what follows. */
    if (offset != 0 && ht_symbolize(image->fd, offset - 1, &text) && text.data)
        take_frame(text.data, out);
    ht_text_free(&text);
}

static void split(const uint32_t size[3], uint64_t linear, uint32_t out[3]) {
    out[0] = (uint32_t)(linear % size[0]);
    out[1] = (uint32_t)(linear / size[0] % size[1]);
    out[2] = (uint32_t)(linear / size[0] / size[1]);
}

static void who(const ht_checker *checker, uint32_t epoch, uint32_t thread, ht_check_place *out) {
    split(checker->launch.given->size, thread, out->thread);
    const ht_checked_block *block = ht_check_block_of(checker, epoch);
    if (block)
        split(checker->launch.given->grid, block->index, out->block);
}

/* Sets the array's name and the element; returns the number of its elements (of `size` bytes). */
static int64_t what(const ht_checker *checker, const ht_raw_finding *raw, ht_check_finding *out) {
    const ht_region *region = raw->region;
    size_t size = raw->size ? raw->size : 1;
    if (!region)
        return 0;
    uintptr_t data = region->data;
    size_t bytes = region->bytes;
    const char *name = region->name;
    if (region == &checker->regions.items[HT_CHECK_STATIC] || region->variables) {
        const ht_check_array *array = ht_check_image_array(checker->launch.image, raw->address, 1);
        name = array ? array->name : region->variables ? "a variable" : "shared memory";
        data = array ? array->data : data;
        bytes = array ? array->bytes : bytes;
    } else if (region == &checker->regions.items[HT_CHECK_DYNAMIC]) {
        name = checker->launch.image->dynamic_name ? checker->launch.image->dynamic_name
                                                   : "shared memory";
    }
    if (region->name && raw->size)
        size = region->granule;
    snprintf(out->array, sizeof out->array, "%s", name);
    int64_t offset = (int64_t)(raw->address - data);
    out->element =
        offset < 0 ? -((-offset + (int64_t)size - 1) / (int64_t)size) : offset / (int64_t)size;
    return (int64_t)(bytes / size);
}

static char *at_text(const ht_check_place *place) {
    if (place->line == 0)
        return ht_strdup("an unknown line");
    return ht_format("%s:%d", place->file, place->line);
}

static char *who_text(const ht_check_place *place, bool with_block) {
    if (!with_block)
        return ht_format("thread (%u, %u, %u)", place->thread[0], place->thread[1],
                         place->thread[2]);
    return ht_format("thread (%u, %u, %u) of block (%u, %u, %u)", place->thread[0],
                     place->thread[1], place->thread[2], place->block[0], place->block[1],
                     place->block[2]);
}

static void word_race(const ht_check_finding *found, ht_text *out) {
    const ht_check_place *now = &found->places[0], *before = &found->places[1];
    bool same = memcmp(now->block, before->block, sizeof now->block) == 0;
    char *first = at_text(before), *second = at_text(now);
    char *first_who = who_text(before, !same), *second_who = who_text(now, true);
    ht_text_printf(out, "race: %s[%" PRId64 "] %s at %s by %s and %s at %s by %s%s", found->array,
                   found->element, before->write ? "written" : "read", first, first_who,
                   now->write ? "written" : "read", second, second_who,
                   same ? ", no barrier between" : ", nothing orders blocks");
    free(first);
    free(second);
    free(first_who);
    free(second_who);
}

static void word_outside(const ht_check_finding *found, const ht_raw_finding *raw, int64_t count,
                         ht_text *out) {
    const char *verb = raw->size == 0 ? "access" : raw->write ? "write" : "read";
    if (!raw->region)
        ht_text_printf(out, "outside: %s outside every buffer, at address 0x%" PRIxPTR, verb,
                       raw->address);
    else if (raw->size == 0)
        ht_text_printf(out, "outside: access %s '%s', at byte %" PRId64 " of %" PRId64,
                       found->element < 0 ? "before" : "behind", found->array, found->element,
                       count);
    else
        ht_text_printf(out, "outside: %s %s '%s' (element %" PRId64 " of %" PRId64 ")", verb,
                       found->element < 0 ? "before" : "behind", found->array, found->element,
                       count);
}

/* Words a finding in memory. The element is that of the array in front. */
static void word_memory(const ht_check_finding *found, const ht_raw_finding *raw, ht_text *out) {
    const char *verb = raw->write ? "write" : "read";
    if (raw->region)
        ht_text_printf(out, "memory: %s outside '%s' (element %" PRId64 ", %s)", verb, found->array,
                       found->element, raw->text);
    else
        ht_text_printf(out, "memory: %s of %zu bytes outside its array (%s)", verb, raw->size,
                       raw->text);
}

static void word(const ht_check_finding *found, const ht_raw_finding *raw, int64_t count,
                 ht_text *out) {
    if (strcmp(raw->kind, "race") == 0) {
        word_race(found, out);
        return;
    }
    if (strcmp(raw->kind, "outside") == 0)
        word_outside(found, raw, count, out);
    else if (strcmp(raw->kind, "input") == 0)
        ht_text_printf(out, "input: write to input '%s' (element %" PRId64 ")", found->array,
                       found->element);
    else if (strcmp(raw->kind, "unwritten") == 0)
        ht_text_printf(out, "unwritten: %s[%" PRId64 "] read before %s wrote it", found->array,
                       found->element, raw->region->shared ? "the block" : "anything");
    else if (strcmp(raw->kind, "memory") == 0)
        word_memory(found, raw, out);
    else if (strcmp(raw->kind, "stack") == 0)
        ht_text_printf(out, "stack: a thread's stack of %d KiB overflowed", HT_STACK_SIZE / 1024);
    else if (strcmp(raw->kind, "fault") == 0)
        ht_text_printf(out, "fault: access to address 0x%" PRIxPTR, raw->address);
    else
        ht_text_printf(out, "%s: %s", raw->kind, raw->text);
    char *at = at_text(&found->places[0]), *by = who_text(&found->places[0], true);
    ht_text_printf(out, ", at %s by %s", at, by);
    free(at);
    free(by);
}

void ht_check_describe(const ht_checker *checker, const ht_raw_finding *raw,
                       ht_check_finding *out) {
    *out = (ht_check_finding){.kind = raw->kind, .place_count = 1};
    ht_check_place *now = &out->places[0], *before = &out->places[1];
    now->write = raw->write;
    who(checker, checker->block.epoch, raw->thread, now);
    if (raw->file) {
        snprintf(now->file, sizeof now->file, "%s", raw->file);
        now->line = raw->line;
    } else if (raw->code >= checker->launch.image->low && raw->code < checker->launch.image->high) {
        find_line(checker->launch.image, raw->code - checker->launch.image->low, now);
    }
    if (raw->has_before) {
        out->place_count = 2;
        before->write = raw->before_write;
        who(checker, raw->before.epoch, raw->before.thread, before);
        find_line(checker->launch.image, raw->before.place, before);
    }
    int64_t count = what(checker, raw, out);
    ht_text text = {0};
    word(out, raw, count, &text);
    snprintf(out->message, sizeof out->message, "%s", text.data);
    ht_text_free(&text);
}

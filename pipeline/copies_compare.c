#include "pipeline/copies_compare.h"

#include "base/memory.h"
#include "pipeline/capture_name.h"
#include "runtime/buffers/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A copy of both runs. */
typedef struct pair {
    const ht_copy *before, *after;
    const unsigned char *was, *is; /* NULL: not kept */
    ht_element element;
} pair;

static uint64_t kept_count(const ht_copies *copies) {
    return copies->count < HT_COPIES ? copies->count : HT_COPIES;
}

static const unsigned char *bytes_of(const ht_copies_seen *of, const ht_copy *copy) {
    return ht_byte_store_at(of->store, copy->kept, copy->bytes);
}

/* Finds the type that an argument points to; false: it is not known. */
static bool pointee_find(const ht_capture *capture, const struct ht_memory_user *user,
                         ht_element *out) {
    if (user->launch >= capture->launch_count)
        return false;
    char *type = ht_capture_pointee(capture->launches[user->launch].name, user->argument);
    bool known = type != NULL && ht_element_parse(type, out);
    out->components = 1;
    free(type);
    return known;
}

/* Returns NULL and what the memory holds by all the kernels that use it, or why that is not
 * known. */
static const char *element_find(const ht_capture *capture, const ht_copy *copy, ht_element *out) {
    if (copy->use.count == 0 || copy->use.more)
        return "the kernels that use its memory do not say what its elements are";
    for (uint32_t i = 0; i < copy->use.count; ++i) {
        ht_element element = {0};
        if (!pointee_find(capture, &copy->use.items[i], &element))
            return "the type of its elements is not known";
        if (i > 0 && (element.kind != out->kind || element.bytes != out->bytes))
            return "kernels use its memory with different types";
        *out = element;
    }
    if (!ht_element_floating(*out))
        return "its elements are no floating-point numbers";
    bool whole = copy->bytes % out->bytes == 0 && copy->use.offset % out->bytes == 0;
    return whole ? NULL : "it does not begin and end with an element";
}

/* A unit in the last place of 1. */
static double unit_of(ht_element element) {
    switch (element.kind) {
    case HT_ELEMENT_HALF:
        return 0x1p-10;
    case HT_ELEMENT_BFLOAT16:
        return 0x1p-7;
    case HT_ELEMENT_FLOAT:
        return 0x1p-23;
    default:
        return 0x1p-52;
    }
}

static double largest_value(const pair *of, size_t count) {
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double value = fabs(ht_element_get(of->element, of->was, i));
        if (isfinite(value) && value > largest)
            largest = value;
    }
    return largest;
}

/* Returns the largest difference as a part of the largest value; INFINITY where one is no number
 * and the other is, say. */
static double difference(const pair *of, size_t *out_element) {
    size_t count = of->before->bytes / of->element.bytes;
    double scale = largest_value(of, count), most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double was = ht_element_get(of->element, of->was, i);
        double is = ht_element_get(of->element, of->is, i);
        if (was == is || (isnan(was) && isnan(is)))
            continue;
        double by = scale > 0.0 ? fabs(was - is) / scale : INFINITY;
        by = isnan(by) ? INFINITY : by;
        if (by > most) {
            most = by;
            *out_element = i;
        }
    }
    return most;
}

/* Compares a copy whose bytes differ. Returns NULL if it is within the tolerance, else why not;
 * free(). */
static char *tolerate(const ht_copies_question *question, pair *of, ht_copies_answer *out) {
    const char *unknown = of->before->bytes != of->after->bytes ? "it has another size" : NULL;
    if (unknown == NULL && question->tolerance == 0.0)
        unknown = "no chosen configuration sums in another order, so that it must be the same";
    if (unknown == NULL)
        unknown = element_find(question->capture, of->before, &of->element);
    if (unknown == NULL && (of->was == NULL || of->is == NULL))
        unknown = "its bytes were not kept";
    if (unknown != NULL)
        return ht_strdup(unknown);
    size_t element = 0;
    double by = difference(of, &element);
    if (by > question->tolerance + unit_of(of->element))
        return ht_format("element %zu is %.9g and was %.9g, off by %.2g of the largest value, %.2g "
                         "allowed",
                         element, ht_element_get(of->element, of->is, element),
                         ht_element_get(of->element, of->was, element), by, question->tolerance);
    ++out->within;
    out->largest = fmax(out->largest, by);
    return NULL;
}

void ht_copies_compare(const ht_copies_question *question, ht_copies_answer *out_answer) {
    const ht_copies *before = question->before.copies, *after = question->after.copies;
    uint64_t most = kept_count(before), least = kept_count(after);
    *out_answer = (ht_copies_answer){0};
    for (uint64_t i = 0; i < most; ++i)
        out_answer->bytes += before->items[i].bytes;
    if (least > most) {
        uint64_t swap = most;
        most = least;
        least = swap;
    }
    for (uint64_t i = 0; i < most; ++i) {
        pair of = {.before = &before->items[i], .after = &after->items[i]};
        if (i < least && of.before->bytes == of.after->bytes && of.before->hash == of.after->hash)
            continue;
        char *why = NULL;
        if (i < least) {
            of.was = bytes_of(&question->before, of.before);
            of.is = bytes_of(&question->after, of.after);
            why = tolerate(question, &of, out_answer);
            if (why == NULL)
                continue;
        }
        ++out_answer->different;
        if (out_answer->first_different == 0) {
            out_answer->first_different = i + 1;
            out_answer->reason = why;
            why = NULL;
        }
        free(why);
    }
}

void ht_copies_answer_free(ht_copies_answer *answer) {
    free(answer->reason);
    *answer = (ht_copies_answer){0};
}

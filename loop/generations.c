#include "loop/generations.h"

#include <string.h>

ht_status ht_generations_open(const ht_loop_origin *origin, ht_generations *out_generations,
                              ht_error *error) {
    *out_generations = (ht_generations){.origin = origin};
    return ht_generation_original(origin, &out_generations->original, error);
}

void ht_generations_close(ht_generations *generations) {
    ht_generation_free(&generations->original);
    for (size_t i = 0; i < generations->count; ++i)
        ht_generation_free(&generations->others[i]);
}

static bool is_original(const ht_generations *generations, const char *text) {
    return !text || strcmp(text, generations->original.text) == 0;
}

/* Returns the number of those that are not of this text ahead of the one that is. */
static size_t place_of(const ht_generations *generations, const char *text) {
    size_t place = 0;
    while (place < generations->count && strcmp(generations->others[place].text, text) != 0)
        ++place;
    return place;
}

bool ht_generations_has(const ht_generations *generations, const char *text) {
    return is_original(generations, text) || place_of(generations, text) < generations->count;
}

/* Returns the place for one more. */
static size_t place_free(ht_generations *generations) {
    size_t oldest = 0;
    if (generations->count < HT_GENERATIONS)
        return generations->count++;
    for (size_t i = 1; i < generations->count; ++i)
        if (generations->used[i] < generations->used[oldest])
            oldest = i;
    ht_generation_free(&generations->others[oldest]);
    return oldest;
}

ht_status ht_generations_get(ht_generations *generations, const char *text,
                             ht_generation **out_generation, ht_error *error) {
    *out_generation = &generations->original;
    if (is_original(generations, text))
        return HT_OK;
    size_t place = place_of(generations, text);
    if (place == generations->count) {
        ht_generation made;
        ht_status status =
            ht_generation_make(generations->origin, &generations->original, text, &made, error);
        if (status != HT_OK) {
            ht_generation_free(&made);
            return status;
        }
        place = place_free(generations);
        generations->others[place] = made;
    }
    generations->used[place] = ++generations->clock;
    *out_generation = &generations->others[place];
    return HT_OK;
}

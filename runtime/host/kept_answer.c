#include "runtime/host/kept_answer.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/file_write.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ANSWER_MAX = 4096 };

/* Returns true for a program as opposed to a script. */
static bool is_program(const char *path) {
    static const char begin[] = {'\177', 'E', 'L', 'F'};
    char found[sizeof begin];
    FILE *file = fopen(path, "rbe");
    bool same =
        file && fread(found, sizeof found, 1, file) == 1 && memcmp(found, begin, sizeof begin) == 0;
    if (file)
        fclose(file);
    return same;
}

/* Returns the file that keeps the answer; free(). NULL: it is not to be kept. */
static char *place_of(const char *const *arguments) {
    struct stat state;
    const char *folder = ht_cache_folder();
    char *real = folder ? realpath(arguments[0], NULL) : NULL, *place = NULL;
    if (real && stat(real, &state) == 0 && is_program(real)) {
        char key[HT_HASH_SIZE];
        ht_text text = {0};
        ht_text_printf(&text, "%s\n%lld %lld.%09ld\n", real, (long long)state.st_size,
                       (long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
        for (size_t i = 0; arguments[i]; ++i)
            ht_text_printf(&text, "%s\n", arguments[i]);
        ht_hash_bytes(text.data, text.length, key);
        ht_text_free(&text);
        place = ht_format("%s/answer-%s", folder, key);
    }
    free(real);
    return place;
}

bool ht_kept_answer_take(const char *const *arguments, ht_text *out) {
    char *place = place_of(arguments), *answer = NULL;
    size_t length = 0;
    bool found = place && ht_file_exists(place) &&
                 ht_file_read(place, ANSWER_MAX, &answer, &length, NULL) == HT_OK && length > 0;
    if (found)
        ht_text_append_n(out, answer, length);
    free(answer);
    free(place);
    return found;
}

void ht_kept_answer_put(const char *const *arguments, const ht_text *answer) {
    char *place = answer->length > 0 && answer->length < ANSWER_MAX ? place_of(arguments) : NULL;
    if (place)
        (void)ht_file_replace(place, answer->data, answer->length, false, NULL);
    free(place);
}

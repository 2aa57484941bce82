#include "runtime/amd/lowered_name.h"

#include "base/memory.h"
#include "runtime/amd/code_object/code_object.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One program's expressions in the order they were added: hiprtc 5 makes the i-th the initialiser
 * of a variable
 * __hiprtc_i, from 1, and the relocation of that variable leads to the symbol. */
typedef struct program_names {
    hiprtcProgram program;
    char **expressions;
    size_t count;
    char **answers; /* of lookups that hiprtc could not do; NULL elsewhere */
    struct program_names *next;
} program_names;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static program_names *programs;
static ht_hip real; /* the library's own functions */

static program_names **names_find(hiprtcProgram program) {
    program_names **at = &programs;
    while (*at && (*at)->program != program)
        at = &(*at)->next;
    return at;
}

static hiprtcResult add_name(hiprtcProgram program, const char *expression) {
    hiprtcResult result = real.hiprtcAddNameExpression(program, expression);
    if (result != HT_HIPRTC_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    program_names **at = names_find(program);
    if (!*at) {
        *at = ht_alloc(1, sizeof **at);
        (*at)->program = program;
    }
    program_names *names = *at;
    HT_GROW(names->expressions, names->count);
    HT_GROW(names->answers, names->count);
    names->expressions[names->count] = ht_strdup(expression);
    names->answers[names->count++] = NULL;
    pthread_mutex_unlock(&lock);
    return result;
}

/* Returns the name in the program's code object that its `number`-th expression stands for; free();
 * NULL when it is not there. */
static char *resolve(hiprtcProgram program, size_t number) {
    size_t size = 0;
    char *answer = NULL, variable[40];
    if (real.hiprtcGetCodeSize(program, &size) != HT_HIPRTC_SUCCESS || size == 0)
        return NULL;
    char *code = ht_alloc(size, 1);
    snprintf(variable, sizeof variable, "__hiprtc_%zu", number);
    if (real.hiprtcGetCode(program, code) == HT_HIPRTC_SUCCESS) {
        const char *name = ht_amd_elf_pointee((ht_amd_bytes){(uint8_t *)code, size}, variable);
        answer = name ? ht_strdup(name) : NULL;
    }
    free(code);
    return answer;
}

static hiprtcResult get_lowered(hiprtcProgram program, const char *expression,
                                const char **lowered) {
    hiprtcResult result = real.hiprtcGetLoweredName(program, expression, lowered);
    if (result == HT_HIPRTC_SUCCESS && *lowered && **lowered)
        return result;
    pthread_mutex_lock(&lock);
    program_names *names = *names_find(program);
    for (size_t i = 0; names && i < names->count; i++) {
        if (strcmp(names->expressions[i], expression) != 0)
            continue;
        if (!names->answers[i])
            names->answers[i] = resolve(program, i + 1);
        if (names->answers[i]) {
            *lowered = names->answers[i];
            result = HT_HIPRTC_SUCCESS;
        }
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static hiprtcResult destroy_program(hiprtcProgram *program) {
    pthread_mutex_lock(&lock);
    program_names **at = names_find(*program), *names = *at;
    if (names) {
        *at = names->next;
        for (size_t i = 0; i < names->count; i++) {
            free(names->expressions[i]);
            free(names->answers[i]);
        }
        free(names->expressions);
        free(names->answers);
        free(names);
    }
    pthread_mutex_unlock(&lock);
    return real.hiprtcDestroyProgram(program);
}

void ht_amd_lowered_names_install(ht_hip *hip) {
    real = *hip;
    hip->hiprtcAddNameExpression = add_name;
    hip->hiprtcGetLoweredName = get_lowered;
    hip->hiprtcDestroyProgram = destroy_program;
}

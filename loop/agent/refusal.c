#include "loop/agent/refusal.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const words[] = {
#define HT_REFUSAL_WORD(name, word) word,
    HT_REFUSALS(HT_REFUSAL_WORD)
#undef HT_REFUSAL_WORD
};

const char *ht_refusal_word(ht_refusal refusal) {
    return words[refusal];
}

void ht_refuse(ht_refused *refused, ht_refusal kind, int line, const char *format, ...) {
    if (refused->kind != HT_REFUSAL_NONE)
        return;
    va_list args;
    va_start(args, format);
    refused->reason = ht_format_list(format, args);
    va_end(args);
    ht_text_make_printable(refused->reason, "\n", false);
    refused->kind = kind;
    refused->line = line;
}

void ht_refused_free(ht_refused *refused) {
    free(refused->reason);
    *refused = (ht_refused){0};
}

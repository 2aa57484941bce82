#include "runtime/emulate/capture_read.h"

#include "base/text.h"
#include "runtime/compile/demangle.h"

#include <stdio.h>
#include <stdlib.h>

void ht_capture_check(ht_capture *given, const ht_byte_store *store) {
    if (given->launch_count > HT_CAPTURE_LAUNCHES)
        given->launch_count = HT_CAPTURE_LAUNCHES;
    for (uint32_t i = 0; i < given->launch_count; ++i) {
        ht_captured_launch *launch = &given->launches[i];
        launch->name[HT_CAPTURE_NAME - 1] = '\0';
        char *name = ht_demangle(launch->name);
        snprintf(launch->name, sizeof launch->name, "%s", name);
        free(name);
        ht_text_make_printable(launch->name, "", true);
        if (launch->argument_count > HT_CAPTURE_ARGUMENTS)
            launch->argument_count = HT_CAPTURE_ARGUMENTS;
        if (launch->part_count > HT_CAPTURE_ARGUMENTS - launch->argument_count)
            launch->part_count = HT_CAPTURE_ARGUMENTS - launch->argument_count;
        if (launch->kernel >= given->launch_count)
            launch->kernel = i;
        for (uint32_t j = 0; j < launch->argument_count + launch->part_count; ++j)
            if (!ht_byte_store_at(store, launch->arguments[j].content, launch->arguments[j].bytes))
                launch->arguments[j].content = 0;
        if (!(launch->seconds >= 0.0 && launch->seconds < 1e9))
            launch->seconds = 0.0;
    }
}

void ht_capture_merge(ht_capture *into, const ht_capture *from) {
    into->dropped += from->dropped;
    for (uint32_t i = 0; i < from->launch_count; ++i) {
        const ht_captured_launch *other = &from->launches[i];
        ht_captured_launch *found = ht_capture_find(into, other);
        if (found == NULL && into->launch_count == HT_CAPTURE_LAUNCHES) {
            into->dropped += other->times;
        } else if (found == NULL) {
            found = &into->launches[into->launch_count];
            *found = *other;
            found->kernel = ht_capture_first_of(into, other->name);
            for (uint32_t j = 0; j < found->argument_count + found->part_count; ++j)
                found->arguments[j].content = 0;
            ++into->launch_count;
        } else {
            found->times += other->times;
            found->seconds += other->seconds;
        }
    }
}

/* Shortens the parsed headers that it is given (base/parsed_trim.h). */
#include "base/parsed_trim.h"

#include <stdio.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (!ht_parsed_trim_file(argv[i])) {
            fprintf(stderr, "%s: not shortened\n", argv[i]);
            return 1;
        }
    return 0;
}

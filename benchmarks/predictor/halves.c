/* Makes the weights of model files numbers of 16 bits, in place (docs/model-format.md):
 *
 *   predictor_halves MODEL... */
#include "predictor/predictor.h"

#include <stdio.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
        ht_predictor *predictor = NULL;
        ht_error error = {0};
        ht_status status = ht_predictor_open(argv[i], &predictor, &error);
        if (status == HT_OK) {
            ht_predictor_set_halves(predictor, true);
            status = ht_predictor_save(predictor, argv[i], &error);
        }
        ht_predictor_free(predictor);
        if (status != HT_OK) {
            fprintf(stderr, "predictor_halves: %s: %s\n", argv[i], error.message);
            return 1;
        }
    }
    return 0;
}

/* Bidirectional LSTM (Schuster and Paliwal 1997): one LSTM from each end, outputs side by side. */
#ifndef HT_LAYERS_BILSTM_H
#define HT_LAYERS_BILSTM_H

#include "predictor/layers/lstm.h"

typedef struct ht_bilstm {
    uint32_t inputs, hidden; /* hidden: of each direction */
} ht_bilstm;

/* Weights: those of the forward LSTM, then those of the backward one. */
size_t ht_bilstm_weights(const ht_bilstm *layer);
void ht_bilstm_init(const ht_bilstm *layer, ht_real *weights, ht_random *random);
size_t ht_bilstm_cache(const ht_bilstm *layer, size_t steps, size_t batch);
/* x [steps][batch][inputs]; h [steps][batch][2 hidden]. Initial states are zero. final_h, final_c
 * [batch][2 hidden]: states after each direction's last step, set; may be NULL. */
void ht_bilstm_forward(const ht_bilstm *layer, const ht_real *weights, size_t steps, size_t batch,
                       const ht_real *x, ht_real *h, ht_real *final_h, ht_real *final_c,
                       ht_real *cache);
/* h: as forward left it. grad_h [steps][batch][2 hidden] is used up: the gradients of the final
 * states (NULL: zeros) are added into it. */
void ht_bilstm_backward(const ht_bilstm *layer, const ht_real *weights, size_t steps, size_t batch,
                        const ht_real *x, const ht_real *h, ht_real *grad_h,
                        const ht_real *grad_final_h, const ht_real *grad_final_c, ht_real *grad_x,
                        ht_real *grad_weights, ht_real *cache);
#endif

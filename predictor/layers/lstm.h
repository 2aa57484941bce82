/* Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al.
 * 2000): i, f, o = sigmoid, g = tanh of x Wx + h Wh + b; c' = f c + i g; h' = o tanh(c').
 *
 * Two ways to use it. A whole sequence whose inputs are known: ht_lstm_forward and
 * ht_lstm_backward. Step by step (a decoder whose input depends on its state; decoding):
 * ht_lstm_inputs for the inputs' share of the gates (all steps in one product where they are known;
 * an input can be given in parts, each with its own slice of Wx), then ht_lstm_step for each step;
 * backward in the opposite order: ht_lstm_step_backward for each step from the last, then
 * ht_lstm_inputs_backward and ht_lstm_states_backward once over all steps. */
#ifndef HT_LAYERS_LSTM_H
#define HT_LAYERS_LSTM_H

#include "predictor/layers/dense.h"

typedef struct ht_lstm {
    uint32_t inputs, hidden;
} ht_lstm;

/* Weights: Wx [inputs][4 hidden], Wh [hidden][4 hidden], b [4 hidden]; gates in the order i f g o.
 */
size_t ht_lstm_weights(const ht_lstm *layer);
/* Wx Glorot, Wh orthogonal-like uniform 1/sqrt(hidden), b zero but 1 for the forget gate
 * (Jozefowicz et al. 2015). */
void ht_lstm_init(const ht_lstm *layer, ht_real *weights, ht_random *random);

/* A whole sequence. */
typedef struct ht_lstm_run {
    size_t steps, batch;
    bool reverse;      /* from the last place to the first */
    size_t stride;     /* distance of rows in h and grad_h: `hidden`, or more when h is a slice */
    const ht_real *x;  /* [steps][batch][inputs] */
    const ht_real *h0; /* [batch][hidden]; NULL: zeros */
    const ht_real *c0; /* [batch][hidden]; NULL: zeros */
    ht_real *h;        /* [steps][batch][stride]: written by forward, read by backward */
    ht_real *cache;    /* ht_lstm_cache */
} ht_lstm_run;
size_t ht_lstm_cache(const ht_lstm *layer, size_t steps, size_t batch);
void ht_lstm_forward(const ht_lstm *layer, const ht_real *weights, const ht_lstm_run *run);
/* The cell state after the last step that was run, [batch][hidden], inside the cache; valid until
 * backward. */
const ht_real *ht_lstm_final_cell(const ht_lstm *layer, const ht_lstm_run *run);
/* grad_h [steps][batch][stride] (not changed). grad_c_final [batch][hidden]: of the last cell
 * state; NULL: zeros. The last h's gradient is simply part of grad_h. grad_x, grad_h0, grad_c0 may
 * be NULL. */
void ht_lstm_backward(const ht_lstm *layer, const ht_real *weights, const ht_lstm_run *run,
                      const ht_real *grad_h, const ht_real *grad_c_final, ht_real *grad_x,
                      ht_real *grad_h0, ht_real *grad_c0, ht_real *grad_weights);

/* A part of the input: columns first .. first + count - 1 of it. */
typedef struct ht_lstm_part {
    uint32_t first, count;
    const ht_real *x; /* [rows][stride] */
    size_t stride;    /* distance of rows in x (and in its gradient) */
} ht_lstm_part;
/* gates [rows][4 hidden] = x Wx + b (set; the first part), or += x Wx (add: further parts). */
void ht_lstm_inputs(const ht_lstm *layer, const ht_real *weights, size_t rows,
                    const ht_lstm_part *part, bool add, ht_real *gates);
/* gates: the inputs' share in, the gates' values out. h_before, c_before NULL: zeros. h may be
 * h_before and c may be c_before when no backward follows. */
void ht_lstm_step(const ht_lstm *layer, const ht_real *weights, size_t rows, ht_real *gates,
                  const ht_real *h_before, const ht_real *c_before, ht_real *h, ht_real *c);
/* gates: values in, gradient of the gates' sums out. grad_h: of h, all of it. grad_c
 * [rows][hidden]: gradient of c in, of c_before out. grad_h_before is added to (NULL: not wanted).
 */
void ht_lstm_step_backward(const ht_lstm *layer, const ht_real *weights, size_t rows,
                           ht_real *gates, const ht_real *c_before, const ht_real *c,
                           const ht_real *grad_h, ht_real *grad_c, ht_real *grad_h_before);
/* Gradients of a part of Wx and of its input ([rows][part->stride], NULL: not wanted), from the
 * gates' gradients of any number of steps. */
void ht_lstm_inputs_backward(const ht_lstm *layer, const ht_real *weights, size_t rows,
                             const ht_lstm_part *part, const ht_real *grad_gates, ht_real *grad_x,
                             ht_real *grad_weights);
/* Gradients of Wh and b. h_before [rows][hidden] are the states before those steps (NULL: zeros).
 */
void ht_lstm_states_backward(const ht_lstm *layer, size_t rows, const ht_real *h_before,
                             const ht_real *grad_gates, ht_real *grad_weights);
#endif

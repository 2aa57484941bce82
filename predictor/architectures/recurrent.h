/* Shared by the recurrent architectures. */
#ifndef HT_ARCHITECTURES_RECURRENT_H
#define HT_ARCHITECTURES_RECURRENT_H

#include "predictor/network/network_core.h"

/* Where dropout's keys start that are an architecture's own (those before are network_pass.c's). */
enum { HT_PLACE_MEMORY = 16, HT_PLACE_INPUTS = 32 };

/* An encoder of one LSTM: x to pass->at.recurrent.encoded, final_h, final_c. */
void ht_recurrent_plan_encoder(ht_core *core);
void ht_recurrent_layout_encoder(const ht_core *core, ht_pass *pass, ht_arena *arena);
void ht_recurrent_encode(const ht_core *core, const ht_real *weights, ht_pass *pass);
/* From grad_memory (gradient of `encoded`; NULL: none) and those of the final states. */
void ht_recurrent_encode_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                                  ht_real *grad_encoded, ht_real *gradient);
/* Decoding: asking->x to asking->memory [positions][hidden] and the states of layer 0; `work` of
 * ht_recurrent_encoder_work reals. */
size_t ht_recurrent_encoder_work(const ht_core *core);
void ht_recurrent_ask_encoder(const ht_core *core, const ht_real *weights, ht_asking *asking);

/* Decoder layer i of this input width: plan and state (parts 2 i: h, 2 i + 1: c). */
void ht_recurrent_plan_decoder(ht_core *core, uint32_t layer, uint32_t inputs);

/* wide [rows][2 width] = left and right side by side. */
void ht_recurrent_join(size_t rows, size_t width, const ht_real *left, const ht_real *right,
                       ht_real *wide);
/* The opposite; sets both. */
void ht_recurrent_split(size_t rows, size_t width, const ht_real *wide, ht_real *left,
                        ht_real *right);

/* memory = encoded after dropout; the gradient's way back, in place. */
void ht_recurrent_remember(const ht_core *core, const ht_real *weights, ht_pass *pass);
void ht_recurrent_remember_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                                    ht_real *gradient);
/* The places of attention: memory, keys, context and their gradients, caches. */
void ht_recurrent_layout_attention(const ht_core *core, ht_pass *pass, ht_arena *arena);
ht_attention_memory ht_recurrent_memory(const ht_core *core, const ht_pass *pass);

#endif

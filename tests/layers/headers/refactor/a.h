/* Declares a function of another file. */
#ifndef A_H
#define A_H
int ht_a(void);
int ht_b(void);
#endif

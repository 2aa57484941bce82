/* The channel between the process that looks for faults and those that run kernels: a file that
 * both map. Kernels do so by text of their own (faults_board_text). */
#ifndef HT_TESTS_REFACTOR_FAULTS_BOARD_H
#define HT_TESTS_REFACTOR_FAULTS_BOARD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { FAULTS_MAX = 16384 };

typedef struct faults_board {
    int live;                        /* the fault; -1: none */
    unsigned char marks[FAULTS_MAX]; /* by fault: the run came by, and it would have changed
                                         what a comparison says */
} faults_board;

/* A board of this process and its children from now on, with none live. */
ht_status faults_board_open(const char *folder, faults_board **out_board, ht_error *error);
void faults_board_close(faults_board *board);

/* Returns the begin of a kernel's unit: ht_faulty(number), and ht_below(number, a, b) with its
 * three likes, which have a fault's number and the next. free(). */
char *faults_board_text(void);

#endif

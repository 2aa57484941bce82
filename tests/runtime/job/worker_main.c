/* The program of a job's workers in tests. */
#include "runtime/worker/worker_main.h"
#include "runtime/job/job.h"

int main(int argc, char **argv) {
    return ht_worker_main(argc, argv);
}

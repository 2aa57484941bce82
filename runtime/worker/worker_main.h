/* The program as a worker process. */
#ifndef HT_RUNTIME_WORKER_WORKER_MAIN_H
#define HT_RUNTIME_WORKER_WORKER_MAIN_H

/* Entry point of a worker process: the program calls this first thing in main when argv[1] is
 * "--worker"; serves requests on the inherited socket `fd` until it closes. Returns the exit code.
 */
int ht_worker_main(int argc, char **argv);

#endif

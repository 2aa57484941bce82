/* hiptemper: the program. A worker process is this program started again with --worker. */
#include "cli/command.h"
#include "cli/interrupt.h"
#include "runtime/job/job.h"
#include "runtime/worker/worker_main.h"

#include <string.h>

int main(int argc, char **argv) {
    ht_interrupt_leave(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    return ht_cli_main(argc, argv);
}

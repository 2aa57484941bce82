/* The bundle's program: hiptemper without the commands that analyse sources, and with gpu-check. */
#include "cli/command.h"
#include "cli/interrupt.h"
#include "runtime/job/job.h"
#include "runtime/worker/worker_main.h"

#include <string.h>

extern const ht_command ht_command_devices;
extern const ht_command ht_command_gpu_check;
extern const ht_command ht_command_inspect;
extern const ht_command ht_command_space;
extern const ht_command ht_command_tune;

const ht_command *const ht_commands[] = {
    &ht_command_gpu_check, &ht_command_tune,    &ht_command_inspect,
    &ht_command_space,     &ht_command_devices, NULL,
};

int main(int argc, char **argv) {
    ht_interrupt_leave(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    return ht_cli_main(argc, argv);
}

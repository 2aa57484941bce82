/* A new command is a file cmd_NAME.c that defines an ht_command, and two lines here. */
#include "cli/command.h"

extern const ht_command ht_command_apply;
extern const ht_command ht_command_capture;
extern const ht_command ht_command_check;
extern const ht_command ht_command_compare;
extern const ht_command ht_command_convert;
extern const ht_command ht_command_db;
extern const ht_command ht_command_devices;
extern const ht_command ht_command_doctor;
extern const ht_command ht_command_emulate;
extern const ht_command ht_command_evaluate;
extern const ht_command ht_command_export;
extern const ht_command ht_command_import;
extern const ht_command ht_command_inspect;
extern const ht_command ht_command_loop;
extern const ht_command ht_command_optimize;
extern const ht_command ht_command_predict;
extern const ht_command ht_command_profile;
extern const ht_command ht_command_refactor;
extern const ht_command ht_command_replay;
extern const ht_command ht_command_report;
extern const ht_command ht_command_run;
extern const ht_command ht_command_space;
extern const ht_command ht_command_train;
extern const ht_command ht_command_tune;

const ht_command *const ht_commands[] = {
    &ht_command_optimize,
    &ht_command_run,
    &ht_command_compare,
    &ht_command_report,
    &ht_command_export,
    &ht_command_db,
    &ht_command_refactor,
    &ht_command_apply,
    &ht_command_tune,
    &ht_command_inspect,
    &ht_command_space,
    &ht_command_check,
    &ht_command_emulate,
    &ht_command_capture,
    &ht_command_devices,
    &ht_command_doctor,
    &ht_command_replay,
    &ht_command_convert,
    &ht_command_import,
    &ht_command_train,
    &ht_command_evaluate,
    &ht_command_predict,
    &ht_command_profile,
    &ht_command_loop,
    NULL,
};

/* A device's limits, for tests that ask which configurations are legal. No device in particular. */
#ifndef HT_TESTS_REFACTOR_GPU_H
#define HT_TESTS_REFACTOR_GPU_H

#include "templates/annotations/device_fields.h"

static const ht_device_fields test_gpu = {.max_threads = 1024,
                                          .max_block_x = 1024,
                                          .max_block_y = 1024,
                                          .max_block_z = 1024,
                                          .max_grid_x = INT32_MAX,
                                          .max_grid_y = 65535,
                                          .max_grid_z = 65535,
                                          .max_static_lds = 65536,
                                          .max_dynamic_lds = 65536,
                                          .lds_per_unit = 65536,
                                          .wavefront = 64,
                                          .units = 8,
                                          .registers = 256};

#endif

/* The functions of HIP that are there. */
#include "runtime/emulate/api.h"

#include <criterion/criterion.h>

Test(emulate_thunks, functions_of_the_table_are_known_by_name_and_no_others) {
    cr_expect(ht_emulate_has("hipMalloc"));
    cr_expect(ht_emulate_has("__hipRegisterFatBinary"));
    cr_expect_not(ht_emulate_has("hipGraphCreate"));
    cr_expect_not(ht_emulate_has("hipMallo"));
}

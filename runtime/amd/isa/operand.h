/* Reading one operand of a printed instruction. */
#ifndef HT_RUNTIME_AMD_ISA_OPERAND_H
#define HT_RUNTIME_AMD_ISA_OPERAND_H

#include "runtime/amd/isa/program.h"

/* Never fails: what it does not know is HT_ISA_OTHER. `text` is changed while it is read. */
ht_isa_operand ht_isa_operand_parse(char *text);

#endif

#include "../ht_bfloat16.h"

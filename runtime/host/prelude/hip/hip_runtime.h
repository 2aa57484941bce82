#include "../ht_prelude.h"

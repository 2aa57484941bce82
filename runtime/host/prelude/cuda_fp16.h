#include "ht_half.h"

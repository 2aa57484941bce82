#include "low/f2.h"

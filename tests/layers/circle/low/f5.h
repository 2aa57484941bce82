#include "low/f6.h"

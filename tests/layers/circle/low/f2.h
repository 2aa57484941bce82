#include "low/f3.h"

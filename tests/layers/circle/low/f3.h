#include "low/f4.h"

#include "low/f1.h"

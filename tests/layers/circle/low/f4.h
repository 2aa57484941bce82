#include "low/f5.h"

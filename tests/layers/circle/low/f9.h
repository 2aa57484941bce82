#include "low/f0.h"

#include "low/f9.h"

#include "low/f7.h"

#include "low/f8.h"

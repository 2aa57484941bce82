#include "high/b.h"

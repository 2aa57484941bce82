#include "refactor/kernel/a.h"
/* Of its own: my_clang_name, aCXCursor, clang, CX */
bool b = kind == CXCursor_IfStmt;

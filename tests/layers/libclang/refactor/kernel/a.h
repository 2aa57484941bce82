CXCursor a(void);

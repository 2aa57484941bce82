const char *t = "it is told";

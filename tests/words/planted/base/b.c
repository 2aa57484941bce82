const char *t = "it is told";
const char *u = "a /* no comment, beside */"; /* x ? y : z */
int long_name_of_a_variable_that_takes_up_more_than_a_hundred_columns_of_a_line_with_its_comment; /* one */
int long_function(int a) {
#if 1
#endif
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    a = 0;
end:
    return a;
}
int short_function(void) {
    return 0;
}

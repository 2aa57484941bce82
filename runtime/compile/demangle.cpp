#include "runtime/compile/demangle.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

/* Returns the part after the last "::" that is outside of parentheses and angle brackets. */
static const char *last_part(const char *name) {
    const char *part = name;
    int depth = 0;
    for (const char *at = name; *at; ++at) {
        depth +=
            (*at == '(' || *at == '<' || *at == '{') - (*at == ')' || *at == '>' || *at == '}');
        if (depth == 0 && at[0] == ':' && at[1] == ':')
            part = at + 2;
    }
    return part;
}

/* Without _Z it is a name of C, which the demangler would take for a type: 's' for short. */
static char *demangle(const char *symbol) {
    int status = 0;
    bool mangled = symbol[0] == '_' && symbol[1] == 'Z';
    return mangled ? abi::__cxa_demangle(symbol, nullptr, nullptr, &status) : nullptr;
}

char *ht_demangle(const char *symbol) {
    char *full = demangle(symbol);
    return full ? full : strdup(symbol);
}

char *ht_demangle_variable(const char *symbol) {
    char *full = demangle(symbol);
    char *name = strdup(full ? last_part(full) : symbol);
    std::free(full);
    return name;
}

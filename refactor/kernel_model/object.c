#include "refactor/kernel_model/object.h"
#include "refactor/kernel_model/name.h"
#include "refactor/kernel_model/place.h"
#include "refactor/kernel_model/scan.h"
#include "refactor/kernel_model/value.h"

#include <stdlib.h>
#include <string.h>

bool ht_scan_is_local_object(const ht_scan *scan, const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    while (node->kind == HT_SYNTAX_MEMBER && !ht_scan_is_pointer(node)) {
        const ht_syntax *base = ht_syntax_strip_whole(node->children[0]);
        if (ht_scan_is_pointer(base))
            return false;
        node = base;
    }
    size_t named = ht_scan_variable(node);
    const ht_syntax_variable *variable = named == SIZE_MAX ? NULL : &scan->tree->variables[named];
    return variable && (variable->is_parameter || variable->space == HT_SPACE_PRIVATE) &&
           !variable->is_reference;
}

/* Records an access to an object, if it lies in memory that other threads see. */
static void touch_object(ht_scan *scan, const ht_syntax *object, bool read, bool write) {
    ht_km_target target;
    if (ht_scan_is_local_object(scan, object))
        return;
    if (ht_scan_target(scan, object, &target))
        ht_scan_record(scan, &target, read, write, false, object);
    else if (write)
        ht_scan_incomplete(scan, object, "what is written is not followed");
}

static bool assigns(const char *op) {
    static const char *const compares[] = {"==", "!=", "<=", ">="};
    size_t length = strlen(op);
    for (size_t i = 0; i < sizeof compares / sizeof *compares; ++i)
        if (strcmp(op, compares[i]) == 0)
            return false;
    return length && (op[length - 1] == '=' || strcmp(op, "++") == 0 || strcmp(op, "--") == 0);
}

/* Returns true if the user wrote the body of what is called. */
static bool is_of_user(const ht_scan *scan, const ht_syntax *call) {
    size_t function = call->call->function;
    return function != SIZE_MAX && scan->tree->functions[function].body;
}

/* Evaluates a = b, a += b and ++a of objects. Returns false for other calls. */
bool ht_scan_assigns_object(ht_scan *scan, const ht_syntax *call, const char *name) {
    if (strncmp(name, "operator", 8) != 0 || !assigns(name + 8) || call->op < 1)
        return false;
    for (size_t i = 1; i < (size_t)call->op; ++i)
        ht_scan_value(scan, call->children[i]);
    touch_object(scan, call->children[0], name[8] != '=' || name[9], true);
    if (is_of_user(scan, call))
        ht_scan_incomplete(scan, call, "an operator's body is not followed");
    return true;
}

/* Evaluates object.method(...) where the method is not walked. Returns false if the call is not
 * one. */
bool ht_scan_calls_method(ht_scan *scan, const ht_syntax *call) {
    const ht_syntax_call *of = call->call;
    if (!of->is_method || !of->has_object)
        return false;
    for (size_t i = 1; i < (size_t)call->op; ++i)
        ht_scan_value(scan, call->children[i]);
    bool constant = !(of->changes[0] & 1);
    touch_object(scan, call->children[0], true, !constant);
    if (is_of_user(scan, call) && !constant)
        ht_scan_incomplete(scan, call, "a method's body is not followed");
    return !constant || !is_of_user(scan, call);
}

void ht_scan_bound_arguments(ht_scan *scan, const ht_syntax *call) {
    for (size_t i = call->call->has_object; i < (size_t)call->op; ++i)
        if ((call->call->changes[i] & 5) == 1)
            touch_object(scan, call->children[i], true, true);
}

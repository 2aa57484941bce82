#include "runtime/compile/record.h"

#include "base/memory.h"

#include <string.h>

/* Numbers are those of ht_record_kind. In a twin `float` is a macro, and its literals are not. */
static const char helpers[] =
    "#ifdef __CUDACC_RTC__\n" /* NVRTC has no such builtin, and folds this */
    "#define hiptemper_offset(member, ...) \\\n"
    "    ((unsigned long long)((char *)&((__VA_ARGS__ *)0)->member - (char *)0))\n"
    "#else\n"
    "#define hiptemper_offset(member, ...) __builtin_offsetof(__VA_ARGS__, member)\n"
    "#endif\n"
    "namespace hiptemper_record {\n"
    "template <class A, class B> struct same { enum { value = 0 }; };\n"
    "template <class A> struct same<A, A> { enum { value = 1 }; };\n"
    "template <int I, class F> struct parameter;\n"
    "template <int I, class P, class... R> struct parameter<I, void (*)(P, R...)>\n"
    "    : parameter<I - 1, void (*)(R...)> {};\n"
    "template <class P, class... R> struct parameter<0, void (*)(P, R...)> { typedef P type; };\n"
    "template <class T> struct bare { typedef T type; };\n"
    "template <class T> struct bare<const T> { typedef T type; };\n"
    "template <class T> struct bare<T *__restrict__> { typedef T *type; };\n"
    "template <class T> struct bare<T *const __restrict__> { typedef T *type; };\n"
    "template <class T> struct pointee { typedef void type; };\n"
    "template <class T> struct pointee<T *> { typedef typename bare<T>::type type; };\n"
    "template <class T> struct element { typedef T type; };\n"
    "template <class T> struct element<T &> { typedef T type; };\n"
    "template <class T> struct number { enum { kind = __is_enum(T) ? 5 : 0 }; };\n"
    "template <class T> struct number<T *> {\n"
    "    enum { kind = 6 + 16 * (number<typename bare<T>::type>::kind & 15) };\n"
    "};\n"
    "template <class T> struct number<T &> { enum { kind = 7 }; };\n"
    "template <int K> struct of_array { enum { kind = 8 + 16 * ((K & 15) == 8 ? K >> 4 : K & 15) "
    "}; "
    "};\n"
    "template <class T, decltype(sizeof(0)) N> struct number<T[N]>\n"
    "    : of_array<number<typename bare<T>::type>::kind> {};\n"
    "template <> struct number<decltype(0.0f)> { enum { kind = 1 }; };\n"
    "template <> struct number<decltype(0.0)> { enum { kind = 2 }; };\n"
    "template <> struct number<bool> { enum { kind = 4 }; };\n"
    "template <> struct number<char> { enum { kind = 3 }; };\n"
    "template <> struct number<signed char> { enum { kind = 3 }; };\n"
    "template <> struct number<unsigned char> { enum { kind = 3 }; };\n"
    "template <> struct number<short> { enum { kind = 3 }; };\n"
    "template <> struct number<unsigned short> { enum { kind = 3 }; };\n"
    "template <> struct number<int> { enum { kind = 3 }; };\n"
    "template <> struct number<unsigned> { enum { kind = 3 }; };\n"
    "template <> struct number<long> { enum { kind = 3 }; };\n"
    "template <> struct number<unsigned long> { enum { kind = 3 }; };\n"
    "template <> struct number<long long> { enum { kind = 3 }; };\n"
    "template <> struct number<unsigned long long> { enum { kind = 3 }; };\n"
    "template <class T> struct kind { enum { value = number<typename bare<T>::type>::kind }; };\n"
    "}\n";

bool ht_record_wanted(const ht_template *template) {
    bool any = false;
    for (size_t i = 0; i < template->arg_count; ++i)
        any = any || template->args[i].is_struct;
    return any;
}

char *ht_record_expression(const ht_arg *structure) {
    return ht_format("&hiptemper_record_%s", structure->name);
}

static void write_place(const ht_template *template, const ht_arg *arg, ht_text *out) {
    if (arg->place.line && !strpbrk(template->file, "\"\\\n"))
        ht_text_printf(out, "\n#line %d \"%s\"\n", arg->place.line, template->file);
    else
        ht_text_printf(out, "\n#line 1 \"arg(%s : ...)\"\n", arg->name);
}

/* Each field has a line of its own, which an error shows. */
static void write_field(const ht_template *template, const ht_arg *structure, const ht_arg *field,
                        ht_text *out) {
    const char *type = structure->type, *path = strchr(field->name, '.') + 1;
    bool element = path[strlen(path) - 1] == ']';
    ht_text_append(out, ",");
    write_place(template, field, out);
    ht_text_printf(out,
                   "sizeof(((%s *)0)->%s), hiptemper_offset(%s, %s), "
                   "hiptemper_record::kind<%sdecltype(((%s *)0)->%s)%s>::value",
                   type, path, path, type, element ? "hiptemper_record::element<" : "", type, path,
                   element ? ">::type" : "");
}

/* To clang, a class with a constant member of a class type is not trivially copyable; but where its
 * copies are trivial, it can be made of bytes. */
static void write_structure(const ht_template *template, const ht_arg *structure, ht_text *out) {
    write_place(template, structure, out);
    ht_text_printf(out,
                   "__constant__ unsigned long long hiptemper_record_%s[] = {sizeof(%s), "
                   "__is_trivially_copyable(%s) || __is_trivially_constructible(%s, const %s &)",
                   structure->name, structure->type, structure->type, structure->type,
                   structure->type);
    for (size_t i = 0; i < template->arg_count; ++i)
        if (ht_arg_is_field_of(&template->args[i], structure))
            write_field(template, structure, &template->args[i], out);
    ht_text_append(out, "};\n");
}

/* Has the compiler compare a structure's type with that of the kernel's parameter. */
static void write_check(const ht_template *template, const ht_arg *arg, const char *kernel,
                        size_t index, ht_text *out) {
    if (!arg || !arg->is_struct)
        return;
    write_place(template, arg, out);
    ht_text_printf(
        out,
        "static_assert(hiptemper_record::same<%shiptemper_record::parameter<%zu, "
        "decltype(&%s)>::type%s, %s>::value, \"arg %s is declared struct %s, but the kernel's "
        "parameter %zu has another type\");\n",
        arg->is_pointed ? "hiptemper_record::pointee<" : "", index, kernel,
        arg->is_pointed ? ">::type" : "", arg->type, arg->name, arg->type, index + 1);
}

static void write_checks(const ht_template *template, const ht_launch *launch, const char *kernel,
                         ht_text *out) {
    size_t index = 0;
    for (size_t i = 0; i < launch->argument_count; ++i)
        write_check(template, ht_template_arg(template, launch->arguments[i]), kernel, i, out);
    for (size_t i = 0; !launch->has_arguments && i < template->arg_count; ++i)
        if (ht_arg_is_passed(&template->args[i]))
            write_check(template, &template->args[i], kernel, index++, out);
}

void ht_record_write(const ht_template *template, const ht_launch *launches, char *const *kernels,
                     size_t launch_count, ht_text *out) {
    ht_text_append(out, "\n#line 1 \"places of fields\"\n");
    ht_text_append(out, helpers);
    for (size_t i = 0; i < launch_count; ++i)
        write_checks(template, &launches[i], kernels[i], out);
    for (size_t i = 0; i < template->arg_count; ++i)
        if (template->args[i].is_struct)
            write_structure(template, &template->args[i], out);
}

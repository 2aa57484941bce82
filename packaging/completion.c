#include "packaging/completion.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char function[] =
    "_hiptemper() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command=${COMP_WORDS[1]} options= values= word\n"
    "    local IFS=$' \\t\\n'\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        COMPREPLY=($(compgen -W \"$_hiptemper_commands --help --version\" -- \"$current\"))\n"
    "        return\n"
    "    fi\n"
    "    # bash parts \"--name=value\" at the sign.\n"
    "    if [ \"$current\" = '=' ]; then\n"
    "        current=\n"
    "    elif [ \"$previous\" = '=' ]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    _hiptemper_options\n"
    "    for word in $options; do\n"
    "        case $word in\n"
    "            \"$previous\"=*) values=${word#*=} ;;\n"
    "        esac\n"
    "    done\n"
    "    case $values in\n"
    "        '') ;;\n"
    "        :file) compopt -o filenames 2>/dev/null\n"
    "            IFS=$'\\n' COMPREPLY=($(compgen -f -- \"$current\"))\n"
    "            return ;;\n"
    "        :folder) compopt -o filenames 2>/dev/null\n"
    "            IFS=$'\\n' COMPREPLY=($(compgen -d -- \"$current\"))\n"
    "            return ;;\n"
    "        :any) return ;;\n"
    "        *) COMPREPLY=($(compgen -W \"${values//|/ }\" -- \"$current\"))\n"
    "            return ;;\n"
    "    esac\n"
    "    case $current in\n"
    "        -*) for word in $options; do\n"
    "                values+=\" ${word%%=*}\"\n"
    "            done\n"
    "            COMPREPLY=($(compgen -W \"$values\" -- \"$current\")) ;;\n"
    "        *) compopt -o filenames 2>/dev/null\n"
    "            IFS=$'\\n' COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _hiptemper hiptemper\n";

/* Returns true for a list of words, "on|off|auto": lower case, with bars. */
static bool is_choice(const char *value) {
    for (const char *c = value; *c; ++c)
        if (!islower((unsigned char)*c) && *c != '|' && *c != '-')
            return false;
    return strchr(value, '|') != NULL;
}

/* Returns what stands for an option's value after its sign; NULL: it takes none. */
static const char *value_of(const ht_option *option) {
    const char *value = option->value;
    if (option->kind == HT_OPTION_FLAG || option->kind == HT_OPTION_JSON)
        return NULL; /* of --json only what is attached is surely its value */
    if (!value)
        return ":any";
    if (is_choice(value))
        return value;
    if (strstr(value, "DIR"))
        return ":folder";
    return strstr(value, "FILE") || strstr(value, ".json") || strstr(value, "MODEL") ? ":file"
                                                                                     : ":any";
}

void ht_completion_write(FILE *out) {
    fputs("# Completion of hiptemper's command line by bash; made from the tables of its options.\n"
          "_hiptemper_commands='",
          out);
    for (size_t i = 0; ht_commands[i]; ++i)
        fprintf(out, "%s%s", i ? " " : "", ht_commands[i]->name);
    fputs("'\n\n# Sets the options of $command: --name, with =WORDS, =:file, =:folder or =:any if "
          "it takes a value.\n_hiptemper_options() {\n    case $command in\n",
          out);
    for (size_t i = 0; ht_commands[i]; ++i) {
        fprintf(out, "        %s) options='", ht_commands[i]->name);
        for (const ht_option *option = ht_commands[i]->options; option->name; ++option) {
            const char *value = value_of(option);
            fprintf(out, "%s%s%s%s ", option->name[1] ? "--" : "-", option->name, value ? "=" : "",
                    value ? value : "");
        }
        fputs("--help' ;;\n", out);
    }
    fputs("    esac\n}\n\n", out);
    fputs(function, out);
}

#!/usr/bin/env bash
# Compares manual pages and bash's completion with what --help prints, which comes from the tables:
#
#     pages.sh HIPTEMPER PAGES
#
# Every command has a page and a name in the completion, and no other has; both have the command's
# options and no others; values that are a choice of words complete to these words. Where there is a
# mandoc, it has no warning. Prints what is wrong, exit code 1 when something is.
set -uo pipefail
program=$1 pages=$2
wrong=0 compared=0

complain() {
    echo "wrong: $*"
    wrong=$((wrong + 1))
}

# The completion is asked as bash asks it: with the words of a line.
# shellcheck source=/dev/null
source "$pages/hiptemper.bash" || exit 2
completed() { # WORDS...
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _hiptemper
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

same() { # WHAT EXPECTED GOT
    compared=$((compared + 1))
    [ "$2" = "$3" ] || complain "$1: --help has '$(tr '\n' ' ' <<<"$2")', not '$(tr '\n' ' ' <<<"$3")'"
}

commands=$("$program" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' | sort)
same "commands that complete" "$(printf '%s\n' "$commands" --help --version | sort)" "$(completed hiptemper '')"
# shellcheck disable=SC2086 # one word a command
same "pages" "$(printf 'hiptemper-%s.1\n' $commands | sort)" "$(cd "$pages" && printf '%s\n' hiptemper-*.1 | sort)"

for command in $commands; do
    help=$("$program" "$command" --help | awk '/^Options:/ { on = 1; next } /^[^ ]/ { on = 0 } on && /^  -/ {
        sub(/^  /, ""); sub(/   *.*/, ""); print }')
    options=$(sed -E 's/[[ =].*//' <<<"$help" | sort)
    same "$command completes" "$options" "$(completed hiptemper "$command" -)"
    # A page without its markup: the terms of its section OPTIONS.
    page=$(sed -E 's/\\f[BIR]//g; s/\\-/-/g' "$pages/hiptemper-$command.1" |
        awk '/^\.SH/ { on = $2 == "OPTIONS" } on && term { print } { term = $0 == ".TP" }')
    same "the page of $command" "$(sort <<<"$help")" "$(sort <<<"$page")"
    while read -r option value; do
        case $value in
        *[!a-z\|-]* | '') ;;
        *\|*) same "$command $option" "$(tr '|' '\n' <<<"$value" | sort)" "$(completed hiptemper "$command" "$option" '')" ;;
        esac
    done <<<"$help"
done
if command -v mandoc >/dev/null; then
    mandoc -Tlint -Wwarning "$pages"/*.1 || complain "mandoc warns of pages"
fi
echo "$compared compared, $wrong wrong"
[ "$wrong" -eq 0 ] && [ "$compared" -gt 40 ]

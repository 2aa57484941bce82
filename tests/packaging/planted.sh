#!/usr/bin/env bash
# pages.sh complains of a page that lacks an option, a completion that lacks one, one too many, and
# a choice without one of its words:
#
#     planted.sh HIPTEMPER PAGES
set -uo pipefail
program=$1 pages=$2
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

plant() { # FILE SED WORDS-OF-THE-COMPLAINT
    rm -rf "$folder/pages"
    cp -r "$pages" "$folder/pages"
    sed -i -E "$2" "$folder/pages/$1"
    cmp -s "$pages/$1" "$folder/pages/$1" && { echo "not planted: $2"; failed=1; }
    said=$(bash "$here/pages.sh" "$program" "$folder/pages") && { echo "not found: $2"; failed=1; }
    grep -q "^wrong: $3" <<<"$said" || { echo "found otherwise: $2: $said"; failed=1; }
}

plant hiptemper-tune.1 's/max\\-evals\\fR/max\\-evaluations\\fR/' 'the page of tune'
plant hiptemper.bash 's/--max-evals=:any //' '.* completes'
plant hiptemper.bash 's/(tune\) options=.)/\1--no-such /' 'tune completes'
plant hiptemper.bash 's/--sandbox=on\|off\|auto/--sandbox=on|off/' '.* --sandbox'
exit $failed

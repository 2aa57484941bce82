#!/usr/bin/env bash
# The checks of this folder find what was planted for them, and nothing else: planted.sh WORDS HERE.
set -uo pipefail
words=$1 here=$2
wrong=0
expect() { # NAME EXPECTED SAID
    if ! diff <(sort <<<"$2") <(sort <<<"$3"); then
        echo "$1: < was planted, > was found"
        wrong=1
    fi
}

said=$("$words" "$here/planted" "$here/planted/exceptions.txt") && wrong=1
expect words "an exception excuses nothing
base/a.h:1: beside
base/a.h:3: a question
base/a.h:6: What
base/a.h:6: is none
base/a.h:6: so many
base/b.c:2: beside
base/b.c:3: a line of more than 100 characters
base/b.c:4: a function of more than 62 lines
docs/c.md:3: What
docs/c.md:4: tells
docs/c.md:8: told
refactor/d.c:3: behind
search/e.c:1: a question" "$(sed '$d; s/^\([^ ]* [^:]*\):.*/\1/; s/^\(an exception excuses nothing\).*/\1/' <<<"$said")"

subjects="all: say what a length of zero means
No area here
nowhere: add a test
base/nowhere: add a test
base: Adds a test
base: added a test
base: adds a test
base: the test
base, docs: add a test.
base: add a test whose subject is so long that it does not fit in a line of a log"
said=$(bash "$here/commits.sh" "$here/../.." - <<<"$subjects") && wrong=1
expect commits "$(sed 1d <<<"$subjects")" "$(sed '$d; s/: [^:]*$//' <<<"$said" | sed "s/: no 'area$//")"

said=$(bash "$here/manual.sh" "$here/planted_manual" ./hiptemper) && wrong=1
expect manual "< sift
> sieve
wrong: README.md does not name sieve
wrong: docs/README.md has no link to results/lost.md
wrong: docs/README.md has no link to sieve.md
wrong: docs/cli.md and ./hiptemper --help list different commands
wrong: docs/cli.md does not name HIPTEMPER_UNHEARD
wrong: docs/mill.md: \`--coarse N|all\` lacks its default, 8
wrong: docs/mill.md: \`--extra\` is no option of the command
wrong: docs/mill.md: has no row for \`--fine\`
wrong: docs/mill.md: lacks the usage line:    hiptemper mill [OPTION]... FILE
wrong: docs/mill.md:14: docs/gone.md is not there
wrong: docs/mill.md:14: docs/sieve.md has no heading #nowhere" "$(sed '$d' <<<"$said")"
exit $wrong

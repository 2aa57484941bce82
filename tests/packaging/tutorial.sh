#!/usr/bin/env bash
# docs/tutorial.md shows what the program prints and writes: its kernel is taken out of the page, and the
# remarks, the sizes and the patch that the page shows are looked for in what the page's commands give.
# Times and a search's course, which differ from run to run, are not looked at.
#
#     tutorial.sh HIPTEMPER PAGE
set -uo pipefail
program=$(readlink -f "$1") page=$(readlink -f "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder
cd "$folder" || exit 1
failed=0
wrong() {
    echo "wrong: $page: $*"
    failed=1
}

# The lines that the page shows after a command, to the next empty line.
shown() { # COMMAND
    awk -v command="    \$ $1" 'found && $0 == "" { exit } found { print substr($0, 5) } index($0, command) == 1 { found = 1 }' "$page"
}

# Each line on standard input but "..." is one of the file's.
expect_in() { # FILE WHAT
    local lines=0 line
    while IFS= read -r line; do
        [ "$line" = "..." ] && continue
        lines=$((lines + 1))
        grep -qxF -e "$line" "$1" || wrong "$2 has no line: $line"
    done
    [ "$lines" -gt 0 ] || wrong "it shows no $2"
}

awk '/^```cpp/ { if (++blocks == 1) next } /^```/ { if (blocks) exit } blocks' "$page" >blur.hip
"$program" refactor blur.hip --explain --no-verify >printed 2>&1 || wrong "refactor: $(tail -n 1 printed)"
expect_in printed 'remarks of refactor' < <(shown 'hiptemper refactor blur.hip --explain' | grep '^blur.hip:')
expect_in hiptemper-out/blur.blur.template.problem.json 'problem file' < <(shown 'cat hiptemper-out/blur.blur.template.problem.json')

sed -i 's/"inferred",/"vga",/; s/"width": 256/"width": 640/; s/"height": 256/"height": 480/' hiptemper-out/blur.blur.template.problem.json
mv hiptemper-out/blur.blur.template.problem.json blur.problem.json
config=$(sed -n 's/^      config *//p' "$page" | head -n 1)
[ -n "$config" ] || wrong 'it shows no configuration that won'
"$program" apply "$config" blur.hip --no-comment >printed 2>&1 || wrong "apply: $(tail -n 1 printed)"
grep -Eq ' at [0-9]+ sizes: equal to the bit' printed || wrong "apply does not say that it verified: $(cat printed)"
expect_in hiptemper-out/blur.hip.patch patch < <(shown 'cat hiptemper-out/blur.hip.patch' | grep -v '^+// ')
patch -p1 --dry-run <hiptemper-out/blur.hip.patch >printed 2>&1 || wrong "the patch: $(cat printed)"

# "Next" says why a tuned source is not tuned again.
mkdir again && cp hiptemper-out/blur.hip blur.problem.json again/
"$program" refactor again/blur.hip --no-verify --out again >printed 2>&1 || wrong "refactor of the tuned source: $(tail -n 1 printed)"
if grep -Eq 'coarsen-x|lds-stage' printed; then
    wrong 'refactor finds coarsen-x or lds-stage in the tuned source again'
fi
exit $failed

#!/usr/bin/env bash
# Holds the manual against the program and against itself:
#
#     manual.sh ROOT HIPTEMPER
#
# Every command of --help has a row and a page in docs/cli.md, and no other has; README.md names it.
# The page has the usage of `COMMAND --help`, and its section "Options" the same options, with the
# same arguments and defaults. docs/cli.md names every variable HIPTEMPER_... that the sources read.
# docs/README.md links every page. Links lead to files and headings that are there. README.md has
# fewer than 100 lines. Prints what is wrong, exit code 1 when something is.
set -uo pipefail
root=$1 program=$2
cd "$root" || exit 2

# Compares a command's --help, on standard input, with its page.
page_check() { # PAGE
    awk -v page="$1" '
        function wrong(text) { print "wrong: " page ": " text }
        function flush() {
            if (spec == "") return
            order[++count] = spec
            if (match(text, /\(default: [^)]*\)/)) value[spec] = substr(text, RSTART + 10, RLENGTH - 11)
            spec = ""
        }
        FILENAME == "-" {
            if (/^Usage: /) usage = "    " substr($0, 8)
            if (on && /^[^ ]/) { on = 0; flush() }
            if (/^Options:/) { on = 1; next }
            if (!on) next
            if (!/^  -/) { sub(/^ +/, ""); text = text " " $0; next }
            flush()
            spec = substr($0, 3); text = ""
            if (match(spec, /  +/)) { text = substr(spec, RSTART + RLENGTH); spec = substr(spec, 1, RSTART - 1) }
            next
        }
        $0 == usage { used = 1 }
        /^## / { section = $0 }
        section == "## Options" && /^\| `-/ {
            row = $0; gsub(/\\\|/, "|", row)
            name = substr(row, 4); name = substr(name, 1, index(name, "`") - 1)
            rows[name] = row
        }
        END {
            flush()
            if (!used) wrong("lacks the usage line:" usage)
            for (i = 1; i <= count; ++i) {
                name = order[i]; default_value = value[name]; row = rows[name]
                if (row == "") wrong("has no row for `" name "`")
                else if (default_value != "" && !index(row, "`" default_value "`") &&
                         !index(row, "Default: " default_value)) wrong("`" name "` lacks its default, " default_value)
                known[name] = 1
            }
            for (name in rows) if (!known[name]) wrong("`" name "` is no option of the command")
            print count " options"
        }' - "$1"
}

commands_check() {
    local commands listed command page
    commands=$("$program" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
    listed=$(awk -F'|' '/^\| `.*\.md\) \|$/ {
        split($2, words, /[` ]+/); page = $0; sub(/.*\]\(/, "", page); sub(/\).*/, "", page)
        print words[2], page }' docs/cli.md)
    diff <(sort <<<"$commands") <(cut -d' ' -f1 <<<"$listed" | sort) ||
        echo "wrong: docs/cli.md and $program --help list different commands"
    while read -r command page; do
        grep -q "\`${command}[\` ]" README.md || echo "wrong: README.md does not name $command"
        "$program" "$command" --help | page_check "docs/$page"
    done <<<"$listed"
}

# Links of all pages, their targets against the files and headings that there are.
links_check() {
    # shellcheck disable=SC2016 # awk expands its own variables
    find . -name '.?*' -prune -o -name build -prune -o -path './tests/words/planted*' -prune -o -name '*.md' -print | sed 's|^\./||' | sort |
        xargs awk '
        FNR == 1 { fence = 0 }
        /^ *```/ { fence = !fence }
        !fence && /^#+ / {
            text = tolower($0); sub(/^#+ /, "", text)
            gsub(/\[|\]\([^)]*\)/, "", text)
            gsub(/[^a-z0-9 _-]/, "", text); gsub(/ /, "-", text)
            headings[FILENAME "#" text] = 1
        }
        !fence && !/^    / {
            rest = $0; gsub(/`[^`]*`/, "", rest)
            while (match(rest, /\]\([^) ]*\)/)) {
                path = substr(rest, RSTART + 2, RLENGTH - 3); rest = substr(rest, RSTART + RLENGTH)
                if (path ~ /^[a-z]+:/) continue
                folder = FILENAME; if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
                anchor = ""
                if (match(path, /#/)) { anchor = substr(path, RSTART); path = substr(path, 1, RSTART - 1) }
                path = path == "" ? FILENAME : folder "/" path
                while (sub(/(^|\/)[^\/.][^\/]*\/\.\.\//, "/", path)) sub(/^\//, "", path)
                sub(/^\.\//, "", path); sub(/^\//, "", path)
                place[++count] = FILENAME ":" FNR; target[count] = path; at[count] = anchor
            }
        }
        END {
            for (i = 1; i <= count; ++i) {
                path = target[i]
                if (!(path in there)) there[path] = system("test -e \"" path "\"") == 0
                if (!there[path]) print "wrong: " place[i] ": " path " is not there"
                else if (at[i] != "" && !((path at[i]) in headings))
                    print "wrong: " place[i] ": " path " has no heading " at[i]
            }
            print count " links"
        }'
}

index_check() {
    local page name lines
    for page in docs/*.md docs/results/*.md; do
        name=${page#docs/}
        [ "$name" = README.md ] || grep -qF -e "]($name)" -e "]($name#" docs/README.md ||
            echo "wrong: docs/README.md has no link to $name"
    done
    lines=$(wc -l <README.md)
    [ "$lines" -lt 100 ] || echo "wrong: README.md has $lines lines, 100 or more"
}

# Variables of the environment that the sources read.
variables_check() {
    local name
    grep -rohE --include='*.c' --exclude-dir=tests --exclude-dir=build \
        'getenv\("HIPTEMPER_[A-Z_]+"\)' . | grep -oE 'HIPTEMPER_[A-Z_]+' | sort -u |
        while read -r name; do
            grep -qF "\`$name\`" docs/cli.md || echo "wrong: docs/cli.md does not name $name"
        done
}

said=$(
    commands_check
    variables_check
    index_check
    links_check
)
grep '^[<>]\|^wrong: ' <<<"$said"
awk '/ options$/ { options += $1 } / links$/ { links += $1 } /^wrong: / { ++wrong }
    END {
        printf "%d options, %d links, %d wrong\n", options, links, wrong
        exit wrong > 0 || options == 0 || links == 0
    }' <<<"$said"

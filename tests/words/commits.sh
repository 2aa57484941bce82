#!/usr/bin/env bash
# The subjects of commits: `area: imperative`, at most 72 characters.
#
#     commits.sh ROOT BASE    those after BASE, a commit
#     commits.sh ROOT -       those on standard input, a line each
#
# An area is a folder of the tree (its name or path), a command, a transformation, "all" or "ci";
# several are separated by commas. Prints each wrong one, exit code 1 when there is one. Exit code
# 77, with the reason: there is no history to look at (an unpacked release, a shallow clone).
set -uo pipefail
cd "$1" || exit 2
base=$2

if [ "$base" = - ]; then
    subjects=$(cat)
elif ! command -v git >/dev/null || ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "skipped: no git history here"
    exit 77
elif ! git cat-file -e "$base^{commit}" 2>/dev/null; then
    echo "skipped: the history here does not reach back to $base"
    exit 77
else
    subjects=$(git log --no-merges --format=%s "$base..HEAD")
fi

areas=$(
    {
        echo all
        echo ci
        find . -name '.?*' -prune -o -name build -prune -o -type d -printf '%f\n%P\n'
        find cli/commands -name 'cmd_*.c' | sed 's|.*/cmd_||; s|\.c$||'
        grep -rhoE '^ *\.name = "[a-z-]+"' refactor/transformations | sed 's/.*"\(.*\)"/\1/'
    } | sort -u
)

# Words that end like a past tense, a participle or a third person and are not.
imperatives='need|embed|feed|speed|seed|exceed|proceed|succeed|shed|bring|string|ring|focus|bias|alias'
wrong=0
while IFS= read -r subject; do
    [ -n "$subject" ] || continue
    why=
    area=${subject%%: *} words=${subject#*: }
    first=${words%% *}
    if [ "$area" = "$subject" ]; then
        why="no 'area: ' in front"
    elif [ ${#subject} -gt 72 ]; then
        why="${#subject} characters, at most 72"
    elif [[ $words == *. ]]; then
        why="a full stop at the end"
    elif [[ ! $first =~ ^[a-z] ]]; then
        why="'$first' begins with a capital or a mark"
    elif [[ $first =~ ^(the|a|an|one|some|no|all|its|this|that|these|those|more|less|fewer|new)$ ]]; then
        why="'$first' is no verb"
    elif [[ $first =~ (ed|ing|[^s]s)$ && ! $first =~ ^($imperatives)$ ]]; then
        why="'$first' is not an imperative"
    else
        while IFS= read -r one; do
            grep -qxF -- "$one" <<<"$areas" || why="'$one' is no folder, command or transformation"
        done <<<"${area//, /$'\n'}"
    fi
    if [ -n "$why" ]; then
        printf '%s: %s\n' "$subject" "$why"
        wrong=$((wrong + 1))
    fi
done <<<"$subjects"
printf '%d subjects, %d wrong\n' "$(grep -c . <<<"$subjects")" "$wrong"
[ "$wrong" -eq 0 ]

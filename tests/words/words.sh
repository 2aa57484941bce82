#!/usr/bin/env bash
# Words that CONTRIBUTING.md retires, in headers' comments and in messages:
#
#     words.sh ROOT [EXCEPTIONS]
#
# Prints each place, exit code 1 when there is one. A line of EXCEPTIONS is a file, a colon, and a
# part of the line that is meant; one that excuses nothing is wrong too, so that the list shrinks.
set -uo pipefail
root=$1
exceptions=${2:-/dev/null}
cd "$root" || exit 2

headers() {
    find base templates search predictor refactor runtime pipeline cli -name '*.h' \
        -not -path '*/prelude/*' 2>/dev/null
}
sources() {
    find base templates search predictor refactor runtime pipeline cli -name '*.c' \
        -not -path '*/prelude/*' 2>/dev/null
}

found=$(
    {
        headers | sort | xargs -r grep -nHwE 'behind|beside'
        headers | sort | xargs -r grep -nHE '^ *(/\*| \*).*\? *(\*/)?$'
        sources | sort | xargs -r grep -nHE '"[^"]*\b(behind|beside|told|so many)\b[^"]*"'
    } | sort -u
)
wrong=0
while IFS= read -r place; do
    [ -n "$place" ] || continue
    excused=no
    while IFS= read -r line; do
        file=${line%%:*} part=${line#*:}
        if [[ $line == *:* && ${place%%:*} == "$file" && $place == *"$part"* ]]; then
            excused=yes
        fi
    done < <(grep -v '^#' "$exceptions")
    if [ $excused = no ]; then
        printf '%s\n' "$place"
        wrong=$((wrong + 1))
    fi
done <<<"$found"
while IFS= read -r line; do
    file=${line%%:*} part=${line#*:}
    [[ $line == *:* ]] || continue
    if ! grep -qF -- "$part" <(grep -F "$file:" <<<"$found"); then
        printf '%s: excuses nothing: %s\n' "$exceptions" "$line"
        wrong=$((wrong + 1))
    fi
done < <(grep -v '^#' "$exceptions")
printf '%d wrong\n' "$wrong"
[ "$wrong" -eq 0 ]

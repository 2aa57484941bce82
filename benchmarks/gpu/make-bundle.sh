#!/bin/bash
# make-bundle.sh SOURCES HIPTEMPER PROGRAM FOLDER: the folder that benchmarks/gpu/check runs from.
# HIPTEMPER makes the templates; PROGRAM, without libclang, goes into the bundle.
set -euo pipefail
sources=$1 hiptemper=$2 program=$3 folder=$4
limit_mb=60

rm -rf "$folder"
mkdir -p "$folder"/{bin,lib,templates,problems,licences}
install -m 755 "$sources/benchmarks/gpu/check" "$folder/check"
install -m 755 "$program" "$folder/bin/hiptemper"
strip --strip-unneeded "$folder/bin/hiptemper"
cp "$sources/LICENSE" "$folder/licences/hiptemper"
cp "$sources/docs/gpu-check.md" "$folder/README.md"

"$sources/benchmarks/gpu/copy-libraries.sh" "$program" "$folder"

"$hiptemper" refactor "$sources/examples/kernels" --out "$folder/templates" >"$folder/templates/refactor.txt"
cp "$sources"/templates/library/*.hip "$folder/templates/"
cp "$sources"/problems/*.json "$sources"/examples/kernels/*.problem.json "$folder/problems/"

# The plan: correctness on small problems, then the demo set at full size.
{
    echo '{"format": "hiptemper-gpu-plan", "version": 1, "runs": ['
    separator=''
    line() { # part name template problem max_evals
        printf '%s  {"name": "%s/%s", "part": "%s", "template": "templates/%s", "problem": "problems/%s", "max_evals": %d}' \
            "$separator" "$1" "$2" "$1" "$3" "$4" "$5"
        separator=$',\n'
    }
    for template in "$sources"/templates/library/*.hip; do
        name=$(basename "$template" .hip)
        line check "library-$name" "$name.hip" demo.json 12
    done
    for template in "$folder"/templates/*.template.hip; do
        name=$(basename "$template" .template.hip)
        line check "$name" "$name.template.hip" "${name%%.*}.problem.json" 12
    done
    for template in "$folder"/templates/*.template.hip; do
        name=$(basename "$template" .template.hip)
        line tune "$name" "$name.template.hip" "${name%%.*}.full.problem.json" 60
    done
    for template in "$sources"/templates/library/*.hip; do
        name=$(basename "$template" .hip)
        line tune "library-$name" "$name.hip" demo.json 60
    done
    printf '\n]}\n'
} >"$folder/plan.json"

size=$(du -sm --apparent-size "$folder" | cut -f1)
glibc=$(objdump -T "$folder/bin/hiptemper" "$folder"/lib/* | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
echo "$folder: $size MB; needs the C library of ${glibc/_/ } or later"
[ "$size" -lt "$limit_mb" ] || { echo "make-bundle.sh: $size MB, $limit_mb are the limit" >&2; exit 1; }

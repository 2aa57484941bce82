#!/bin/bash
# bundle_libraries.sh SCRIPT PROGRAM: a bundle for a GPU machine has every library that the program loads, at its start
# or later, and what these need, but for the C library's.
set -euo pipefail
script=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{lib,licences}
"$script" "$program" "$folder"

missing=0
{
    echo libopenblas.so.0 # base/blas.c
    readelf -d "$program" "$folder"/lib/* | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
} | sort -u >"$folder/needed"
while read -r name; do
    case "$name" in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux*) continue ;;
    esac
    [ -f "$folder/lib/$name" ] || { echo "the bundle lacks $name"; missing=1; }
done <"$folder/needed"
exit "$missing"

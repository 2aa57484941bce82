#!/bin/bash
# copy-libraries.sh PROGRAM FOLDER: copies what the program needs to FOLDER/lib, licences to FOLDER/licences. Every
# library but the C library, which must be the machine's own: its driver needs it. OpenBLAS is loaded when it is first
# asked for, so that ldd does not name it.
set -euo pipefail
program=$1 folder=$2

# Reads the list to its end: ldconfig fails if its reader ends before, and so then does the pipe.
blas=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | awk '$1 == "libopenblas.so.0" && !found++ { print $NF }')
[ -n "$blas" ] || { echo "copy-libraries.sh: there is no libopenblas.so.0: install libopenblas0-pthread" >&2; exit 1; }
{
    ldd "$program" "$blas" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }'
    echo "libopenblas.so.0 $blas"
} | sort -u | while read -r name path; do
    case "$name" in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux*) continue ;;
    esac
    install -m 644 "$(readlink -f "$path")" "$folder/lib/$name"
    strip --strip-unneeded "$folder/lib/$name" 2>/dev/null || true
    package=$(dpkg-query -S "$(readlink -f "$path")" 2>/dev/null | head -n 1 | cut -d: -f1 || true)
    [ -z "$package" ] || cp -L "/usr/share/doc/$package/copyright" "$folder/licences/$package" 2>/dev/null || true
done

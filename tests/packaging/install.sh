#!/usr/bin/env bash
# Installs the build, moves the installation elsewhere and uses it from another folder:
#
#     install.sh SOURCE BUILD
#
# No installed file names a path of the source or of the build. The program finds its models, its
# preludes and schemas without them. The program of the examples, at most 40 lines, is built by
# pkg-config and by find_package, and tunes a kernel. Options in the examples are the program's.
set -euo pipefail
source=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset HIPTEMPER_MODELS HIPTEMPER_WORKER
export HIPTEMPER_DB=$folder/tuning.sqlite

fail() {
    echo "wrong: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$folder/made/usr" --strip >"$folder/log" || { cat "$folder/log"; exit 1; }
mkdir "$folder/elsewhere" "$folder/cwd"
mv "$folder/made/usr" "$folder/elsewhere/usr"
usr=$folder/elsewhere/usr
libdir=$(dirname "$(find "$usr" -name libhiptemper.so)")
cd "$folder/cwd"

# ---- nothing of the source tree, and all pages
left=$(grep -rlaF -e "$source" -e "$build" -e "$folder/made" "$usr" || true)
[ -z "$left" ] || fail "these name a path of the source or the build: $left"
for command in $("$usr/bin/hiptemper" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
    gzip -t "$usr/share/man/man1/hiptemper-$command.1.gz" || fail "$command has no manual page"
done
[ -s "$usr/share/bash-completion/completions/hiptemper" ] || fail "bash's completion is missing"

# ---- models and templates
sizes='N=1 C=8 H=14 W=14 K=8 R=3 S=3 pad=1'
template=$usr/share/hiptemper/templates/conv2d_direct.hip
# The program says which folder it looked in when that has no model for a kernel.
"$usr/bin/hiptemper" predict builtin --kernel nothing 2>said && fail "there is a model for 'nothing'"
grep -qF "$usr/share/hiptemper/models: " said || fail "models are looked for elsewhere: $(cat said)"
device='device_max_threads=1024 device_wavefront=64 device_registers=256 device_max_dynamic_lds=65536'
"$usr/bin/hiptemper" predict builtin --kernel conv2d_direct --problem "N=1 C=8 H=14 W=14 K=8 R=3 S=3 $device" >said ||
    fail "no model: $(cat said)"
"$usr/bin/hiptemper" space "$template" --problem "$sizes" >said || fail "no template: $(cat said)"
"$usr/bin/hiptemper" space "$template" --problem "$usr/share/hiptemper/problems/demo.json" >said ||
    fail "no problems: $(cat said)"

# ---- the program of the examples
examples=$usr/share/doc/hiptemper/examples
[ "$(wc -l <"$examples/tune.c")" -le 40 ] || fail "tune.c has more than 40 lines"
export PKG_CONFIG_PATH=$libdir/pkgconfig
# shellcheck disable=SC2046 # several words
"${CC:-cc}" -std=c17 -Wall -Wextra -Werror "$examples/tune.c" -o by_pkg_config $(pkg-config --cflags --libs hiptemper)
LD_LIBRARY_PATH=$libdir ./by_pkg_config "$examples/saxpy.hip" n=65536 max-evals=3 final-time=0.1 check=none >said
grep -qE '^(improved|kept|unclear): ' said || fail "it was not tuned: $(cat said)"
grep -q ' ms, was ' said || fail "it was not timed: $(cat said)"
if LD_LIBRARY_PATH=$libdir ./by_pkg_config "$examples/saxpy.hip" m=1 2>said; then
    fail "a problem without its field was tuned"
fi
grep -q "unknown problem field 'm'" said || fail "the wrong reason: $(cat said)"

# ---- by find_package, in C++ as well
cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C)
find_package(hiptemper 0.1 REQUIRED)
add_executable(by_find_package $examples/tune.c)
target_link_libraries(by_find_package PRIVATE hiptemper::hiptemper)
EOF
{ cmake -S . -B b -DCMAKE_PREFIX_PATH="$usr" && cmake --build b; } >log 2>&1 || fail "find_package: $(cat log)"
b/by_find_package "$examples/nothing.hip" n=1 2>said && fail "a file that is not there was tuned"
grep -q nothing.hip said || fail "the program of find_package does not work: $(cat said)"
echo '#include <hiptemper/hiptemper.h>
int main() { return ht_tuner_version() == nullptr || ht_status_exit_code(HT_OK) != 0; }' >user.cpp
# shellcheck disable=SC2046
"${CXX:-c++}" -Wall -Wextra -Werror user.cpp -o in_cpp $(pkg-config --cflags --libs hiptemper)
LD_LIBRARY_PATH=$libdir ./in_cpp || fail "the program in C++ does not work"

# ---- a library without its program
mkdir -p alone/lib
cp "$libdir/libhiptemper.so.0" alone/lib/
LD_LIBRARY_PATH=alone/lib ./by_pkg_config "$examples/saxpy.hip" n=64 >said 2>&1 || true
grep -q 'the program hiptemper' said || fail "a library alone does not say what it lacks: $(cat said)"

# ---- options in the examples
grep -hoE '^[^#]*hiptemper [a-z]+ .*' "$examples"/hiptemper.* "$examples"/*.yml | while read -r line; do
    words=${line##*hiptemper }
    command=${words%% *}
    help=$("$usr/bin/hiptemper" "$command" --help)
    while read -r option; do
        [ -z "$option" ] || grep -qE -- "^  $option([ =[]|\$)" <<<"$help" ||
            fail "an example gives $command the option $option"
    done <<<"$(grep -oE -- ' --[a-z-]+' <<<"$words")"
done
if command -v systemd-analyze >/dev/null; then
    sed "s|/usr/bin/hiptemper|$usr/bin/hiptemper|" "$examples/hiptemper.service" >hiptemper.service
    cp "$examples/hiptemper.timer" .
    systemd-analyze verify --man=no ./hiptemper.timer ./hiptemper.service >said 2>&1 || fail "systemd: $(cat said)"
    # It looks at units of the machine too, and complains of those.
    if grep -F -e hiptemper said; then fail "systemd complains of the units"; fi
else
    echo "not checked: the systemd units (there is no systemd-analyze)"
fi
echo "installed, moved and used"

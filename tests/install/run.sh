#!/usr/bin/env bash
# tests/install/run.sh: installs a finished build into an empty prefix and builds a program against
# it, through the CMake package and through pkg-config; both must run and print the version.
set -euo pipefail

if (($# != 3)); then
  echo "usage: tests/install/run.sh <build folder> <version> <c++ compiler>" >&2
  exit 2
fi
build=$1 version=$2 compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

expect_version() {
  local printed
  printed=$("$@") || { echo "$1 failed" >&2 && exit 1; }
  [[ $printed == *"$version"* ]] || { echo "$1 printed '$printed', not $version" >&2 && exit 1; }
}

cmake --install "$build" --prefix "$prefix" >/dev/null
if [[ -e $build/godwit ]]; then expect_version "$prefix/bin/godwit" --version; fi

# Moved after installing: nothing in it may remember where it was.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved

cmake -S "$here" -B "$scratch/cmake" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/cmake"
expect_version "$scratch/cmake/external_program"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags < <(pkg-config --cflags --libs godwit)
"$compiler" -std=c++20 -Wall -Wextra -Werror "$here/main.cc" "${flags[@]}" -o "$scratch/by_hand"
expect_version "$scratch/by_hand"

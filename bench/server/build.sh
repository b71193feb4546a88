#!/usr/bin/env bash
# Builds the bench server with rustc alone and prints the path of its binary. Nothing happens when it is up to date.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
cache="$here/../../.cache/bench"
binary="$cache/server"

mkdir -p "$cache"
if [ ! "$binary" -nt "$here/main.rs" ]; then
  rustc --edition 2021 -C opt-level=3 -C panic=abort -o "$binary" "$here/main.rs"
fi
echo "$(cd "$cache" && pwd)/server"

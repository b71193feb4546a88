#!/usr/bin/env bash
# Installs the routers that people run in front of vLLM and SGLang into DIR, and nginx as Debian packs it.
#   setup.sh DIR
# Needs Python 3.10 or later (PYTHON=… names one), and Debian or an installed nginx; no GPU, no root. A second call with the same
# versions returns at once. What cannot be installed is an error.
set -euo pipefail

SGLANG_ROUTER='sglang-router==0.3.2'
VLLM_ROUTER='vllm-router==0.1.17'
SMG='smg==1.13.0'
# LiteLLM's metrics page needs the second.
LITELLM=('litellm[proxy]==1.108.7' prometheus-client==0.25.0)

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

[ $# -eq 1 ] && [ -n "$1" ] || fail 'usage: setup.sh DIR'

mkdir -p "$1" || fail "cannot create $1"
DIR=$(cd "$1" && pwd)
STAMP=$DIR/stamp
LOG=$DIR/setup.log
WANTED="$SGLANG_ROUTER; $VLLM_ROUTER; $SMG; ${LITELLM[*]}; nginx"

# Debian's package unpacked into DIR, so that nothing of the system changes; an installed one is taken as it is.
nginx_here() { PATH=$DIR/nginx/usr/sbin:$PATH:/usr/sbin command -v nginx >/dev/null; }

alive() {
  local venv
  for venv in sglang-router vllm-router smg litellm; do
    "$DIR/$venv/bin/python" -c '' 2>/dev/null || return 1
  done
}
# The interpreters are asked too: a venv dies with the Python it was made from.
if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$WANTED" ] && nginx_here && alive; then
  exit 0
fi
[ -f "$LOG" ] || [ -z "$(ls -A "$DIR")" ] || fail "$DIR has files that are not this script's: name an empty or a new folder"

PYTHON=${PYTHON:-python3}
command -v "$PYTHON" >/dev/null || fail "no $PYTHON here: Python 3.10 or later is needed (PYTHON=… names another)"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  fail "$PYTHON is $("$PYTHON" -c 'import platform; print(platform.python_version())'): Python 3.10 or later is needed (PYTHON=… names another)"

: >"$LOG" || fail "cannot write $LOG"
# run WHAT COMMAND…: the command's output goes to the log; a failure is one line, the command's own last complaint.
run() {
  local what=$1
  shift
  "$@" >>"$LOG" 2>&1 || fail "$what failed: $(tail -n 1 "$LOG") (all of it: $LOG)"
}

rm -rf "$STAMP" "$DIR/sglang-router" "$DIR/vllm-router" "$DIR/smg" "$DIR/litellm" "$DIR/nginx"
# One environment each: sglang-router and smg both bring a command named smg, and LiteLLM pins a hundred libraries.
install() {
  local venv=$1
  shift
  run 'making a virtual environment' "$PYTHON" -m venv "$DIR/$venv"
  run "installing $*" "$DIR/$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-compile "$@"
}
install sglang-router "$SGLANG_ROUTER"
install vllm-router "$VLLM_ROUTER"
install smg "$SMG"
install litellm "${LITELLM[@]}"

if ! nginx_here; then
  command -v apt-get >/dev/null || fail 'no nginx here, and no apt-get to fetch it with: install nginx'
  mkdir "$DIR/nginx"
  [ "$(id -u)" != 0 ] || run 'reading the package lists' apt-get update
  run 'fetching nginx' sh -c "cd '$DIR/nginx' && apt-get download nginx"
  run 'unpacking nginx' sh -c "dpkg-deb -x '$DIR'/nginx/nginx_*.deb '$DIR/nginx'"
fi

for router in sglang-router vllm-router smg; do
  run "starting $router once" "$DIR/$router/bin/$router" --help
done
run 'starting litellm once' "$DIR/litellm/bin/litellm" --version
run 'starting nginx once' env PATH="$DIR/nginx/usr/sbin:$PATH:/usr/sbin" nginx -e stderr -v
echo "$WANTED" >"$STAMP"
echo "sglang-router, vllm-router, SMG, LiteLLM and nginx are ready in $DIR"

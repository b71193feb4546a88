#!/usr/bin/env bash
# Runs a Dynamo cluster of mock workers in the foreground until Ctrl-C.
#   serve.sh DIR MODE PORT [frontend flags…]
# DIR: what setup.sh installed. MODE: kv, round-robin, random, least-loaded, power-of-two; kv-approx, where the router
# guesses the caches from its own decisions; disaggregated, where WORKERS prefill for DECODE_WORKERS (2) others, kv routed.
# WORKERS (6; 2 when disaggregated), BLOCKS (600 per worker, of 16 tokens) and SEQS (16 at a time per worker) change the
# cluster, MOCKER_ARGS adds flags of the mock workers, SYSTEM_PORT gives the workers' own metrics page a port (the decode
# workers' the next one), DYN_LOG=info shows every request.
set -euo pipefail

[ $# -ge 3 ] || {
  echo 'usage: serve.sh DIR MODE PORT [frontend flags…]' >&2
  exit 2
}
DIR=$1 MODE=$2 PORT=$3
shift 3
PYTHON=$DIR/venv/bin/python
ROUTING=(--router-mode "$MODE")
case $MODE in
  kv-approx) ROUTING=(--router-mode kv --no-router-kv-events) ;;
  disaggregated) ROUTING=(--router-mode kv) ;;
esac
[ -f "$DIR/stamp" ] || {
  echo "serve.sh: no Dynamo in $DIR: run setup.sh $DIR first" >&2
  exit 1
}

STATE=$(mktemp -d)
# Dynamo also keeps copies of the model's files in the home directory.
export DYN_FILE_KV=$STATE/discovery HOME=$STATE
# Without these Dynamo listens on, and advertises, the machine's first public address.
export DYN_TCP_RPC_HOST=127.0.0.1 DYN_TCP_RESPONSE_STREAM_HOST=127.0.0.1 DYN_EVENT_PLANE_HOST=127.0.0.1
export DYN_SDK_DISABLE_ANSI_LOGGING=1 DYN_SELF_HOST_METADATA=0 DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS=0
# At its default level Dynamo writes several lines per request, which costs time on the machine being measured.
export DYN_LOG=${DYN_LOG:-error} HF_HUB_OFFLINE=1
PIDS=()
stop() {
  # A second Ctrl-C must not end this half way.
  trap '' INT TERM HUP
  trap - EXIT
  if [ ${#PIDS[@]} -gt 0 ]; then
    kill -TERM "${PIDS[@]/#/-}" 2>/dev/null || true
    # The mock workers wait for their streams to end; a user who says stop means now.
    for _ in $(seq 50); do
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

# The KV router writes a line per request at every level.
quieten() {
  if [ "$DYN_LOG" = info ]; then cat; else grep --line-buffered -v ' request_span: '; fi
}

PLANES=(--discovery-backend file --request-plane tcp --event-plane zmq)
# mock SYSTEM_PORT WORKERS flags…
mock() {
  local port=$1 workers=$2
  shift 2
  env ${port:+DYN_SYSTEM_HOST=127.0.0.1 DYN_SYSTEM_PORT="$port"} \
    "$PYTHON" -m dynamo.mocker --model-path "$DIR/model" --model-name Qwen/Qwen3-0.6B \
    --num-workers "$workers" --num-gpu-blocks-override "${BLOCKS:-600}" --block-size 16 \
    --max-num-seqs "${SEQS:-16}" "${PLANES[@]}" "$@" ${MOCKER_ARGS:-} </dev/null &
  PIDS+=($!)
}
# Where prefill workers meet decode workers: PORT + 11 and up.
bootstrap_ports() { seq -s, $((PORT + 11)) $((PORT + 10 + $1)); }

# Job control gives each child its own process group, so that its own children end with it.
set -m
if [ "$MODE" = disaggregated ]; then
  mock "${SYSTEM_PORT:-}" "${WORKERS:-2}" --disaggregation-mode prefill --bootstrap-ports "$(bootstrap_ports "${WORKERS:-2}")"
  mock "${SYSTEM_PORT:+$((SYSTEM_PORT + 1))}" "${DECODE_WORKERS:-2}" --disaggregation-mode decode
else
  mock "${SYSTEM_PORT:-}" "${WORKERS:-6}"
fi
"$PYTHON" -m dynamo.frontend --http-host 127.0.0.1 --http-port "$PORT" "${ROUTING[@]}" \
  "${PLANES[@]}" "$@" </dev/null > >(quieten) 2>&1 &
PIDS+=($!)
set +m

# Cheap on purpose: a poll that starts a program slows down what it waits for.
listed() {
  exec 3<>"/dev/tcp/127.0.0.1/$PORT" && printf 'GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3 &&
    grep -q '"id":"Qwen' <&3
}
SECONDS=0
until (listed) 2>/dev/null; do
  for pid in "${PIDS[@]}"; do
    kill -0 "$pid" 2>/dev/null || {
      echo 'serve.sh: a Dynamo process ended before the model was listed' >&2
      exit 1
    }
  done
  [ "$SECONDS" -lt 120 ] || {
    echo "serve.sh: the model was not listed within 120 s" >&2
    exit 1
  }
  sleep 0.5
done
echo "Dynamo ($MODE) is ready after $SECONDS s: http://127.0.0.1:$PORT (Ctrl-C ends it)"

wait -n "${PIDS[@]}" || true
echo 'serve.sh: a Dynamo process ended; stopping the other' >&2
exit 1

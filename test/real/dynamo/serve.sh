#!/usr/bin/env bash
# Runs a Dynamo cluster of mock workers in the foreground until Ctrl-C.
#   serve.sh DIR MODE PORT [frontend flags…]
# DIR: what setup.sh installed. MODE: kv, round-robin, random, least-loaded, power-of-two; kv-approx, where the router
# guesses the caches from its own decisions; disaggregated, where WORKERS prefill for DECODE_WORKERS (2) others, kv routed.
# WORKERS (6; 2 when disaggregated), BLOCKS (600 per worker, of 16 tokens) and SEQS (16 at a time per worker) change the
# cluster, MOCKER_ARGS adds flags of the mock workers, DYN_LOG=info shows every request. With SYSTEM_PORT each worker has a
# metrics page of its own, on that port and up.
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
mock() {
  "$PYTHON" -m dynamo.mocker --model-path "$DIR/model" --model-name Qwen/Qwen3-0.6B --num-gpu-blocks-override "${BLOCKS:-600}" \
    --block-size 16 --max-num-seqs "${SEQS:-16}" "${PLANES[@]}" "$@" ${MOCKER_ARGS:-} </dev/null &
  PIDS+=($!)
}
# Of several workers in one process only the first has a metrics page: with pages, each gets a process of its own.
mock_all() {
  local workers=$1 i
  shift
  if [ -z "$SYSTEM_PORT" ]; then
    mock --num-workers "$workers" "$@" ${BOOTSTRAP_PORT:+--bootstrap-ports "$(seq -s, "$BOOTSTRAP_PORT" $((BOOTSTRAP_PORT + workers - 1)))"}
    return
  fi
  for ((i = 0; i < workers; i++)); do
    DYN_SYSTEM_HOST=127.0.0.1 DYN_SYSTEM_PORT=$SYSTEM_PORT mock --num-workers 1 "$@" ${BOOTSTRAP_PORT:+--bootstrap-ports "$((BOOTSTRAP_PORT + i))"}
    SYSTEM_PORT=$((SYSTEM_PORT + 1))
  done
}

# Job control gives each child its own process group, so that its own children end with it.
set -m
SYSTEM_PORT=${SYSTEM_PORT:-}
if [ "$MODE" = disaggregated ]; then
  # Where decode workers fetch from the prefill workers.
  BOOTSTRAP_PORT=$((PORT + 50)) mock_all "${WORKERS:-2}" --disaggregation-mode prefill
  mock_all "${DECODE_WORKERS:-2}" --disaggregation-mode decode
else
  mock_all "${WORKERS:-6}"
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

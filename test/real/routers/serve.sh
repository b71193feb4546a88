#!/usr/bin/env bash
# Runs one router in front of running workers, in the foreground until Ctrl-C, on the loopback interface.
#   serve.sh DIR ROUTER POLICY PORT WORKER_URL… [-- router flags…]
# DIR: what setup.sh installed. ROUTER and POLICY:
#   sglang-router, smg, vllm-router   cache_aware, round_robin, or another that the router has
#   litellm                           simple-shuffle, least-busy, or another routing strategy
#   nginx                             round_robin, least_conn: a plain Service
# METRICS_PORT (PORT + 1) has the Prometheus page of sglang-router, SMG and vllm-router. LiteLLM needs MODEL, the name of
# the workers' model, and LITELLM_MASTER_KEY, the key that clients send. LOG_LEVEL=info shows what a router does.
set -euo pipefail

fail() {
  echo "serve.sh: $*" >&2
  exit "${CODE:-1}"
}

[ $# -ge 5 ] || CODE=2 fail 'usage: serve.sh DIR ROUTER POLICY PORT WORKER_URL… [-- router flags…]'
[ -d "$1" ] || fail "no folder $1"
DIR=$(cd "$1" && pwd) ROUTER=$2 POLICY=$3 PORT=$4
shift 4
WORKERS=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  WORKERS+=("${1%/}")
  shift
done
[ $# -eq 0 ] || shift
METRICS_PORT=${METRICS_PORT:-$((PORT + 1))}
LOG_LEVEL=${LOG_LEVEL:-warn}
[ -f "$DIR/stamp" ] || fail "no routers in $DIR: run setup.sh $DIR first"

STATE=$(mktemp -d)
export HOME=$STATE PATH=$DIR/nginx/usr/sbin:$PATH:/usr/sbin
PID=
stop() {
  # A second Ctrl-C must not end this half way.
  trap '' INT TERM HUP
  trap - EXIT
  if [ -n "$PID" ]; then
    kill -TERM "-$PID" 2>/dev/null || true
    # Routers wait for their streams to end, three minutes some of them; a user who says stop means now.
    for _ in $(seq 30); do
      kill -0 "-$PID" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "-$PID" 2>/dev/null || true
  fi
  rm -rf "$STATE"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

nginx_config() {
  local method=
  case $POLICY in
    round_robin) ;;
    least_conn) method='least_conn;' ;;
    *) CODE=2 fail "nginx: round_robin or least_conn, not $POLICY" ;;
  esac
  cat <<NGINX
daemon off;
$([ "$(id -u)" != 0 ] || echo "user $(id -un) $(id -gn);")
worker_processes 1;
pid $STATE/nginx.pid;
error_log stderr $LOG_LEVEL;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path $STATE/body;
  proxy_temp_path $STATE/proxy;
  fastcgi_temp_path $STATE/fastcgi;
  uwsgi_temp_path $STATE/uwsgi;
  scgi_temp_path $STATE/scgi;
  client_max_body_size 64m;
  upstream workers {
    $method
$(printf '    server %s;\n' "${WORKERS[@]#http://}")
    keepalive 256;
  }
  server {
    listen 127.0.0.1:$PORT;
    # Tells who answered: a Service does not, an ingress can be told to.
    ${WORKER_HEADER:+add_header $WORKER_HEADER \$upstream_addr always;}
    location / {
      proxy_pass http://workers;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      # Without this a stream is gathered into pages of 4 or 8 kB.
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
NGINX
}

litellm_config() {
  local url
  echo 'model_list:'
  for url in "${WORKERS[@]}"; do
    cat <<YAML
  - model_name: $MODEL
    litellm_params: {model: hosted_vllm/$MODEL, api_base: $url/v1, api_key: none}
YAML
  done
  echo 'litellm_settings: {callbacks: [prometheus]}'
  echo "router_settings: {routing_strategy: $POLICY, num_retries: 0}"
}

READY=/readiness SEEN='"healthy_workers":'${#WORKERS[@]}
case $ROUTER in
  sglang-router | smg)
    COMMAND=("$DIR/$ROUTER/bin/$ROUTER" launch --worker-urls "${WORKERS[@]}" --policy "$POLICY" --host 127.0.0.1 --port "$PORT"
      --prometheus-host 127.0.0.1 --prometheus-port "$METRICS_PORT" --log-level "$LOG_LEVEL")
    ;;
  vllm-router)
    COMMAND=("$DIR/vllm-router/bin/vllm-router" --worker-urls "${WORKERS[@]}" --policy "$POLICY" --host 127.0.0.1 --port "$PORT"
      --prometheus-host 127.0.0.1 --prometheus-port "$METRICS_PORT" --log-level "${LOG_LEVEL/%warn/warning}")
    ;;
  litellm)
    [ -n "${MODEL:-}" ] || CODE=2 fail "LiteLLM needs MODEL, the name of the workers' model"
    [ -n "${LITELLM_MASTER_KEY:-}" ] || CODE=2 fail 'LiteLLM needs LITELLM_MASTER_KEY: sk- and at least 16 random letters and digits'
    litellm_config >"$STATE/litellm.yaml"
    # The price list comes with the package, and nothing is reported to anyone.
    export LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_TELEMETRY=False LITELLM_LOG=ERROR NO_DOCS=True
    COMMAND=("$DIR/litellm/bin/litellm" --config "$STATE/litellm.yaml" --host 127.0.0.1 --port "$PORT")
    READY=/health/readiness SEEN='200 OK'
    ;;
  nginx)
    nginx_config >"$STATE/nginx.conf"
    COMMAND=(nginx -e stderr -p "$STATE" -c "$STATE/nginx.conf")
    READY=/v1/models SEEN='"id"'
    ;;
  *) CODE=2 fail "no router $ROUTER: sglang-router, smg, vllm-router, litellm or nginx" ;;
esac

# Job control gives the router its own process group, so that its own children end with it.
set -m
"${COMMAND[@]}" "$@" </dev/null &
PID=$!
set +m

# Cheap on purpose: a poll that starts a program slows down what it waits for.
ready() {
  exec 3<>"/dev/tcp/127.0.0.1/$PORT" && printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$READY" >&3 &&
    grep -q "$SEEN" <&3
}
SECONDS=0
until (ready) 2>/dev/null; do
  kill -0 "$PID" 2>/dev/null || fail "$ROUTER ended before it was ready"
  [ "$SECONDS" -lt 120 ] || fail "$ROUTER was not ready within 120 s"
  sleep 0.2
done
echo "$ROUTER ($POLICY) is ready after $SECONDS s: http://127.0.0.1:$PORT (Ctrl-C ends it)"

wait "$PID" || true
fail "$ROUTER ended"

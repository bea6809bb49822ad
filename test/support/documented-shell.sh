# Runs before the commands of a document: npm starts servers, waits for them, and stops them when another starts or the commands end.
# Commands that install packages or run the tests are skipped.
server=
stop() {
  [ -n "$server" ] || return 0
  kill -- "-$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  # npm ends at once, and the gateway that it started answers for another second.
  for _ in $(seq 100); do
    kill -0 -- "-$server" 2>/dev/null || break
    sleep 0.1
  done
  server=
}
trap stop EXIT
trap 'exit 1' TERM
serve() {
  stop
  set -m
  command npm "$@" >server.log 2>&1 &
  server=$!
  set +m
  for _ in $(seq 600); do
    grep -qE 'listening|Ctrl-C' server.log && return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  cat server.log >&2
  return 1
}
npm() {
  case "$*" in
    *--help*) command npm "$@" ;;
    ci | ci\ * | test | test\ * | 'run check' | 'run test:all') ;;
    'run utg -- sandbox') serve run utg -- sandbox --port "$SANDBOX_PORT" ;;
    start* | 'run demo'* | 'run utg -- sandbox'*) serve "$@" ;;
    *) command npm "$@" ;;
  esac
}

# What runs before the commands of a document: servers are started, waited for, and stopped when another one starts or the commands end.
# What installs packages or runs the tests is not done again.
server=
stop() { [ -z "$server" ] || { kill -- "-$server" 2>/dev/null; wait "$server" 2>/dev/null; server=; } || true; }
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
    start* | 'run demo'* | 'run sandbox'*) serve "$@" ;;
    *) command npm "$@" ;;
  esac
}

# Installs and starts what the fuller checks need: a database server, a browser, and the tools that deployments are tested with.

has() { command -v "$1" >/dev/null; }
# install <packages and options...>
install() { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null; }

install_chromium() { [ -x /usr/bin/chromium-headless-shell ] || install chromium-headless-shell; }
install_redis() { has redis-server || install redis-server; }
install_pgbouncer() { has pgbouncer || install pgbouncer; }
# The builder and the runner of images, and the proxies and the service manager whose samples are checked.
install_deployment_tools() {
  local tool
  for tool in buildah podman crun caddy nginx systemd-analyze; do
    has "$tool" || [ -x "/usr/sbin/$tool" ] || {
      install --no-install-recommends buildah podman crun caddy nginx systemd
      return
    }
  done
}
# Interfaces between namespaces, and clocks that can be set.
install_fault_tools() { { has ip && ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1; } || install iproute2 libfaketime; }

postgres_dir=""
as_postgres() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
start_postgres() {
  local bin
  bin=$(find_postgres) || {
    install postgresql postgresql-contrib || return 1
    bin=$(find_postgres) || return 1
  }
  if [ "$(id -u)" = 0 ] && ! id postgres >/dev/null 2>&1; then
    useradd --system --no-create-home postgres || return 1
  fi
  # Tests create thousands of databases: in memory that takes a fifth of the time.
  local memory=/dev/shm
  [ "$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 4000000 ] 2>/dev/null || memory=${TMPDIR:-/tmp}
  postgres_dir=$(mktemp -d -p "$memory")
  [ "$(id -u)" = 0 ] && chown postgres "$postgres_dir"
  postgres_bin=$bin
  PATH=$PATH:$bin # for pg_dump and its like
  # Below the ports that Linux gives to outgoing connections.
  local port=${CI_POSTGRES_PORT:-25429}
  as_postgres "$bin/initdb" -D "$postgres_dir/data" -U gateway --auth=trust -E UTF8 >/dev/null || return 1
  as_postgres "$bin/pg_ctl" -D "$postgres_dir/data" -w -l "$postgres_dir/log" \
    -o "-p $port -k $postgres_dir -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200" start >/dev/null || {
    cat "$postgres_dir/log"
    return 1
  }
  export TEST_DATABASE_URL="postgres://gateway@127.0.0.1:$port/postgres"
}
find_postgres() {
  local candidate
  for candidate in /usr/lib/postgresql/*/bin /usr/local/bin /usr/bin; do
    if [ -x "$candidate/initdb" ] && [ -x "$candidate/pg_ctl" ]; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}
stop_postgres() {
  if [ -n "$postgres_dir" ] && [ -d "$postgres_dir/data" ]; then
    as_postgres "$postgres_bin/pg_ctl" -D "$postgres_dir/data" -m immediate stop >/dev/null 2>&1
  fi
  [ -n "$postgres_dir" ] && rm -rf "$postgres_dir"
  postgres_dir=""
}
trap stop_postgres EXIT

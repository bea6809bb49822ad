# Installs and starts what the fuller checks need next to `.ci/tools`.

# install '<programs>' <packages...>: installs the Debian packages, as root, unless all of the programs are there.
install() {
  local programs=$1
  shift
  find_programs
  type -P $programs >/dev/null && return
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null && find_programs
}
# Debian keeps these programs out of the way of users.
find_programs() { PATH=$original_path$(printf ':%s' /usr/lib/postgresql/*/bin):/usr/sbin:/sbin; }
original_path=$PATH

postgres_dir=
as_postgres() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- env "PATH=$PATH" "$@"; else "$@"; fi; }
start_postgres() {
  # The port is below those that Linux gives to outgoing connections.
  local port=${CI_POSTGRES_PORT:-25429} memory=/dev/shm
  install 'initdb pg_ctl' postgresql postgresql-contrib || return
  # Tests create thousands of databases: in memory that takes a fifth of the time.
  [ "$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 4000000 ] 2>/dev/null || memory=${TMPDIR:-/tmp}
  postgres_dir=$(mktemp -d -p "$memory")
  if [ "$(id -u)" = 0 ]; then
    id postgres >/dev/null 2>&1 || useradd --system --no-create-home postgres || return
    chown postgres "$postgres_dir"
  fi
  as_postgres initdb -D "$postgres_dir/data" -U gateway --auth=trust -E UTF8 >/dev/null || return
  as_postgres pg_ctl -D "$postgres_dir/data" -w -l "$postgres_dir/log" \
    -o "-p $port -k $postgres_dir -c listen_addresses=127.0.0.1 -c max_connections=200 \
      -c fsync=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off" start >/dev/null || {
    cat "$postgres_dir/log"
    return 1
  }
  export TEST_DATABASE_URL="postgres://gateway@127.0.0.1:$port/postgres"
}
stop_postgres() {
  [ -n "$postgres_dir" ] || return 0
  as_postgres pg_ctl -D "$postgres_dir/data" -m immediate stop >/dev/null 2>&1
  rm -rf "$postgres_dir"
}
trap stop_postgres EXIT

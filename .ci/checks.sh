# The checks of `.ci/run` that take more than one command.

node=(node scripts/node.mjs)
# Runs Vitest: its mode, then its other arguments.
run_tests() { "${node[@]}" node_modules/vitest/vitest.mjs "${@:2}" --mode "$1"; }
# Without PostgreSQL: which database it is changes nothing about a version of Node.
suite_on() {
  local node_dir=$PWD/.ci/tools/node_modules/$1/bin
  "$node_dir/node" --version &&
    (
      unset TEST_DATABASE_URL FULL_CHECKS
      PATH="$node_dir:$PATH"
      # As scripts/node.mjs does: each process then compiles only what no other has compiled.
      export NODE_COMPILE_CACHE=$PWD/node_modules/.cache/unified-tool-gateway/compiled
      node=("$node_dir/node")
      run_tests node run
    )
}
core_tests() {
  (
    unset TEST_DATABASE_URL FULL_CHECKS
    run_tests core related --run server/modules/index.ts
  )
}
old_machine() {
  local clone npm="$PWD/.ci/tools/node_modules/npm10/bin/npm-cli.js"
  clone=$(mktemp -d)
  node --version
  git clone -q . "$clone" && (cd "$clone" && node "$npm" ci && node "$npm" run demo -- --check && node "$npm" test -- test/pins)
  local result=$?
  rm -rf "$clone"
  return $result
}
# What `npm test` leaves out, which includes rows of broad tables, and what knows of these tools: it imports test/support/fuller-checks.ts, or asks for
# FULL_CHECKS. All others have just run, and would do the same again, as would those on SQLite that know of PostgreSQL. The hostile requests have a
# step.
fuller_tests() {
  local left_out
  mapfile -t left_out < <("${node[@]}" node_modules/vitest/vitest.mjs list --filesOnly --mode fuller --project left-out | sed 's/^\[[^]]*\] //' | grep -vx 'test/attacks/every-route.slow.test.ts')
  [ "${#left_out[@]}" -gt 50 ] || { printf 'No list of what npm test leaves out.\n'; return 1; }
  run_tests fuller related --run test/support/fuller-checks.ts test/support/some-of.ts "${left_out[@]}"
}
# Both fail on warnings too. They read nothing but the file.
lint_description() {
  local bin=.ci/tools/node_modules/.bin description=docs/reference/gateway-openapi.yaml
  REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true node scripts/node.mjs "$(readlink -f "$bin/redocly")" lint --config .ci/tools/redocly.yaml "$description" &&
    node scripts/node.mjs "$(readlink -f "$bin/spectral")" lint --ruleset .ci/tools/spectral.yaml --fail-severity warn "$description"
}
nothing_changed() {
  local changed
  changed=$(git status --porcelain)
  [ -z "$changed" ] || { printf 'The checks left changes behind:\n%s\n' "$changed"; return 1; }
}

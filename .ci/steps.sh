# Runs the steps of `.ci/run`: prints the title, the output and the time of each, and the failures once more at the end.
# Gets the arguments of `.ci/run`.

mode=all
only=()
if [ "$*" = --list ]; then
  mode=list
elif [ $# -gt 1 ] && [ "$1" = --only ]; then
  mode=only only=("${@:2}")
  for title in "${only[@]}"; do
    .ci/run --list | grep -xF -- "$title" >/dev/null || { printf 'No step has the title "%s"; .ci/run --list prints them.\n' "$title" >&2; exit 2; }
  done
elif [ $# -gt 0 ]; then
  printf 'Usage: .ci/run [--list | --only <title>...]\n' >&2
  exit 2
fi
is_wanted() {
  local title
  [ "$mode" = all ] && return 0
  for title in "${only[@]}"; do [ "$title" = "$1" ] && return 0; done
  return 1
}

passed=0
failed=0
logs=$(mktemp -d)
mkfifo "$logs/pipe"
# Runs in this shell, because a step may export a variable. The log of a failed step is kept for the end of the output.
step() {
  local title=$1 log="$logs/step" result
  shift
  [ "$mode" = list ] && { printf '%s\n' "$title"; return 0; }
  is_wanted "$title" || return 0
  local started=$SECONDS
  printf '\n==> %s\n' "$title"
  tee "$log" <"$logs/pipe" &
  local tee=$!
  "$@" >"$logs/pipe" 2>&1
  result=$?
  wait "$tee"
  if [ "$result" -eq 0 ]; then
    passed=$((passed + 1))
    printf '<== %s: passed in %s s\n' "$title" $((SECONDS - started)) | tee -a "$logs/times"
  else
    failed=$((failed + 1))
    printf '<== %s: FAILED after %s s\n' "$title" $((SECONDS - started)) | tee -a "$logs/times"
    { printf '\n==> FAILED: %s\n' "$title"; grep -aE 'FAIL|Error:|error TS' "$log" | head -n 40; printf '...\n'; tail -n 80 "$log"; } >>"$logs/failures"
  fi
}
finish() {
  stop_postgres
  [ "$mode" = list ] && { rm -rf "$logs"; exit 0; }
  [ "$failed" -eq 0 ] || cat "$logs/failures"
  printf '\n'
  cat "$logs/times"
  [ ! -e "$logs/unsteady" ] || { printf '\n'; cat "$logs/unsteady"; }
  rm -rf "$logs"
  printf '\n%s passed, %s failed, %s s in all\n' "$passed" "$failed" "$SECONDS"
  [ "$failed" -eq 0 ]
  exit
}

# Runs the steps of `.ci/run` and sums up what passed, what failed, and the seconds of each. Gets the arguments of `.ci/run`.

wanted=()
case $* in
  '') mode=all ;;
  --list) mode=list ;;
  '--only '?*)
    mode=only wanted=("${@:2}")
    for title in "${wanted[@]}"; do
      .ci/run --list | grep -xF -- "$title" >/dev/null || { printf 'No step has the title "%s"; .ci/run --list prints them.\n' "$title" >&2; exit 2; }
    done
    ;;
  *)
    printf 'Usage: .ci/run [--list | --only <title>...]\n' >&2
    exit 2
    ;;
esac

passed=0
failed=0
summary=
output=$(mktemp)
failures=$(mktemp)
# Whoever sees only the end of a long output still sees what failed.
repeat_failure() {
  printf '\n==> the failure of "%s" again\n' "$1"
  grep -a FAIL "$output" | sort -u | head -n 20
  tail -n 60 "$output"
}
# A process that a step leaves running may hold the output open.
wait_at_most_5_s() {
  for _ in {1..50}; do
    kill -0 "$1" 2>/dev/null || return
    sleep 0.1
  done
}
# step <title> <command...>: runs the command in this shell, because it may export a variable.
step() {
  local title=$1 started=$SECONDS result
  shift
  if [ "$mode" = list ]; then
    printf '%s\n' "$title"
    return
  fi
  [ "$mode" = all ] || printf '%s\n' "${wanted[@]}" | grep -xF -- "$title" >/dev/null || return 0
  printf '\n==> %s\n' "$title"
  "$@" > >(tee "$output") 2>&1
  local exit_code=$?
  wait_at_most_5_s $!
  if [ "$exit_code" -eq 0 ]; then
    passed=$((passed + 1)) result='passed in'
  else
    failed=$((failed + 1)) result='FAILED after'
    repeat_failure "$title" >>"$failures"
  fi
  result="<== $title: $result $((SECONDS - started)) s"
  printf '%s\n' "$result"
  summary+="$result"$'\n'
}
finish() {
  cat "$failures"
  rm -f "$output" "$failures"
  [ "$mode" = list ] || printf '\n%s\n%s passed, %s failed, %s s in all\n' "$summary" "$passed" "$failed" "$SECONDS"
  [ "$failed" -eq 0 ]
  exit
}

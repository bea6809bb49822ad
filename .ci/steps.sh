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
  if "$@"; then
    passed=$((passed + 1)) result='passed in'
  else
    failed=$((failed + 1)) result='FAILED after'
  fi
  result="<== $title: $result $((SECONDS - started)) s"
  printf '%s\n' "$result"
  summary+="$result"$'\n'
}
finish() {
  [ "$mode" = list ] || printf '\n%s\n%s passed, %s failed, %s s in all\n' "$summary" "$passed" "$failed" "$SECONDS"
  [ "$failed" -eq 0 ]
  exit
}

# Sourced by script/test and script/check. Runs parts one after another, even if one has failed, measures the
# time of each, and adds up the results of their runners. `part` runs one part; `finish` prints the sums and
# ends the script.

logs=${INTERLOPER_PARTS:-$PWD/target/parts}
rm -rf "$logs"
mkdir -p "$logs"
rows=() failures=() skips=()
all_passed=0 all_failed=0 all_skipped=0
# A Rust test that skips itself appends its name, a tab and the reason to this file (testkit::skip).
export INTERLOPER_SKIPPED="$logs/skipped"
trap 'exit 130' INT

# part NAME FORMAT COMMAND…: runs a command as a part. FORMAT states how its results are counted:
#   one      the command is one test, which passes if its exit status is 0
#   libtest  what `cargo test` prints on standard output
#   nextest  what `cargo nextest run` prints on standard error
#   tap      the file target/parts/tap, where Node's reporter `tap` writes
#   line     the last line `N passed, M failed` or `N passed, M failed, K skipped`
# A command that fails without a failed test counts as one failure, and so does a command that runs no test.
part() {
  local name=$1 format=$2 log="$logs/log" status started=$SECONDS passed failed skipped own test reason
  shift 2
  rm -f "$log" "$logs/tap" "$INTERLOPER_SKIPPED"
  say "── $name"
  # The call must not be a condition: bash would then ignore failures inside the function.
  set +e
  if [ "$format" = nextest ]; then
    (set -e; "$@") 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
  elif [ "$format" = one ]; then
    (set -e; "$@")
    status=$?
  else
    (set -e; "$@") | tee "$log"
    status=${PIPESTATUS[0]}
  fi
  set -e
  [ ! -e "$log" ] || sed -i 's/\x1b\[[0-9;]*m//g' "$log"
  read -r passed failed skipped < <("count_$format" "$status" "$log")
  if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
    failed=1
    failures+=("$name: exit status $status")
  elif [ $((passed + failed + skipped)) = 0 ]; then
    failed=1
    failures+=("$name: no test was counted")
  elif [ "$failed" != 0 ]; then
    failures+=("$name: $failed failed")
  fi
  # The runner counts a test that skips itself as passed.
  if [ -s "$INTERLOPER_SKIPPED" ]; then
    own=0
    while IFS=$'\t' read -r test reason; do
      own=$((own + 1))
      skips+=("$name: $test: $reason")
    done < <(sort -u -t $'\t' -k 1,1 "$INTERLOPER_SKIPPED")
    passed=$((passed - own)) skipped=$((skipped + own))
  fi
  while read -r reason; do
    [ -z "$reason" ] || skips+=("$name: $reason")
  done < <(skipped_by_"$format" "$log")
  rows+=("$(clock $((SECONDS - started)))|$passed|$failed|$skipped|$name")
  all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
}

clock() {
  printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# count_FORMAT STATUS LOG: prints how many tests passed, failed and were skipped.
count_one() {
  if [ "$1" = 0 ]; then echo 1 0 0; else echo 0 1 0; fi
}

# A run that prints no result has crashed.
count_libtest() {
  awk '
    /^running [0-9]+ tests?$/ { failed += running; running = 1 }
    /^test result: / { running = 0; passed += $4; failed += $6; skipped += $8 }
    END { print passed + 0, failed + running, skipped + 0 }' "$2"
}

count_nextest() {
  awk '
    / tests? run: / {
      sub(/.* tests? run: /, "")
      gsub(/ *\([^)]*\)/, "")
      count = split($0, results, ", ")
      for (i = 1; i <= count; i++) {
        split(results[i], words, " ")
        if (words[2] == "passed") passed += words[1]
        else if (words[2] == "skipped") skipped += words[1]
        else failed += words[1]
      }
    }
    END { print passed + 0, failed + 0, skipped + 0 }' "$2"
}

count_tap() {
  [ -e "$logs/tap" ] || { echo 0 0 0; return; }
  awk '
    /^# pass [0-9]/ { passed += $3 }
    /^# (fail|cancelled) [0-9]/ { failed += $3 }
    /^# (skipped|todo) [0-9]/ { skipped += $3 }
    END { print passed + 0, failed + 0, skipped + 0 }' "$logs/tap"
}

count_line() {
  awk '
    /^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { passed = $1; failed = $3; skipped = $5 }
    END { print passed + 0, failed + 0, skipped + 0 }' "$2"
}

# skipped_by_FORMAT LOG: prints a line for each test that the runner says was skipped.
skipped_by_one() { :; }
skipped_by_libtest() { sed -n 's/^test \(.*\) \.\.\. ignored\(, \)\{0,1\}\(.*\)$/\1: ignored \3/p' "$1"; }
skipped_by_nextest() { sed -n 's/^.* tests* run: .*, \([1-9][0-9]* skipped\).*$/\1/p' "$1"; }
skipped_by_tap() { [ ! -e "$logs/tap" ] || sed -nE 's/^ *(not )?ok [0-9]+ - (.*) # (SKIP|TODO)(.*)$/\2: skipped\4/p' "$logs/tap"; }
skipped_by_line() { sed -n 's/^skipped: //p' "$1"; }

# finish: prints the table of the parts, the failed and the skipped tests, and the sum as the last line.
finish() {
  local row time passed failed skipped name
  printf '\n%7s %7s %7s %7s  %s\n' time passed failed skipped part
  for row in "${rows[@]}"; do
    IFS='|' read -r time passed failed skipped name <<<"$row"
    printf '%7s %7s %7s %7s  %s\n' "$time" "$passed" "$failed" "$skipped" "$name"
  done
  printf '%7s %7s %7s %7s  all\n' "$(clock $SECONDS)" "$all_passed" "$all_failed" "$all_skipped"
  [ ${#skips[@]} = 0 ] || printf '%s\n' '' skipped: "${skips[@]/#/  }"
  [ ${#failures[@]} = 0 ] || printf '%s\n' '' failed: "${failures[@]/#/  }"
  echo
  if [ "$all_skipped" = 0 ]; then
    echo "$all_passed passed, $all_failed failed"
  else
    echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
  fi
  [ "$all_failed" = 0 ] || exit 1
  exit 0
}

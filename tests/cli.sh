#!/bin/sh
# The program's manners: exit statuses, streams, help, messages. Usage: cli.sh PATH-OF-RITZ
ritz=$1
out=$(mktemp) && err=$(mktemp) || exit 1
trap 'rm -f "$out" "$err"' EXIT
failures=0

# run STATUS ARGUMENT...: runs the program and compares its exit status
run() {
    want=$1
    shift
    "$ritz" "$@" >"$out" 2>"$err"
    got=$?
    what="ritz $*"
    [ "$got" -eq "$want" ] || fail "exit status $got, not $want"
}
fail() {
    echo "$what: $1"
    sed 's/^/    out: /' "$out"
    sed 's/^/    err: /' "$err"
    failures=$((failures + 1))
}
says() { grep -q -- "$2" "$1" || fail "'$2' is missing"; }
silent() { [ ! -s "$1" ] || fail "should print nothing here"; }

run 0 --version && says "$out" '^ritz [0-9]*\.[0-9]*\.[0-9]*$' && silent "$err"
run 0 --help && says "$out" 'Example: ' && says "$out" '^  devices ' && silent "$err"
run 0 -h && says "$out" 'Example: ' && silent "$err"
run 2 && silent "$out" && says "$err" 'a command is missing' && says "$err" '^Usage: ' && says "$err" '^  devices '
run 2 bench && silent "$out" && says "$err" 'a benchmark is missing' && says "$err" '^Usage: ' && says "$err" '^  pcg '
run 2 devics && silent "$out" && says "$err" "did you mean 'devices'"
run 2 xylophone && says "$err" 'ritz --help'
run 2 devices --mesure && says "$err" 'ritz devices: ' && says "$err" 'ritz devices --help'
run 2 devices extra && says "$err" "'extra'"
run 0 devices --help && says "$out" 'Example: ritz devices' && silent "$err"
run 0 devices && says "$out" 'global memory' && says "$out" 'work-group size'
run 0 devices --json && says "$out" '^{"command":"devices","devices":\[{"selector":".*}\]}$' && says "$out" '"largest_allocation":[1-9]'
[ "$(wc -l <"$out")" -eq 1 ] || fail 'more than one line of JSON'
run 0 materials && says "$out" '^steel  *2.1e+11  *0.3  *7850 ' && says "$out" 'EN 1993-1-1' && silent "$err"
run 0 materials --units mm --json && says "$out" '"units":"mm-N-MPa"' && says "$out" '"name":"steel",.*"young":210000,'
run 0 materials --units mm-N-MPa && says "$out" '^steel  *210000 ' && silent "$err"
run 2 materials --units inch && says "$err" "m-N-Pa or mm-N-MPa .*not 'inch'"
run 1 devices --device abacus && says "$err" "^ritz: error: no device matches 'abacus'; there "

# Each command has help with an example, in full and in short.
for command in $("$ritz" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    run 0 "$command" --help && says "$out" "Example" && says "$out" "ritz $command" && silent "$err"
    run 0 "$command" -h && says "$out" "Example" && says "$out" "ritz $command" && silent "$err"
done
for benchmark in $("$ritz" bench --help | sed -n '/^Benchmarks/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    run 0 bench "$benchmark" --help && says "$out" "ritz bench $benchmark" && silent "$err"
    run 0 bench "$benchmark" -h && says "$out" "ritz bench $benchmark" && silent "$err"
done
run 2 devices -x && says "$err" 'ritz devices --help'

# Memory that holds no plan is said, not planned past.
run 1 predict --cell hex --order 2 --form elasticity --global-memory 1K && silent "$out" && says "$err" 'bytes of device memory'

OCL_ICD_VENDORS=/nonexistent run 1 devices && says "$err" 'pocl-opencl-icd'
RITZ_LOG=loud run 2 devices && says "$err" 'RITZ_LOG'
RITZ_LOG=info run 0 devices --device auto && says "$err" '^ritz: device: '
RITZ_MAX_DEVICE_BYTES=none run 1 devices --device auto && says "$err" 'RITZ_MAX_DEVICE_BYTES'

what='ritz --help on a full disk'
if [ -w /dev/full ]; then
    "$ritz" --help >/dev/full 2>"$err"
    [ $? -eq 1 ] || fail 'a full disk goes unnoticed'
fi

# An interrupt ends it within a second, with the shell's status for SIGINT (130) or done before.
what='ritz devices --measure, interrupted'
"$ritz" devices --measure >"$out" 2>"$err" &
child=$!
# A background job of sh ignores SIGINT until the program sets its own handler: bit 1 of the signals that it catches.
tries=0
until [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$child/status") & 2)) -ne 0 ] || [ $((tries += 1)) -gt 500 ]; do
    sleep 0.01
done
kill -INT "$child" 2>/dev/null
start=$(date +%s%N)
wait "$child"
got=$?
took=$((($(date +%s%N) - start) / 1000000))
[ "$got" -eq 130 ] || [ "$got" -eq 0 ] || fail "exit status $got, not 130"
[ "$took" -le 1500 ] || fail "took $took ms to stop"

[ "$failures" -eq 0 ] || echo "$failures failures"
[ "$failures" -eq 0 ]

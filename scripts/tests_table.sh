#!/bin/sh
# The table of tests in CONTRIBUTING.md against the tests that there are: each test has one row, each row a test.
#
#   scripts/tests_table.sh BUILD_FOLDER [--write]
#
# --write puts the seconds of the folder's last runs, as ctest has them, into the third column; run it after ./check in a
# fresh checkout. A row whose name ends with * stands for all tests whose names start so. Exit status 1 when they differ.
set -eu
cd "$(dirname "$0")/.."
table=CONTRIBUTING.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ctest --test-dir "$1" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$work/tests"
[ -s "$work/tests" ] || {
    echo "$1: no build with tests" >&2
    exit 2
}
# shellcheck disable=SC2016  # backticks of Markdown
sed -n '/^## Tests$/,/^## /s/^| `\([^`]*\)` |.*/\1/p' "$table" >"$work/rows"

status=0
while read -r test; do
    rows=0
    while read -r row; do
        # shellcheck disable=SC2254  # a row is a pattern
        case $test in
        $row) rows=$((rows + 1)) ;;
        esac
    done <"$work/rows"
    [ $rows = 1 ] || {
        echo "$table: the test $test has $rows rows in the table of tests, not one"
        status=1
    }
done <"$work/tests"
while read -r row; do
    grep -q "^$(echo "$row" | sed 's/\*$/.*/')\$" "$work/tests" || {
        echo "$table: there is no test $row"
        status=1
    }
done <"$work/rows"

if [ "${2:-}" = --write ]; then
    awk -v costs="$1/Testing/Temporary/CTestCostData.txt" '
        BEGIN { while ((getline line < costs) > 0 && split(line, cost, " ") == 3) seconds[cost[1]] = cost[3] }
        /^## / { inside = $0 == "## Tests" }
        inside && /^\| `/ {
            split($0, part, "`")
            name = part[2]
            family = sub(/\*$/, "", name)
            sum = found = 0
            for (test in seconds)
                if (test == name || (family && index(test, name) == 1)) {
                    sum += seconds[test]
                    found = 1
                }
            if (found)
                sub(/\| [^|]*\|$/, "| " (sum < 10 ? sprintf("%.1f", sum) : sprintf("%.0f", sum)) " |")
        }
        { print }' "$table" >"$work/new"
    cp "$work/new" "$table"
fi
exit $status

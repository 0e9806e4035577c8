# Sourced by scripts that do several things side by side.

# The process groups of the parts that were started.
parts=()

# start NAME COMMAND…: runs COMMAND, a program or a function, beside what else is running. It says when COMMAND begins,
# and how many seconds it took, and used of a core. If it fails its output is shown, else only the packages that
# `go test` has tested.
start() {
	set -m # a process group of its own, so that a signal reaches all of it
	run_part "$@" &
	parts+=("$!")
	set +m
}

# finish waits for all parts. It fails if one of them has failed.
finish() {
	local part code=0
	for part in ${parts[@]+"${parts[@]}"}; do
		wait "$part" || code=1
	done
	parts=()
	return "$code"
}

run_part() {
	local name=$1 begun=$SECONDS code=0 log took
	set +m
	log=$(mktemp)
	echo "… $name"
	# In the background, because "set -e" does not hold before "||".
	("${@:2}") >"$log" 2>&1 &
	wait "$!" || code=$?
	times >"$log.times" # a subshell has times of its own
	took=$(awk -F '[ms ]+' 'NR == 2 { print int(60 * ($1 + $3) + $2 + $4) }' "$log.times")
	took="$((SECONDS - begun)) s, $took s of a core"
	if ((code)); then
		printf '✗ %s, after %s:\n%s\n' "$name" "$took" "$(<"$log")"
	else
		echo "✓ $name: $took"
		grep '^ok ' "$log" || true
	fi
	rm -f "$log" "$log.times"
	return "$code"
}

# interrupted SIGNAL CODE ends all parts.
interrupted() {
	trap '' INT TERM HUP
	for part in ${parts[@]+"${parts[@]}"}; do
		kill -s "$1" -- "-$part" 2>/dev/null || true
	done
	wait
	exit "$2"
}
trap 'interrupted TERM 130' INT
trap 'interrupted TERM 143' TERM HUP

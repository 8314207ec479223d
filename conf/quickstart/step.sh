# Runs long commands and shows their progress. Sourced by conf/quickstart/run and packaging/build.
# shellcheck shell=bash

# The process group of the running step, for the trap that stops it.
step_pid=

# step TEXT LOG COMMAND...: runs a command with its output in the log, and shows the last line on the terminal. Without a
# terminal, prints the name of the log.
step() {
    local text=$1 log=$2 line=
    shift 2
    if [[ -t 2 ]]; then
        echo "$text" >&2
    else
        echo "$text; to watch it: tail -f $log" >&2
    fi
    : >>"$log"
    setsid "$@" >>"$log" 2>&1 </dev/null 9>&- &
    step_pid=$!
    if [[ -t 2 ]]; then
        while kill -0 "$step_pid" 2>/dev/null; do
            line=$(tail -n 1 "$log" | tr -d '\r\033')
            printf '\r\033[K  %.*s' "$((${COLUMNS:-80} - 4))" "$line" >&2
            sleep 0.2
        done
        printf '\r\033[K' >&2
    fi
    if wait "$step_pid"; then
        step_pid=
        return 0
    fi
    step_pid=
    tail -n 30 "$log" >&2
    return 1
}

# Functions shared by the checks, which source this file.
# shellcheck shell=bash

# fail SENTENCE...: reports the problem and ends the check.
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# skip SENTENCE...: ends the check without a result; CTest reports it as skipped.
skip() {
    printf '%s\n' "$*" >&2
    exit 77
}

# repository_files SOURCE NAME...: prints the repository's files whose names match one of the patterns, except built and
# installed ones.
repository_files() {
    local -a names=()
    local name
    for name in "${@:2}"; do
        names+=(-o -name "$name")
    done
    find "$1" -mindepth 1 \( -path "$1/.git" -o -path "$1/.work" -o -path "$1/build*" -o -name node_modules \) -prune \
        -o -type f \( "${names[@]:1}" \) -print | sort
}

# find_tool NAME: prints the path of NAME or, if it is not installed, of the newest NAME-VERSION.
find_tool() {
    local version
    command -v "$1" && return
    for version in $(seq 40 -1 14); do
        command -v "$1-$version" && return
    done
    return 1
}

# metrics_in_code SOURCE: prints the names of the metrics that the modules export.
metrics_in_code() {
    grep -oE '"useradmin_[a-z_]+"' "$1/mod_useradmin/httpd/prometheus.cpp" | tr -d '"' | sort -u
}

# alerts_in SOURCE: prints the names of the example alerts.
alerts_in() {
    sed -nE 's/^ *- alert: (.*)/\1/p' "$1/conf/useradmin-alerts.yml" | sort
}

# directives_in_code SOURCE: prints the directives of both modules. In a module's table, each name is a separate string
# literal.
directives_in_code() {
    grep -rhoE '"(Auth)?UserAdmin[A-Za-z]*"' "$1"/mod_useradmin/{httpd,service,auth} | tr -d '"' | sort -u
}

# What tests/interop/run and tests/console/run have in common. They set suite to the name of their directory, source this file and
# define own_option.
# shellcheck shell=bash

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck disable=SC2154 # the sourcing script sets suite
source_folder=$repository/tests/$suite

fail() {
    echo "tests/$suite/run: $*" >&2
    exit 1
}

# shellcheck source=conf/quickstart/servers.sh
source "$repository/conf/quickstart/servers.sh"
# shellcheck source=tests/javascript/node.sh
source "$repository/tests/javascript/node.sh"

# read_options WORD...: reads the options, finds httpd and checks the build. Sets only, and the variables that machine.mjs reads.
# Calls own_option NAME VALUE for the suite's own options; it returns 1 if there is no such option, and sets taken to 1 if the
# option has no value.
read_options() {
    local build=$repository/build httpd='' modules='' file taken
    only=
    while (($# > 0)); do
        taken=2
        case $1 in
        --build) build=${2-} ;;
        --httpd) httpd=${2-} ;;
        --modules) modules=${2-} ;;
        --only) only=${2-} ;;
        *) own_option "$1" "${2-}" || fail "Unknown option '$1'; the comment at the top of $0 lists the options." ;;
        esac
        (($# >= taken)) || fail "$1 requires a value."
        shift "$taken"
    done
    build=$(cd "$build" && pwd -P) || fail "The directory of the build does not exist: use --build DIR."
    if [[ -z $httpd || -z $modules ]]; then
        find_httpd
        modules=$httpd_modules
    fi
    for file in mod_useradmin.so mod_auth_useradmin.so useradminctl; do
        [[ -e $build/$file ]] || fail "$build/$file is missing: build the project first, or use --build DIR."
    done
    export USERADMIN_TEST_REPOSITORY=$repository USERADMIN_TEST_BUILD=$build
    export USERADMIN_TEST_HTTPD=$httpd USERADMIN_TEST_HTTPD_MODULES=$modules
}

# create_work: creates the directory of this run. The servers and the directory disappear when the script ends.
create_work() {
    # Below /tmp, which the servers' accounts can enter.
    work=$(mktemp -d "/tmp/$suite.XXXXXX")
    chmod 755 "$work"
    export USERADMIN_TEST_WORK=$work
    node_pid=
    postgresql_pid=
    trap finish EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# shellcheck disable=SC2317,SC2329 # called by the trap
finish() {
    [[ -z $node_pid ]] || stop_server "$node_pid" TERM
    [[ -z $postgresql_pid ]] || stop_server "$postgresql_pid" INT
    if [[ -n ${USERADMIN_TEST_KEEP:-} ]]; then
        echo "The servers' files are in $work"
    else
        rm -rf "$work"
    fi
}

# run_node DIR WORD...: runs Node.js with the packages in the directory. Returns its exit status.
run_node() {
    export USERADMIN_TEST_FOLDER=$1
    shift
    unset BETTER_AUTH_SECRET BETTER_AUTH_URL AUTH_SECRET ADMIN_EMAIL NODE_OPTIONS
    setpriv --pdeathsig TERM -- "$USERADMIN_TEST_FOLDER/bin/node" "$@" &
    node_pid=$!
    local status=0
    wait "$node_pid" || status=$?
    node_pid=
    return "$status"
}

# Installs Debian packages. Sourced by conf/quickstart/run, packaging/build and the scripts for tests and benchmarks.
# shellcheck shell=bash

# Packages for the build.
# shellcheck disable=SC2034 # for the scripts that source this file
build_packages=(g++ make cmake pkg-config apache2-dev apache2-bin libapr1-dev libaprutil1-dev libcjson-dev libcli11-dev libcurl4-openssl-dev
    libhiredis-dev libargon2-dev libsodium-dev libcrypt-dev libpq-dev libssl-dev libutf8proc-dev libsqlite3-dev zlib1g-dev)

# Additional packages for the tests.
# shellcheck disable=SC2034 # for the scripts that source this file
test_packages=(xsltproc esbuild openssl libaprutil1-dbd-pgsql libaprutil1-dbd-sqlite3 libcpputest-dev postgresql
    pgbouncer redis-server prometheus libapache2-mod-auth-openidc fail2ban logrotate mandoc tidy python3-jsonschema)

# Packages for packaging/build deb, including its unit tests.
# shellcheck disable=SC2034 # for the scripts that source this file
deb_packages=("${build_packages[@]}" xsltproc esbuild build-essential debhelper libcpputest-dev)

# Packages for packaging/build rpm.
# shellcheck disable=SC2034 # for the scripts that source this file
rpm_packages=("${build_packages[@]}" xsltproc rpm xz-utils libcpputest-dev)

# Additional packages for tests/run --ci and --long.
# shellcheck disable=SC2034 # for the scripts that source this file
cluster_packages=(haproxy patroni etcd-server)

# Additional packages for tests/run --long.
# shellcheck disable=SC2034 # for the scripts that source this file
long_packages=(slowhttptest)

# Packages for creating the systems of tests/distros/run.
# shellcheck disable=SC2034 # for the scripts that source this file
system_packages=(mmdebstrap debian-archive-keyring git)

# fail SENTENCE...: prints the error message and exits.
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# missing_packages NAME...: prints the packages that are not installed.
missing_packages() {
    local name status
    for name; do
        status=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) || status=
        [[ $status == installed ]] || printf '%s\n' "$name"
    done
}

# While packages are installed, this file prevents their services from starting. Its second line identifies it.
policy=/usr/sbin/policy-rc.d
policy_mark='# For the time of one apt-get run of mod_useradmin: no service is started.'

# install_packages NAME...: installs missing packages with apt, as root or with sudo. If none is missing, it needs neither
# privileges nor a network. It does not start the packages' services or restart running ones.
install_packages() {
    local -a missing run
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "This system has no apt; continuing with the installed packages." >&2
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]} == 0)); then
        # Delete a policy left by a run that was killed, unless another run holds the lock.
        if ((EUID == 0)) && grep -qsxF "$policy_mark" "$policy"; then
            flock --nonblock "${policy%/*}" rm -f "$policy" || true
        fi
        return 0
    fi
    if ((EUID == 0)); then
        run=(bash)
    elif command -v sudo >/dev/null; then
        run=(sudo bash)
    else
        fail "These packages are missing, and sudo is not available to install them:" \
            "as root, run: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
    echo "Installing ${missing[*]}" >&2
    "${run[@]}" -s -- "$policy" "$policy_mark" "${missing[@]}" <<'ROOT' || fail "The packages were not installed (the reason is above). Fix it, then run this again."
set -euo pipefail
policy=$1
mark=$2
shift 2
# Every run holds a shared lock on the policy's directory. Only the last run can get an exclusive lock, and deletes the policy. If
# that run was killed, the policy deletes itself the next time it is executed.
exec 8<"${policy%/*}"
flock --shared 8
if [[ -f $policy ]] && grep -qxF "$mark" "$policy" || [[ ! -e $policy && ! -L $policy ]]; then
    trap 'flock --nonblock 8 && rm -f "$policy"' EXIT
    trap 'exit 1' INT TERM HUP
    new=$(mktemp "$policy.XXXXXX")
    printf '%s\n' '#!/bin/sh' "$mark" "! flock --nonblock '${policy%/*}' rm -f '$policy' || exit 0" 'exit 101' >"$new"
    chmod 755 "$new"
    mv -f "$new" "$policy"
fi
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
options=(-q -y -o DPkg::Lock::Timeout=120)
log=$(mktemp)
# apt COMMAND...: runs apt-get and shows the last line of its output on the terminal.
apt() {
    local watcher="" status=0
    if [[ -t 2 ]]; then
        # The log is deleted at the end, possibly while tail starts.
        while sleep 0.3 && kill -0 $$ 2>/dev/null; do
            printf '\r\033[K  %.70s' "$(tail -n 1 "$log" 2>/dev/null | tr -d '\r\033')" >&2
        done &
        watcher=$!
    fi
    apt-get "${options[@]}" "$@" >"$log" 2>&1 </dev/null 8<&- || status=$?
    if [[ -n $watcher ]]; then
        kill "$watcher"
        wait "$watcher" 2>/dev/null || true
        printf '\r\033[K' >&2
    fi
    if ((status != 0)); then
        cat "$log" >&2
    fi
    return "$status"
}
apt update || echo "The package lists could not be updated; continuing with the existing ones." >&2
apt install --no-install-recommends -- "$@" || {
    rm -f "$log"
    exit 1
}
rm -f "$log"
ROOT
}

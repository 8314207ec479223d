# Installs Debian packages: sourced by conf/quickstart/run, packaging/build and the scripts that run tests and benches.
# shellcheck shell=bash

# What the build needs.
# shellcheck disable=SC2034 # for the scripts that source this file
build_packages=(g++ make cmake pkg-config apache2-dev apache2-bin libapr1-dev libaprutil1-dev libcjson-dev libcli11-dev
    libargon2-dev libsodium-dev libcrypt-dev libpq-dev libssl-dev libutf8proc-dev libsqlite3-dev zlib1g-dev)
# What the tests need beside it.
# shellcheck disable=SC2034 # for the scripts that source this file
test_packages=(xsltproc openssl libaprutil1-dbd-pgsql libaprutil1-dbd-sqlite3 libcpputest-dev libcurl4-openssl-dev postgresql
    pgbouncer prometheus libapache2-mod-auth-openidc fail2ban logrotate mandoc tidy python3-jsonschema)
# What packaging/build deb needs: this and what its unit tests are built with.
# shellcheck disable=SC2034 # for the scripts that source this file
deb_packages=("${build_packages[@]}" xsltproc build-essential debhelper libcpputest-dev libcurl4-openssl-dev)
# What packaging/build rpm needs.
# shellcheck disable=SC2034 # for the scripts that source this file
rpm_packages=("${build_packages[@]}" xsltproc rpm xz-utils libcpputest-dev libcurl4-openssl-dev)
# What tests/run --long needs beside that.
# shellcheck disable=SC2034 # for the scripts that source this file
long_packages=(slowhttptest)
# What makes the systems of tests/distros/run.
# shellcheck disable=SC2034 # for the scripts that source this file
system_packages=(mmdebstrap debian-archive-keyring git)

# fail SENTENCE...: ends the script with a sentence that says what to do.
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# missing_packages NAME...: prints those that are not installed.
missing_packages() {
    local name status
    for name; do
        status=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) || status=
        [[ $status == installed ]] || printf '%s\n' "$name"
    done
}

# While packages are installed, this file keeps their services from being started; its second line says whose it is.
policy=/usr/sbin/policy-rc.d
policy_mark='# For the time of one apt-get run of mod_useradmin: no service is started.'

# install_packages NAME...: installs what is missing with apt, as root or with sudo. Where nothing is
# missing, neither rights nor a network are needed. Services that come with a package are not started, and
# those that run are left alone.
install_packages() {
    local -a missing run
    if ! command -v dpkg-query apt-get >/dev/null; then
        echo "This system has no apt; going on with what is installed." >&2
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]} == 0)); then
        # Left by a run that was killed, unless another one is at work.
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
        fail "These packages are missing, and there is no sudo to install them with:" \
            "as root, run: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
    echo "Installing ${missing[*]}" >&2
    "${run[@]}" -s -- "$policy" "$policy_mark" "${missing[@]}" <<'ROOT' || fail "The packages were not installed (the reason is above). Mend that, then run this again."
set -euo pipefail
policy=$1
mark=$2
shift 2
# Every run shares a lock on the policy's folder, so that nothing of it stays. Who can have it alone is the last one, and
# takes the policy away: a run that ends, or, after one that was killed, the policy itself when it is asked.
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
# apt COMMAND...: runs apt-get, its last line on the terminal.
apt() {
    local watcher="" status=0
    if [[ -t 2 ]]; then
        while sleep 0.3 && kill -0 $$ 2>/dev/null; do
            printf '\r\033[K  %.70s' "$(tail -n 1 "$log" | tr -d '\r\033')" >&2
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
apt update || echo "The lists of packages could not be renewed; trying with those that are here." >&2
apt install --no-install-recommends -- "$@" || {
    rm -f "$log"
    exit 1
}
rm -f "$log"
ROOT
}

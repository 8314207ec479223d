# Finds httpd and PostgreSQL, and runs a separate PostgreSQL. Sourced by conf/quickstart/run and the tests' scripts. The
# caller must define fail, for example by sourcing install.sh.
# shellcheck shell=bash

# find_httpd: sets httpd, httpd_modules and httpd_version. Fails if httpd is missing or too old.
find_httpd() {
    local apxs
    read -r apxs < <(PATH=$PATH:/usr/bin:/usr/sbin command -v apxs apxs2) ||
        fail "apxs was not found: install apache2-dev (Debian, Ubuntu) or httpd-devel (Fedora, RHEL)."
    httpd=$("$apxs" -q SBINDIR)/$("$apxs" -q PROGNAME)
    httpd_modules=$("$apxs" -q LIBEXECDIR)
    [[ -x $httpd ]] ||
        fail "httpd was not found at $httpd: install apache2-bin (Debian, Ubuntu) or httpd (Fedora, RHEL)."
    httpd_version=$("$httpd" -v | sed -n 's|^Server version: Apache/\([0-9.]*\).*|\1|p')
    if [[ $(printf '%s\n' 2.4.49 "$httpd_version" | sort -V | head -n 1) != 2.4.49 ]]; then
        fail "httpd is ${httpd_version:-of an unknown version}; mod_useradmin requires 2.4.49 or later:" \
            "upgrade httpd (Debian 12 and Ubuntu 24.04 have it), then run this again."
    fi
}

# find_postgresql [VERSION]: sets postgresql to the program directory of that version, or of the newest one by default. Ignores
# versions before 13. Returns 1 if there is none.
find_postgresql() {
    local initdb version
    while read -r initdb; do
        version=$("$initdb" --version 2>/dev/null | sed -n 's/.* \([0-9][0-9]*\).*/\1/p')
        if ((${version:-0} >= 13)) && [[ ${1:-$version} == "$version" ]]; then
            postgresql=${initdb%/*}
            return 0
        fi
    done < <({ compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -rV; command -v initdb; } || true)
    return 1
}

# httpd_user: prints the account under which httpd's children run if root starts httpd.
httpd_user() {
    local name
    for name in www-data apache httpd daemon; do
        if id "$name" >/dev/null 2>&1; then
            printf '%s\n' "$name"
            return 0
        fi
    done
    fail "No user for httpd's children was found: create one with: useradd --system www-data"
}

# as_user USER COMMAND...: runs a command as that user, without root's groups. Requires root.
as_user() {
    local name=$1 group
    shift
    group=$(id -g "$name")
    setpriv --reuid "$name" --regid "$group" --init-groups -- "$@"
}

# choose_folder VARIABLE DEFAULT FALLBACK USER...: sets folder to the directory that the environment variable names, or to the
# default, and creates it if necessary. As root, it uses the fallback if these users, who run the servers, cannot enter the
# default (for example, in a clone below /root).
choose_folder() {
    local variable=$1 default=$2 fallback=$3
    shift 3
    folder=${!variable:-$default}
    mkdir -p "$folder" 2>/dev/null || true
    [[ -d $folder && -w $folder ]] ||
        fail "$folder is not writable: choose another directory with $variable=/path $0"
    if ((EUID == 0)) && ! can_enter "$folder" "$@"; then
        [[ -z ${!variable:-} ]] ||
            fail "Servers that root starts run as $*, and cannot enter $folder: choose another $variable," \
                "or let them pass with chmod o+x on it and on the directories above it."
        rmdir "$folder" 2>/dev/null || true
        folder=$fallback
        echo "Servers that root starts run as $*, and cannot enter $default: the data go to $folder" >&2
        mkdir -p "$folder"
        can_enter "$folder" "$@" || fail "They cannot enter $folder either: choose another directory with $variable=/path $0"
    fi
    folder=$(cd "$folder" && pwd -P)
    # These characters would need quoting in httpd's configuration or in connection strings.
    [[ $folder != *[\"\'\\\$%,]* ]] ||
        fail "The path $folder contains a quote, a backslash, a dollar sign, a percent sign or a comma:" \
            "choose another directory with $variable=/path $0"
}

# can_enter DIR USER...: returns whether all these users can enter the directory.
can_enter() {
    local path=$1 name
    shift
    for name; do
        as_user "$name" test -x "$path" || return 1
    done
}

# loadable NAME...: prints LoadModule lines for the named httpd modules that are not compiled in.
loadable() {
    local name built_in
    built_in=$("$httpd" -l)
    for name; do
        if ! grep -qx " *mod_$name.c" <<<"$built_in"; then
            printf 'LoadModule %s_module "%s/mod_%s.so"\n' "$name" "$httpd_modules" "$name"
        fi
    done
}

# fail_with_log LOG MESSAGE: fails, and prints the end of the log, which a test's script deletes.
fail_with_log() {
    tail -n 20 "$1" >&2
    fail "$2: the last lines of $1 are above"
}

# Arguments for the next PostgreSQL server, such as -c fsync=off.
postgresql_settings=()

# start_postgresql DIR USER...: starts the cluster in DIR/postgresql and waits until it accepts connections. Creates the
# cluster at first use. It listens only on a socket in DIR/postgresql. The database and the role are called useradmin; the given
# users and the current one may log in as that role. If started by root, the server runs as postgres. Sets postgresql_pid and
# postgresql_socket.
start_postgresql() {
    local folder=$1/postgresql name log=$1/postgresql.log
    shift
    local -a run=()
    local owner
    owner=$(id -un)
    # shellcheck disable=SC2034 # for the scripts that source this file
    postgresql_socket=$folder
    if ((${#folder} > 85)); then
        fail "The work directory's path is too long for PostgreSQL's socket:" \
            "choose a shorter one with QUICKSTART_FOLDER=/path conf/quickstart/run --postgresql"
    fi
    mkdir -p "$folder"
    if ((EUID == 0)); then
        owner=postgres
        id "$owner" >/dev/null 2>&1 || fail "The user postgres, who runs PostgreSQL, does not exist: install postgresql."
        chown postgres: "$folder"
        run=(as_user postgres)
    fi
    chmod 755 "$folder" # for the socket; only the owner can read data/
    : >>"$log"
    # The file "unfinished" marks a cluster whose creation was interrupted.
    if [[ -e $folder/unfinished ]]; then
        rm -rf "$folder/data"
    fi
    local version
    if [[ -e $folder/data/PG_VERSION ]]; then
        # Only the same major version can read the data.
        version=$(<"$folder/data/PG_VERSION")
        find_postgresql "$version" ||
            fail "$folder/data was created by PostgreSQL $version, which is no longer installed:" \
                "install it, or delete $folder, with all that was stored in it, to start over."
    fi
    if [[ ! -e $folder/data ]]; then
        : >"$folder/unfinished"
        local no_sync=
        [[ " ${postgresql_settings[*]} " != *" fsync=off "* ]] || no_sync=--no-sync
        "${run[@]}" "$postgresql/initdb" --pgdata "$folder/data" --username postgres --auth peer \
            --encoding UTF8 --locale C.UTF-8 $no_sync >>"$log" 2>&1 ||
            fail_with_log "$log" "The PostgreSQL cluster could not be created"
        cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder'
timezone = 'UTC'
log_timezone = 'UTC'
CONF
    fi
    printf 'local all all peer map=own\n' >"$folder/data/pg_hba.conf"
    {
        printf 'own %s postgres\n' "$owner"
        for name in "$(id -un)" "$owner" "$@"; do
            printf 'own %s useradmin\n' "$name"
        done | sort -u
    } >"$folder/data/pg_ident.conf"

    local -a with_death_signal=(setpriv --pdeathsig INT --)
    if ((EUID == 0)); then
        with_death_signal=(setpriv --reuid postgres --regid "$(id -g postgres)" --init-groups --pdeathsig INT --)
    fi
    setsid "${with_death_signal[@]}" "$postgresql/postgres" -D "$folder/data" "${postgresql_settings[@]}" \
        >>"$log" 2>&1 </dev/null &
    postgresql_pid=$!
    local attempts=0
    until "$postgresql/pg_isready" -q -h "$folder" -d postgres -U postgres; do
        if ((++attempts > 600)) || ! kill -0 "$postgresql_pid" 2>/dev/null; then
            fail_with_log "$log" "PostgreSQL did not start"
        fi
        sleep 0.1
    done
    if [[ -e $folder/unfinished ]]; then
        as_superuser 'CREATE ROLE useradmin LOGIN' 'CREATE DATABASE useradmin OWNER useradmin' >>"$log" 2>&1 ||
            fail_with_log "$log" "The PostgreSQL database could not be created"
        rm "$folder/unfinished"
    fi
}

# as_superuser SQL...: runs statements as the superuser of the PostgreSQL server that start_postgresql started.
as_superuser() {
    local -a run=() statements=()
    local sql
    for sql; do
        statements+=(-c "$sql")
    done
    ((EUID != 0)) || run=(as_user postgres)
    "${run[@]}" "$postgresql/psql" -X -q -v ON_ERROR_STOP=1 -h "$postgresql_socket" -U postgres -d postgres "${statements[@]}"
}

# stop_server PID SIGNAL: sends the signal to a child of this script and waits for it to exit; kills it after 10 s.
stop_server() {
    local pid=$1 signal=$2 attempts=0
    kill -s "$signal" "$pid" 2>/dev/null || return 0
    while kill -0 "$pid" 2>/dev/null; do
        if ((++attempts > 200)); then
            kill -s KILL "$pid" 2>/dev/null || true
        fi
        sleep 0.05
    done
    wait "$pid" 2>/dev/null || true
}

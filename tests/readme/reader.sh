# Runs the commands of the README and the manual as a new user of this machine. For scripts that run in a separate system, and
# have sourced install.sh. $repository is the clone, $folder a directory for the output.
# shellcheck shell=bash disable=SC2154 # those two

# create_reader: creates the user, with sudo and without apt prompts.
create_reader() {
    install_packages sudo
    useradd --create-home --shell /bin/bash reader
    echo 'reader ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/reader
    echo 'Defaults env_keep += "http_proxy https_proxy DEBIAN_FRONTEND"' >>/etc/sudoers.d/reader
    echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/99reader
    chown -R reader: "$repository"
    # curl retries after an error response, since just after a reload an old child may still respond. A persistent error ends
    # the commands.
    printf '%s\n' fail-with-body silent show-error 'noproxy = "*"' 'retry = 5' retry-all-errors >~reader/.curlrc
    # An installer would write this line.
    echo "127.0.0.1 $(hostname)" >>/etc/hosts

    # Without an init, a package does not start its service.
    cat >"$folder/start" <<'START'
#!/bin/sh
pg_lsclusters --no-header | while read -r version name port status rest; do
    [ "$status" = online ] || pg_ctlcluster "$version" "$name" start
done
[ -e /var/run/apache2/apache2.pid ] || apachectl start
START
    chmod 755 "$folder/start"
    # The answer to prompts for a password.
    echo 'correct horse battery staple' >"$folder/typed"
}

# run_commands MARK FILE...: runs the files' commands with that mark as the user, until one fails. Their output is also in
# $folder/output.
run_commands() {
    local file
    {
        echo 'set -e'
        for file in "${@:2}"; do
            "$repository/tests/readme/commands" "$repository/$file" "$1"
        done
    } | sed "/^sudo -u postgres psql -f/i sudo $folder/start" >"$folder/commands"
    (
        cd "$repository" || exit 1
        setpriv --reuid reader --regid reader --init-groups -- env HOME=/home/reader USER=reader \
            DEBIAN_FRONTEND=noninteractive bash -x "$folder/commands" <"$folder/typed" 2> >(tee "$folder/trace" >&2) |
            tee "$folder/output"
    )
}

# stop_servers: stops httpd and PostgreSQL.
stop_servers() {
    apachectl stop || true
    pg_lsclusters --no-header | while read -r version name _; do
        pg_ctlcluster "$version" "$name" stop --mode fast || true
    done
}

# expect WHAT TEXT: checks that the output has a line with the text.
expect() {
    grep -qF "$2" "$folder/output" || fail "The commands ran, but $1: '$2' is not in their output."
}

# no_log_lines: checks that httpd's log has no line above level notice.
no_log_lines() {
    if grep -E '^\[.*(:warn|:error|:crit|:alert|:emerg)\]' /var/log/apache2/error.log; then
        fail "httpd's log has warnings or errors (they are above)."
    fi
}

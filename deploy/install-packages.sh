#!/usr/bin/env bash
# Installs the Debian packages that building, testing and running stint need.
#   deploy/install-packages.sh [LIST...]     a LIST is a file of this folder; without one: packages.txt
# Asks for nothing, and touches nothing where all of them are installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

lists=("$@")
[ ${#lists[@]} -gt 0 ] || lists=(packages.txt)
mapfile -t packages < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "${lists[@]}")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "These scripts install Debian packages, and this is not a Debian system. stint needs what is called there: ${packages[*]}" >&2
  exit 1
fi

installed() { [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "packages: all ${#packages[@]} are installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Run this as root, or install sudo. Missing packages: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "packages: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
  >/dev/null </dev/null
echo "packages: installed"

#!/usr/bin/env bash
# Makes .venv with everything that a run needs: `envs/setup.sh`, and with `dev` what tests need too.
# Installs missing system packages as root on Debian and its kin; else says which, and how.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    printf 'setup: %s\n' "$1" >&2
    exit 1
}

find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed: install it, or name it: make setup PYTHON=/path/to/python3"
}

# What building the poppler binding needs (it has no ready-made wheel), and venv on Debian.
missing_packages() {
    local missing=()
    command -v c++ >/dev/null || missing+=(g++)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    pkg-config --exists poppler-cpp 2>/dev/null || missing+=(libpoppler-cpp-dev)
    "$python" -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
    "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
        missing+=(python3-dev)
    printf '%s\n' "${missing[@]+"${missing[@]}"}"
}

can_install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null
}

# Installs packages, quietly unless that fails.
install() {
    local said
    echo "setup: apt-get install -y $*"
    said=$({ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"; } 2>&1) || {
        tail -n 20 <<<"$said" >&2
        return 1
    }
}

python=$(find_python)
mapfile -t packages < <(missing_packages | sed '/^$/d')
if [ "${#packages[@]}" -gt 0 ]; then
    can_install || fail "system packages are missing: run: sudo apt-get install -y ${packages[*]}"
    install "${packages[@]}" || fail "the system packages could not be installed: ${packages[*]}"
fi

# Scanned pages are read with it. Everything else works without, and what waits for it says so.
recogniser=(tesseract-ocr tesseract-ocr-eng)
if ! command -v tesseract >/dev/null; then
    { can_install && install "${recogniser[@]}"; } ||
        echo "setup: optional, to read scanned pages: sudo apt-get install ${recogniser[*]}"
fi

# Recordings are decoded with ffmpeg; the tests of that make voices with espeak-ng.
sounds=()
command -v ffmpeg >/dev/null || sounds+=(ffmpeg)
if [ "${1:-}" = dev ]; then
    command -v espeak-ng >/dev/null || sounds+=(espeak-ng)
    [ "${#sounds[@]}" = 0 ] || { can_install && install "${sounds[@]}"; } ||
        echo "setup: optional, to test the transcription of recordings: sudo apt-get install ${sounds[*]}"
elif [ "${#sounds[@]}" -gt 0 ]; then
    echo "setup: optional, to transcribe recordings: sudo apt-get install ${sounds[*]}"
fi

[ -x .venv/bin/python ] || "$python" -m venv .venv
requirements=(-r envs/requirements.txt)
[ "${1:-}" = dev ] && requirements+=(-r envs/requirements-dev.txt)
echo "setup: installing into .venv"
.venv/bin/python -m pip install -qq --disable-pip-version-check "${requirements[@]}"
.venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps -e .
touch .venv/.ready
[ "${1:-}" != dev ] || touch .venv/.ready-dev
echo "setup: ready: .venv/bin/snakemake, .venv/bin/centinel"

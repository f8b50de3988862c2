#!/usr/bin/env bash
# A SLURM of one node on this machine, as long as its standard input stays open:
#
#     tests/cluster/start.sh FOLDER
#
# Keeps everything in FOLDER, prints `ready` when jobs can be submitted, or `ready elsewhere` where its
# node has processes of its own numbers, as another machine has; ends all daemons when its input ends
# or it is told to end. Wants root, and Debian's packages slurm-wlm and munge. Ends with 3,
# and one line that says why, where it cannot be had. For tests: it limits memory by looking each
# second, since control groups are out of reach in a container.
set -euo pipefail

folder=$(realpath -m "${1:?usage: tests/cluster/start.sh FOLDER}")
standard=/etc/slurm/slurm.conf
name=centinel-test
host=$(hostname -s)
daemons=()

refuse() {
    printf 'no SLURM here: %s\n' "$1"
    exit 3
}

finish() {
    local daemon
    # Last started first: jobs end by slurmctld's word, which wants slurmd.
    if [ -n "${daemons[*]:-}" ]; then
        scancel --user="$(id -un)" 2>/dev/null || true
        for ((daemon = ${#daemons[@]} - 1; daemon >= 0; daemon--)); do
            end "${daemons[daemon]}"
        done
    fi
    [ "$(readlink "$standard" 2>/dev/null)" != "$folder/slurm.conf" ] || rm -f "$standard"
}

# `unshare` hears of nothing but SIGKILL, and takes all that it started with it.
end() {
    local tries
    kill "$1" 2>/dev/null || true
    for ((tries = 0; tries < 15; tries++)); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.2
    done
    kill -KILL "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# Whether the standard place is free, or has what an earlier start of this script could not remove.
is_free() {
    [ -e "$standard" ] || [ -L "$standard" ] || return 0
    [ -L "$standard" ] || return 1
    if [ -e "$standard" ]; then
        grep -qx "ClusterName=$name" "$standard" && ! timeout 5 sinfo >/dev/null 2>&1
    else
        [[ $(readlink "$standard") == /tmp/* ]]
    fi
}

free_ports() {
    python3 - <<'PYTHON'
import socket

sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in sockets))
PYTHON
}

configure() {
    local ports
    read -ra ports < <(free_ports)
    cat >"$folder/slurm.conf" <<CONFIGURATION
ClusterName=$name
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ReturnToService=2
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
JobCompType=jobcomp/none
KillWait=2
MinJobAge=300
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=short Nodes=$host Default=YES MaxTime=1:00:00 State=UP
PartitionName=long Nodes=$host MaxTime=INFINITE State=UP
CONFIGURATION
}

begin() {
    "$@" >"$folder/daemon.${#daemons[@]}.said" 2>&1 </dev/null &
    daemons+=($!)
}

until_done() {
    local until=$((SECONDS + 30))
    while ((SECONDS < until)); do
        ! timeout 5 "$@" >/dev/null 2>&1 || return 0
        sleep 0.2
    done
    refuse "not within 30 s: $*; see the files in $folder"
}

PATH=$PATH:/usr/sbin
[ "$(id -u)" = 0 ] || refuse "slurmd wants root"
for program in munged slurmctld slurmd sbatch srun; do
    command -v "$program" >/dev/null || refuse "$program is missing: apt-get install slurm-wlm munge"
done
is_free || refuse "$standard is there: this machine belongs to a cluster"
mkdir -p "$folder"/{state,spool} "${standard%/*}"
trap finish EXIT
trap 'exit 0' TERM INT HUP
configure
# Jobs are started without SLURM_CONF, so that the file has to lie where they look.
ln -sfn "$folder/slurm.conf" "$standard"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
begin munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --seed-file="$folder/munge.seed" --log-file="$folder/munge.log"
until_done munge --no-input --socket="$folder/munge.socket"
begin slurmctld -D
apart=(unshare --pid --fork --mount-proc --kill-child)
where=" elsewhere"
"${apart[@]}" true 2>/dev/null || apart=() where=""
begin ${apart[@]+"${apart[@]}"} slurmd -D
until_done sh -c 'sinfo --noheader --format=%T | grep -q idle'
echo "ready$where"
cat >/dev/null

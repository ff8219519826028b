#!/bin/sh
# faketime 0.9.10 (Debian 12's package), Nov 30, 2026.
# Expected: a run does not depend on an earlier one.
# Seen: the command names a semaphore by its process ID. One that was killed leaves it, and a later one that gets the same
# process ID ends with "sem_open: File exists". Containers that share /dev/shm use the same low IDs again.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq faketime=0.9.10-2.1 libfaketime=0.9.10-2.1 2>/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
# A process ID of 2 in each inner namespace, and a /dev/shm of its own for all of them.
found=$(timeout 50 unshare --map-root-user --mount sh -c '
  mount -t tmpfs none /dev/shm
  run() { unshare --pid --fork sh -c "usr/bin/faketime -f +1d $1 >/dev/null 2>error & sleep 1; kill -9 \$! 2>/dev/null; wait \$!; true"; }
  run true && cat error && echo "first: ended"
  run "sleep 9" && echo "second: killed"
  run true && cat error
')
echo "$found"
[ "$found" = 'first: ended
second: killed
faketime: sem_open: File exists
The faketime wrapper only works on platforms that support the sem_open()
system call. However, you may LD_PRELOAD libfaketime without using this wrapper.' ]

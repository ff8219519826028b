#!/bin/sh
# Runs litewitness with its key in an ssh-agent of its own. NAME is the name of the witness, such as witness.example.org/w1.
# The current folder keeps the key (made at the first start) and the database: back up the key, and never put an older
# database back, because a witness that forgets what it saw would cosign another history.
set -eu
: "${NAME:?expected NAME, such as witness.example.org/w1}"
umask 077
[ -e key ] || ssh-keygen -q -t ed25519 -N '' -C "$NAME" -f key
fingerprint=$(ssh-keygen -l -E sha256 -f key.pub | cut -d ' ' -f 2)

# The agent ends with the witness.
socket=$(mktemp -d)/agent
ssh-agent -D -a "$socket" >/dev/null &
agent=$!
trap 'kill "$agent" 2>/dev/null || true' EXIT
until SSH_AUTH_SOCK=$socket ssh-add -q key 2>/dev/null; do
  kill -0 "$agent"
  sleep 0.1
done
litewitness -db witness.db -name "$NAME" -key "$fingerprint" -ssh-agent "$socket" -listen "${LISTEN:-0.0.0.0:7380}" &
witness=$!
trap 'kill "$witness" 2>/dev/null || true' TERM INT
status=0
wait "$witness" || status=$?
exit "$status"

#!/bin/sh
# superstatic 11.0.0, the emulator of Firebase Hosting, Nov 29, 2026.
# Expected: a file without an extension is sent without a Content-Type, or as application/octet-stream.
# Seen: it is sent as `Content-Type: false`, the value for an unknown extension turned into a text.
set -eu
folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --ignore-scripts superstatic@11.0.0
mkdir site
echo text >site/checkpoint
echo '{"public":"site"}' >firebase.json
timeout 40 node_modules/.bin/superstatic --config firebase.json --host 127.0.0.1 --port 18471 >log 2>&1 &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  curl -s -o /dev/null http://127.0.0.1:18471/ && break
  sleep 1
done
found=$(curl -s -o /dev/null -w '%{content_type}' http://127.0.0.1:18471/checkpoint)
echo "Content-Type of a file without an extension: $found"
[ "$found" = false ]

#!/bin/sh
# serve 14.2.7, Nov 28, 2026.
# Expected: a folder with any JSON file can be served.
# Seen: a file now.json in the folder is read as configuration of a former service, and serve ends before it listens, unless
# there is a serve.json, which may be empty.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --ignore-scripts serve@14.2.7
mkdir site
echo '{"version":"1"}' >site/now.json
serves() {
  timeout 8 node_modules/.bin/serve site --no-port-switching --listen tcp://127.0.0.1:0 >log 2>&1 || true
  grep -q 'Accepting connections' log && echo yes || echo no
}
without=$(serves)
echo '{}' >site/serve.json
found="without serve.json: $without, with it: $(serves)"
echo "$found"
[ "$found" = 'without serve.json: no, with it: yes' ]

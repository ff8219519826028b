#!/bin/sh
# Checks the content of a proposed change and prints what publishing it would change. Runs in a checkout of the
# organization's repository. SVC is the command to run svc.
set -eu
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Four spaces make a code block that no content can end.
report() {
  { printf '## %s\n\n' "$1"; sed 's/^/    /' "$output"; printf '\n'; } >>"$summary"
  cat "$output"
}

if ! $SVC check --content content >"$output" 2>&1; then
  report 'The content has mistakes'
  exit 1
fi
$SVC diff --content content --releases releases >"$output" 2>&1
report 'What publishing would change'

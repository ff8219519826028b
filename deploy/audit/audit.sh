#!/bin/sh
# Audits a service, commits the state and once a week the time, and opens an issue unless the history is valid. Runs in a checkout of the auditor's own repository,
# which has the file policy. SVC is the command to run svc, ORIGIN the service. PIN (key IDs) and MIRRORS (URLs of copies)
# are separated by spaces and may be empty. gh opens the issue.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
set -- audit "${ORIGIN:?expected ORIGIN, the address of the service}" --json --policy policy --state state.json
# A lost state must not look like a first audit.
[ -z "$(git log -1 --format=%H -- state.json)" ] || set -- "$@" --require-state
for pin in ${PIN:-}; do set -- "$@" --pin "$pin"; done
for mirror in ${MIRRORS:-}; do set -- "$@" --mirror "$mirror"; done

audit() {
  status=0
  $SVC "$@" --evidence "$scratch/evidence.json" >"$scratch/report" 2>&1 || status=$?
  cat "$scratch/report"
}
audit "$@"
# Without a conclusion: a service that restarts and a release in progress have ended when the second try begins.
if [ "$status" -eq 3 ]; then
  sleep "${RETRY_SECONDS:-900}"
  audit "$@"
fi

# Also for an audit that cannot run or has no conclusion: a service that does not let itself be audited must not go
# unnoticed. A code has one issue, and a finding one file of evidence, while that issue is open. The evidence is pushed
# first: a run that fails between the two does both again.
title=
if [ "$status" -ne 0 ]; then
  code=$(sed -n 's/.*"code": *"\([A-Z_]*\)".*/\1/p' "$scratch/report" | head -n 1)
  title="Audit of $ORIGIN: ${code:-failed}"
  # Without the list, the evidence is still pushed.
  known=$(gh issue list --state open --limit 500 --json title --jq '.[].title') || known=
  if printf '%s\n' "$known" | grep -Fqx "$title"; then
    title=
  elif [ -e "$scratch/evidence.json" ]; then
    cp "$scratch/evidence.json" "evidence-$(date -u +%Y%m%dT%H%M%SZ).json"
  fi
fi

# Says when the schedule last ran, also while nothing is published.
last=$(git log -1 --format=%ct -- last-run)
if [ "$(($(date +%s) - ${last:-0}))" -ge 604800 ]; then
  date -u +%Y-%m-%dT%H:%M:%SZ >last-run
  git add -- last-run
fi
git add --all -- state.json 'evidence-*.json' 2>/dev/null || git add --all -- state.json 2>/dev/null || true
if ! git diff --cached --quiet; then
  git -c user.name="${GIT_AUTHOR_NAME:-svc audit}" -c user.email="${GIT_AUTHOR_EMAIL:-svc@localhost}" \
    commit --quiet --message "Audit $ORIGIN"
  git push --quiet origin "HEAD:$(git symbolic-ref HEAD)"
fi
if [ -n "$title" ]; then
  # Indented: what the service wrote is shown as text.
  sed 's/^/    /' "$scratch/report" >"$scratch/body"
  gh issue create --title "$title" --body-file "$scratch/body"
fi
exit "$status"

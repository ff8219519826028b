#!/bin/sh
# Publishes content/ into releases/, commits both and pushes the commit. Runs in a checkout of the organization's
# repository, on the branch that the server pulls. SVC is the command to run svc.
#   publish.sh            publishes what was merged; the note is the subject of the newest commit
#   publish.sh incident   first changes the status by svc incident; see the variables below
set -eu
mode=${1:-merged}
branch=$(git symbolic-ref --short HEAD)

# ACTION is open, update or resolve. The other variables are the options of that action; empty ones are left out.
edit_incident() {
  set -- incident "$ACTION" --content content
  [ -z "${ID:-}" ] || [ "$ACTION" = open ] || set -- "$@" "$ID"
  [ -z "${TITLE:-}" ] || [ "$ACTION" != open ] || set -- "$@" --title "$TITLE"
  [ -z "${IMPACT:-}" ] || [ "$ACTION" != open ] || set -- "$@" --impact "$IMPACT"
  [ -z "${STATE:-}" ] || [ "$ACTION" = resolve ] || set -- "$@" --state "$STATE"
  [ -z "${SUMMARY:-}" ] || set -- "$@" --summary "$SUMMARY"
  # Several components are separated by spaces, each as ID=STATE.
  if [ "$ACTION" != resolve ]; then
    for component in ${COMPONENTS:-}; do set -- "$@" --component "$component"; done
  fi
  $SVC "$@" --text "$TEXT"
  note=$TEXT
}

# Another commit may have arrived while this one was made. Nothing was served from it, so it is made again on top.
for attempt in 1 2 3; do
  note=$(git log -1 --format=%s)
  [ "$mode" != incident ] || edit_incident
  $SVC publish --content content --releases releases --note "$note"
  git add --all content releases
  if git diff --cached --quiet; then
    echo 'Nothing to commit.'
    exit 0
  fi
  git -c user.name="${GIT_AUTHOR_NAME:-svc publish}" -c user.email="${GIT_AUTHOR_EMAIL:-svc@localhost}" \
    commit --quiet --message "Publish $(ls releases/versions | tail -n 1 | sed 's/\.json$//')" --message "$note"
  if git push --quiet origin "HEAD:$branch"; then
    exit 0
  fi
  echo "The branch $branch has a newer commit; publishing again on top of it (attempt $attempt of 3)." >&2
  git fetch --quiet origin "$branch"
  git reset --quiet --hard FETCH_HEAD
done
echo "error: the commit was refused three times. Expected: permission to push to $branch." >&2
exit 1

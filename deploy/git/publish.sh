#!/bin/sh
# Publishes content/ into releases/, commits both and pushes the commit. Runs in a checkout of the organization's
# repository, on the branch that the server pulls. SVC is the command to run svc.
#   publish.sh            publishes what was merged; the note names the resources that changed
#   publish.sh incident   changes the status by svc incident, and publishes it; see the variables below
set -euf
mode=${1:-merged}
# In full: a tag may have the same name as the branch.
ref=$(git symbolic-ref HEAD)
branch=${ref#refs/heads/}

# ACTION is open, update, resolve or reopen. The other variables are the options of that action; empty ones are left out.
# TEXT_TH is the text in Thai, and so on. TEMPLATE is a text of content/templates.
edit_incident() {
  case $ACTION in
    open)
      # What a form has before someone chooses an impact: that of the template, or minor.
      case "${IMPACT:-} ${TEMPLATE:-}" in
        'default ') IMPACT=minor ;;
        'default '*) IMPACT= ;;
      esac
      set -- --title="${TITLE:-}" --impact="${IMPACT:-}" --state="${STATE:-}" --template="${TEMPLATE:-}"
      ;;
    update | reopen) set -- --state="${STATE:-}" ;;
    resolve) set -- ;;
    *)
      echo "error: ACTION is '$ACTION'; expected open, update, resolve or reopen" >&2
      exit 2
      ;;
  esac
  set -- "$@" --summary="${SUMMARY:-}" --text="${TEXT:-}"
  set -- "$@" --text-th="${TEXT_TH:-}" --text-zh-CN="${TEXT_ZH_CN:-}"
  # Several components are separated by spaces, each as ID=STATE.
  [ "$ACTION" = resolve ] || for component in ${COMPONENTS:-}; do set -- "$@" --component="$component"; done
  for option; do
    shift
    [ -z "${option#--*=}" ] || set -- "$@" "$option"
  done
  if [ "$ACTION" != open ]; then set -- "$@" -- "${ID:?expected the ID of the incident}"; fi
  $SVC incident "$ACTION" --publish --content content --releases releases "$@"
}

# Another commit may have arrived while this one was made. Nothing was served from it, so it is made again on top.
for attempt in 1 2 3; do
  base=$(git rev-parse HEAD)
  if [ "$mode" = incident ]; then
    edit_incident
  else
    $SVC publish --content content --releases releases --auto-note
  fi
  git add --all content releases
  if git diff --cached --quiet; then
    echo 'Nothing to commit.'
    exit 0
  fi
  git -c user.name="${GIT_AUTHOR_NAME:-svc publish}" -c user.email="${GIT_AUTHOR_EMAIL:-svc@localhost}" \
    commit --quiet --message "Publish $(ls releases/versions | grep '^VS-[0-9]*\.json$' | sort -t- -k2n | tail -n 1 | sed 's/\.json$//')"
  if git push --quiet origin "HEAD:$ref"; then
    exit 0
  fi
  git fetch --quiet origin "$ref"
  newest=$(git rev-parse FETCH_HEAD)
  if [ "$newest" = "$base" ]; then
    echo "error: the push to $branch was refused, as git says above, and $branch has no newer commit. Expected: permission to push to it. Nothing is published." >&2
    exit 1
  fi
  echo "The branch $branch has a newer commit; publishing again on top of it (attempt $attempt of 3)." >&2
  git reset --quiet --hard "$newest"
done
echo "error: $branch had a newer commit three times; run this again. Nothing is published." >&2
exit 1

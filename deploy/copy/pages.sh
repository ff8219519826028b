#!/bin/sh
# Writes a static copy of the service and pushes it as the one commit of the branch gh-pages, which GitHub Pages and its
# like serve. Runs in a checkout of the organization's repository. SVC is the command to run svc, ORIGIN the service.
# PIN (key IDs, separated by spaces) and COPY_URL (the address of the copy) may be empty.
# If the service cannot be reached, the copy is published with the proof that it had.
set -eu
# In full: a tag of the same name would be fetched instead.
ref=refs/heads/${COPY_BRANCH:-gh-pages}
set -- --releases releases --now "${ORIGIN:?expected ORIGIN, the address of the service}"
for pin in ${PIN:-}; do set -- "$@" --pin "$pin"; done
[ -z "${COPY_URL:-}" ] || set -- "$@" --base-url "$COPY_URL"

GIT_DIR=$(git rev-parse --absolute-git-dir)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
GIT_INDEX_FILE=$scratch/index
export GIT_DIR GIT_INDEX_FILE

# The copy lists the bytes of its files. Conversions of line ends that are set for the machine must not change them.
in_copy() {
  (cd copy && git -c core.autocrlf=false -c core.attributesFile=/dev/null --work-tree=. "$@")
}

# What was published last: only what changed is written, and the proof stays while the service is away.
mkdir -p copy
before=
known=$(git ls-remote origin "$ref")
if [ -n "$known" ]; then
  git fetch --quiet --depth 1 origin "$ref"
  before=$(git rev-parse FETCH_HEAD)
  in_copy read-tree --reset -u "$before"
fi

status=0
$SVC site copy "$@" || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit "$status"

in_copy add --all --force . ':!.site.*' ':!.staging'
tree=$(git write-tree)
if [ -n "$before" ] && [ "$tree" = "$(git rev-parse "$before^{tree}")" ]; then
  echo 'The copy has not changed.'
  exit 0
fi
# Without a parent: a branch of old copies would only grow.
commit=$(git -c user.name="${GIT_AUTHOR_NAME:-svc site}" -c user.email="${GIT_AUTHOR_EMAIL:-svc@localhost}" \
  commit-tree "$tree" -m "Copy of $ORIGIN")
git push --quiet --force origin "$commit:$ref"

#!/bin/sh
# Takes up new commits of the organization's repository on the server, and only commits on top of what it has: a rewritten
# branch is refused. The running service notices a new version within its reload interval. FOLDER is the checkout.
set -eu
folder=${1:?usage: pull.sh FOLDER}
cd "$folder"
# In full: a tag of the same name would be fetched instead.
ref=$(git symbolic-ref HEAD)
branch=${ref#refs/heads/}
git fetch --quiet origin "$ref"
commit=$(git rev-parse FETCH_HEAD)
status=0
git merge-base --is-ancestor HEAD "$commit" || status=$?
if [ "$status" -eq 1 ]; then
  # After commits that came to the server another way, or when the branch was set back.
  what='was rewritten'
  git merge-base --is-ancestor "$commit" HEAD && what='is behind this server'
  echo "error: $branch $what: it does not contain $(git rev-parse HEAD), which this server has. Nothing was changed. Compare both histories before you do anything else." >&2
fi
[ "$status" -eq 0 ] || exit "$status"
# A link would publish the file that it leads to, such as a secret. Below releases/ only the files of a release are known.
digest='[A-Za-z0-9_-]{43}'
known="record\.json|versions/VS-[0-9]{4,}\.json|resources/[A-Za-z0-9/-]+/$digest(\.redacted)?\.json|cards/$digest\.png"
# A killed publisher leaves files with a name like these and `.partial`, which readers ignore.
known="($known|log/(origin|policy|checkpoint|pending|witnesses\.json|\.gitignore)|\.git(attributes|ignore|keep))(\.[0-9a-f]{12}\.partial)?"
tree=$(git ls-tree -r --full-tree "$commit")
releases=$(git ls-tree -r --full-tree --name-only "$commit" releases/)
foreign=$(
  printf '%s\n' "$tree" | grep -Ev '^(100(644|755) .*)?$' | cut -f 2
  printf '%s\n' "$releases" | grep -Ev "^(releases/($known))?\$"
) || true
if [ -n "$foreign" ]; then
  echo "error: $commit has a link, or a file that is not part of a release; expected regular files, and below releases/ only what svc publish writes. Nothing was changed. Remove from $branch:" >&2
  echo "$foreign" >&2
  exit 1
fi
git merge --quiet --ff-only "$commit"

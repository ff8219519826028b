#!/bin/sh
# Takes up new commits of the organization's repository on the server, and only commits on top of what it has: a rewritten
# branch is refused. The running service notices a new version within its reload interval. FOLDER is the checkout.
set -eu
folder=${1:?usage: pull.sh FOLDER}
cd "$folder"
branch=$(git symbolic-ref --short HEAD)
git fetch --quiet origin "$branch"
if ! git merge-base --is-ancestor HEAD FETCH_HEAD; then
  echo "error: $branch was rewritten: it does not contain $(git rev-parse HEAD), which this server has. Nothing was changed. Compare both histories before you do anything else." >&2
  exit 1
fi
git merge --quiet --ff-only FETCH_HEAD

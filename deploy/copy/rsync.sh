#!/bin/sh
# Sends a static copy to a folder on another machine.
#   rsync.sh COPY TARGET [OPTION...]    such as rsync.sh /srv/public-api-copy copy@status.example.org:/srv/public-api-copy
# The options are those of rsync. Killed at any moment, it leaves nothing that names what is not there: data and assets
# come first, then pages that are new, pages that changed, what names versions, and what goes. The proof of the copy is last.
set -eu
copy=${1:?expected the folder of the copy}
target=${2:?expected where to send it}
shift 2
# Without it, an empty folder would remove everything there.
[ -e "$copy/site.json" ] || { echo "error: $copy: expected a copy that svc site wrote" >&2; exit 2; }

# Two versions of a page often have the same size, and may be of the same second.
sync() { rsync --archive --modify-window=-1 "$@"; }
send() { sync "$@" "$copy/" "$target/"; }
send "$@" --prune-empty-dirs --include='/assets/***' --include='/cards/***' --include=/archive/ --include='/archive/*/***' \
  --include=/log/ --include='/log/tile/***' --exclude='*'
pages() { send --include='*/' --include='*.html' --include='*.md' --exclude='*' "$@"; }
all() { send --exclude=/now.json --exclude='/.site.*' --exclude=/.staging "$@"; }
pages "$@" --prune-empty-dirs --ignore-existing
pages "$@" --prune-empty-dirs
all "$@"
pages "$@" --delete-after
all "$@" --delete-after
[ ! -e "$copy/now.json" ] || sync "$@" "$copy/now.json" "$target/now.json"

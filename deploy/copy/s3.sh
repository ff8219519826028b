#!/bin/sh
# Sends a static copy to a bucket of S3, or of another store with its protocol, with the type and lifetime of each file.
#   s3.sh COPY REMOTE:BUCKET            such as s3.sh copy status:status.example.org
# REMOTE is one of rclone (rclone config); options of rclone are its variables, such as RCLONE_TRANSFERS. Killed at any
# moment, it leaves nothing that names what is not there: data and assets come first, then pages that are new, pages that
# changed, what names versions, and what goes. The proof of the copy is last.
set -eu
copy=${1:?expected the folder of the copy}
target=${2:?expected where to send it}
# Without it, an empty folder would remove everything there.
[ -e "$copy/site.json" ] || { echo "error: $copy: expected a copy that svc site wrote" >&2; exit 2; }

awhile='public, max-age=600'
minute='public, max-age=60'
never='public, max-age=0, must-revalidate'

# send MODE LIFETIME TYPE RULE...: the files that the rules include; TYPE is - for the one that their ending says.
send() {
  mode=$1 lifetime=$2 type=$3
  shift 3
  for rule do
    shift
    set -- "$@" --filter "$rule"
  done
  [ "$type" = - ] || set -- "$@" --header-upload "Content-Type: $type"
  rclone copy "$copy" "$target" "$mode" --header-upload "Cache-Control: $lifetime" "$@" --filter '- **'
}
pages() {
  send "$1" "$minute" 'text/html; charset=utf-8' '+ *.html'
  send "$1" "$minute" 'text/markdown; charset=utf-8' '+ *.md'
}

# What is named by its digest or number is there or not.
send --ignore-existing "$awhile" - '+ /assets/**' '+ /cards/**' '+ /archive/*/**'
send --ignore-existing "$awhile" application/octet-stream '+ /log/tile/**'
pages --ignore-existing
pages --checksum
send --checksum "$minute" 'application/atom+xml; charset=utf-8' '+ *.atom'
send --checksum "$minute" 'text/calendar; charset=utf-8' '+ *.ics'
send --checksum "$minute" 'application/feed+json; charset=utf-8' '- /*/search*.json' '+ /{en,th,zh-CN}/**.json'
send --checksum "$minute" application/linkset+json '+ /.well-known/api-catalog'
send --checksum "$never" 'text/plain; charset=utf-8' '+ /log/*'
send --checksum "$never" - '+ /site.json' '+ /archive/versions.json'
send --checksum "$minute" - '- *.{html,md,atom,ics}' '- /{assets,cards,archive,log}/**' '- /now.json' '- /.site.*' \
  '- /.staging/**' '+ **'
rclone sync "$copy" "$target" --ignore-existing --filter '+ *.{html,md}' --filter '- **'
rclone sync "$copy" "$target" --ignore-existing --filter '- /now.json' --filter '- /.site.*' --filter '- /.staging/**'
[ ! -e "$copy/now.json" ] || rclone copyto "$copy/now.json" "$target/now.json" --checksum \
  --header-upload 'Content-Type: application/json' --header-upload "Cache-Control: $never"

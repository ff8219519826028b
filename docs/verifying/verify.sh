#!/bin/sh
# Verifies signed answers with curl and the openssl command, version 3 or newer. docs/verifying.md explains the steps.
#
#   sh verify.sh URL KEY-ID [ETAG]              writes the body once it is proved; with the ETag you hold, a 304 counts
#   sh verify.sh --history ORIGIN KEY-ID [HASH] follows the versions back to the first; HASH is the head of last time
#
# Exit status: 0 proved; 1 refused, and the first word on standard error is the step; 2 no answer to check.
set -eu
export LC_ALL=C
max_age_seconds=900
max_skew_seconds=60
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

refuse() { echo "$1: $2" >&2; exit 1; }
give_up() { echo "$1" >&2; exit 2; }
sha256_base64url() { openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='; }
# GNU's date takes seconds since 1970 after an @, BSD's after -r.
moment() { date -u -d "@$1" +%FT%T 2>/dev/null || date -u -r "$1" +%FT%T; }
is_before() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a "") < (b "")) }'; }

# fetch ORIGIN TARGET NAME [ETAG]: the answer goes to NAME.head and NAME.body. The target is sent as it stands here:
# curl would tidy a path, and the signature is over what was sent.
fetch() {
  : >"$work/$3.body"
  curl -q -sS --max-time 60 --globoff --request-target "$2" ${4:+--header} ${4:+"If-None-Match: $4"} \
    --dump-header "$work/$3.head" --output "$work/$3.body" "$1/" || give_up "There is no answer from $1"
}

# field HEAD NAME: the value of a header field, whatever the case of its name; several lines are joined by a comma.
field() {
  awk -v name="$2" '
    /^HTTP\// { value = ""; next }
    {
      sub(/\r$/, "")
      colon = index($0, ":")
      if (tolower(substr($0, 1, colon - 1)) != tolower(name)) next
      text = substr($0, colon + 1)
      gsub(/^[ \t]+|[ \t]+$/, "", text)
      value = value == "" ? text : value ", " text
    }
    END { print value }' "$work/$1.head"
}
status_of() { awk '/^HTTP\// { status = $2 } END { print status }' "$work/$1.head"; }

# key ORIGIN KEY-ID: makes key.pem of the key whose id, computed here, is the pinned one.
key() {
  fetch "$1" /api/v1/keys/signing-key key
  for x in $(grep -o '"x":"[A-Za-z0-9_-]*"' "$work/key.body" | cut -d '"' -f 4); do
    id=$(printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$x" | sha256_base64url)
    [ "$id" = "$2" ] || continue
    # The first sixteen letters say "Ed25519"; what follows is the key itself in base64.
    printf -- '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA%s=\n-----END PUBLIC KEY-----\n' \
      "$(printf %s "$x" | tr '_-' '/+')" >"$work/key.pem"
    # Its dates stand behind it and before the next key; null, or none at all, is no limit.
    tr -d '\n' <"$work/key.body" | sed "s/.*\"x\":\"$x\"//; s/\"jwk\":.*//" >"$work/key.rest"
    not_before=$(sed -n 's/.*"notBefore":"\([^"]*\)".*/\1/p' "$work/key.rest")
    not_after=$(sed -n 's/.*"notAfter":"\([^"]*\)".*/\1/p' "$work/key.rest")
    for date in $not_before $not_after; do is_moment "$date" || refuse MALFORMED "$date is no time in UTC"; done
    return
  done
  refuse UNKNOWN_KEY "no key of $1 has the id $2"
}

# is_signed SIGNATURE: whether the text in signed.txt bears this signature, in exactly this base64.
is_signed() {
  printf %s "$1" | openssl base64 -d -A >"$work/signature.bin" 2>/dev/null
  [ "$(openssl base64 -A <"$work/signature.bin")" = "$1" ] &&
    openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/signed.txt" \
      -sigfile "$work/signature.bin" >/dev/null 2>&1
}

is_moment() {
  case $1 in
    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*Z) ;;
    *) return 1 ;;
  esac
}
# require_time TIME: that it is none to come, and one at which the key was in use.
require_time() {
  is_moment "$1" || refuse MALFORMED "$1 is no time in UTC"
  ! is_before "$(moment $(($(date +%s) + max_skew_seconds)))" "${1%Z}" || refuse FUTURE "signed at $1"
  [ -z "$not_before" ] || ! is_before "${1%Z}" "${not_before%Z}" ||
    refuse KEY_PERIOD "signed at $1, the key is in use from $not_before"
  [ -z "$not_after" ] || ! is_before "${not_after%Z}" "${1%Z}" ||
    refuse KEY_PERIOD "signed at $1, the key was in use until $not_after"
}
is_fresh() { ! is_before "${1%Z}" "$(moment $(($(date +%s) - max_age_seconds)))"; }

# revalidation NAME TARGET STEP: the proof that a 304 carries, or that a cache took over from one; where none, STEP.
revalidation() {
  revalidated=$(field "$1" X-SVC-Revalidated)
  [ -n "$revalidated" ] || refuse "$3" 'there is no X-SVC-Revalidated'
  signed_at=${revalidated%%; *}
  printf 'svc-revalidation-v1\nGET\n%s\n304\n%s\n%s' "$2" "$signed_at" "$(field "$1" ETag)" >"$work/signed.txt"
  is_signed "${revalidated#*; }" || refuse REVALIDATION 'X-SVC-Revalidated does not fit target, time and ETag'
  require_time "$signed_at"
  is_fresh "$signed_at" || refuse STALE "revalidated at $signed_at"
}

# The data inside the envelope. What was published is sent in canonical form, so there is nothing to sort.
data_of() {
  sed 's/^{"ok":true,"schema":"[^"]*","requestId":"[^"]*","issuedAt":"[^"]*","data":\(.*\)}$/\1/' \
    "$work/$1.body" | tr -d '\n'
}

# require_etag NAME ETAG: that it is the one of the data.
require_etag() {
  [ "$2" = "W/\"$(data_of "$1" | sha256_base64url)\"" ] || refuse ETAG "the data are not those of $2"
}
# is_canonical TARGET: false for the four documents that the service makes. Their members would have to be sorted first.
is_canonical() {
  case ${1%%\?*} in
    /api/v1 | /api/v1/policy | /api/v1/openapi.json | /api/v1/keys/signing-key) return 1 ;;
  esac
}

# require_request_id NAME: that it is the one of the body, where both have one. It stands before any data.
require_request_id() {
  stated=$(sed -n '1s/^{"ok":[a-z]*,"schema":"[^"]*","requestId":"\([^"]*\)".*/\1/p' "$work/$1.body")
  found=$(field "$1" X-Request-Id)
  [ -z "$stated" ] || [ -z "$found" ] || [ "$found" = "$stated" ] ||
    refuse REQUEST_ID "the body says $stated, the header $found"
}

# check NAME TARGET: every step on an answer that was fetched.
check() {
  status=$(status_of "$1")
  if [ "$status" = 304 ]; then
    revalidation "$1" "$2" UNSIGNED
    return
  fi
  for name in Content-Digest X-SVC-Signed-At X-SVC-Signature; do
    [ -n "$(field "$1" "$name")" ] || refuse UNSIGNED "there is no $name"
  done
  digest="sha-256=:$(openssl dgst -sha256 -binary "$work/$1.body" | openssl base64 -A):"
  [ "$digest" = "$(field "$1" Content-Digest)" ] || refuse DIGEST "the body has $digest"
  signed_at=$(field "$1" X-SVC-Signed-At)
  printf 'svc-response-v1\nGET\n%s\n%s\n%s\n%s' "$2" "$status" "$signed_at" "$digest" >"$work/signed.txt"
  is_signed "$(field "$1" X-SVC-Signature)" ||
    refuse SIGNATURE 'it does not fit target, status, time and digest'
  require_time "$signed_at"
  etag=$(field "$1" ETag)
  if is_fresh "$signed_at"; then
    # The signature covers the data without it, so where it is missing, or cannot be compared, nothing is lost.
    if [ -n "$etag" ] && is_canonical "$2"; then require_etag "$1" "$etag"; fi
  else
    # A newer 304 may vouch for the ETag, and then the data must be those of the ETag.
    revalidation "$1" "$2" STALE
    require_etag "$1" "$etag"
  fi
  require_request_id "$1"
}

# history ORIGIN KEY-ID HASH: the newest version is signed, and each one proves the one before by its hash.
history() {
  key "$1" "$2"
  fetch "$1" /api/v1/version version
  check version /api/v1/version
  [ "$status" = 200 ] || give_up "/api/v1/version answered $status"
  text=$(data_of version)
  member() { printf %s "$text" | grep -o "\"$1\":\"\{0,1\}[A-Za-z0-9-]*" | tail -n 1 | sed 's/.*[":]//'; }
  sequence=$(member sequence) head=$(member hash) expected=$(member hash) unmet=$3
  while [ "$sequence" -gt 0 ]; do
    id=$(printf 'VS-%04d' "$sequence")
    # Without its own hash an entry is what was hashed, after a line that says what it is.
    hash=$({
      printf 'svc-version-v1\n'
      printf %s "$text" | sed 's/"hash":"[0-9a-f]*",//' | tr -d '\n'
    } | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    [ "$hash" = "$expected" ] && [ "$(member hash)" = "$expected" ] ||
      refuse BROKEN "$id: expected the hash $expected, it has $hash"
    [ "$(member snapshotId)" = "$id" ] && [ "$(member sequence)" = "$sequence" ] ||
      refuse BROKEN "$id: this is not its number"
    [ "$hash" != "$3" ] || unmet=
    expected=$(member previousHash)
    sequence=$((sequence - 1))
    [ "$sequence" -gt 0 ] || break
    id=$(printf 'VS-%04d' "$sequence")
    fetch "$1" "/api/v1/versions/$id" entry
    [ "$(status_of entry)" = 200 ] || refuse BROKEN "$id: answered $(status_of entry)"
    text=$(data_of entry)
  done
  [ "$expected" = "$(printf '%064d' 0)" ] || refuse BROKEN 'VS-0001: its previousHash is not 64 zeros'
  [ -z "$unmet" ] || refuse REWRITTEN "the version with the hash $3 is gone"
  echo "$head"
}

case $(openssl version) in
  'OpenSSL '[3-9]*) ;;
  *) give_up "Expected OpenSSL 3 or newer, found $(openssl version)" ;;
esac
[ $# -ge 2 ] || give_up 'Expected URL KEY-ID [ETAG], or --history ORIGIN KEY-ID [HASH]'
case $1 in
  --history) history "${2%/}" "${3-}" "${4-}" ;;
  http://*/* | https://*/*)
    url=${1%%#*}
    rest=${url#*://}
    origin=${url%%://*}://${rest%%/*} target=/${rest#*/}
    key "$origin" "$2"
    fetch "$origin" "$target" answer "${3-}"
    check answer "$target"
    if [ "$status" = 304 ] && [ "$(field answer ETag)" != "${3-}" ]; then refuse ETAG 'the 304 is about other data'; fi
    echo "Verified: GET $target, status $status, signed at $signed_at" >&2
    cat "$work/answer.body"
    ;;
  *) give_up "Expected http://... or https://..., with a path, found $1" ;;
esac

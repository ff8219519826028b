#!/bin/sh
# Verifies signed responses with curl and the openssl command, version 3 or newer. docs/verifying.md explains the steps.
#
#   sh verify.sh URL KEY-ID[,KEY-ID...] [ETAG]  writes the body once it is verified; with the ETag you hold, a 304 counts
#   sh verify.sh --history ORIGIN KEY-ID[,KEY-ID...] [HASH]
#                                               follows the versions back to the first; HASH is the head of last time
#
# Exit status: 0 verified; 1 refused, and the first word on standard error is the step; 2 wrong usage; 3 no conclusion:
# unreachable, or a proxy's error without a signature.
set -eu
export LC_ALL=C
max_age_seconds=900
max_skew_seconds=60
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

refuse() { echo "$1: $2" >&2; exit 1; }
misuse() { echo "$1" >&2; exit 2; }
give_up() { echo "$1" >&2; exit 3; }
sha256_base64url() { openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='; }
# GNU's date takes seconds since 1970 after an @, BSD's after -r.
moment() { date -u -d "@$1" +%FT%T 2>/dev/null || date -u -r "$1" +%FT%T; }
is_before() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a "") < (b "")) }'; }

# fetch ORIGIN TARGET NAME [ETAG]: the response goes to NAME.head and NAME.body. The target is sent exactly as given:
# curl would tidy a path, and the signature is over what was sent.
fetch() {
  : >"$work/$3.body"
  curl -q -sS --max-time 60 --globoff --request-target "$2" ${4:+--header} ${4:+"If-None-Match: $4"} \
    --dump-header "$work/$3.head" --output "$work/$3.body" "$1/" || give_up "No response from $1"
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

# keys ORIGIN KEY-IDS: makes N.pem and N.id of every key in the document, and counts those that are pinned. Ids are
# computed here: what the document calls a key proves nothing.
keys() {
  fetch "$1" /api/v1/keys/signing-key key
  count=0 pinned=0
  for x in $(grep -o '"x":"[A-Za-z0-9_-]*"' "$work/key.body" | cut -d '"' -f 4 | head -n 64); do
    count=$((count + 1))
    id=$(printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$x" | sha256_base64url)
    echo "$id" >"$work/$count.id"
    # The first sixteen letters say "Ed25519"; what follows is the key itself in base64.
    printf -- '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA%s=\n-----END PUBLIC KEY-----\n' \
      "$(printf %s "$x" | tr '_-' '/+')" >"$work/$count.pem"
    # Its dates follow it and precede the next key; null or a missing date means unlimited.
    tr -d '\n' <"$work/key.body" | sed "s/.*\"x\":\"$x\"//; s/\"jwk\":.*//" >"$work/$count.rest"
    is_pinned "$id" "$2" || continue
    pinned=$((pinned + 1))
    for date in $(date_of $count notBefore) $(date_of $count notAfter); do
      is_moment "$date" || refuse MALFORMED "$date is not a time in UTC"
    done
  done
  [ $pinned -gt 0 ] || is_proxy_error key || refuse UNKNOWN_KEY "no key of $1 has the id $2"
  [ $pinned -gt 0 ] || give_up "UNSIGNED: $1 sent status $(status_of key) without a signature, as a proxy does"
}
date_of() { sed -n 's/.*"'"$2"'":"\([^"]*\)".*/\1/p' "$work/$1.rest"; }
is_pinned() { case ,$2, in *,"$1",*) ;; *) return 1 ;; esac; }
# is_proxy_error NAME: whether it is an error without a signature, which says nothing about the service.
is_proxy_error() {
  [ -z "$(field "$1" X-SVC-Signature)" ] || return 1
  case $(status_of "$1") in 429 | 5??) ;; *) return 1 ;; esac
}

# require_signed PINS SIGNATURE STEP TEXT: that a key signed signed.txt with exactly this base64, or refuses with STEP, and
# that the key is pinned. Sets not_before and not_after to the dates of that key.
require_signed() {
  printf %s "$2" | openssl base64 -d -A >"$work/signature.bin" 2>/dev/null
  [ "$(openssl base64 -A <"$work/signature.bin")" = "$2" ] || refuse "$3" "$4"
  number=1
  while [ $number -le $count ]; do
    if openssl pkeyutl -verify -pubin -inkey "$work/$number.pem" -rawin -in "$work/signed.txt" \
      -sigfile "$work/signature.bin" >/dev/null 2>&1; then
      is_pinned "$(cat "$work/$number.id")" "$1" || refuse UNKNOWN_KEY "signed by $(cat "$work/$number.id")"
      not_before=$(date_of $number notBefore) not_after=$(date_of $number notAfter)
      return
    fi
    number=$((number + 1))
  done
  refuse "$3" "$4"
}

# is_moment TIME: whether it is ISO 8601 in UTC, in seconds or milliseconds, on a day that exists.
is_moment() {
  printf '%s\n' "$1" | awk -F '[-T:.Z]' '
    !/^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9](\.[0-9][0-9][0-9])?Z$/ { exit 1 }
    {
      days = $2 == 2 ? 28 + ($1 % 4 == 0 && ($1 % 100 != 0 || $1 % 400 == 0)) : 30 + ($2 + ($2 > 7)) % 2
      exit !($2 >= 1 && $2 <= 12 && $3 >= 1 && $3 <= days && $4 < 24 && $5 < 60 && $6 < 60)
    }'
}
# require_time TIME: that it is not in the future, and that the key was in use then.
require_time() {
  is_moment "$1" || refuse MALFORMED "$1 is not a time in UTC"
  ! is_before "$(moment $(($(date +%s) + max_skew_seconds)))" "${1%Z}" || refuse FUTURE "signed at $1"
  [ -z "$not_before" ] || ! is_before "${1%Z}" "${not_before%Z}" ||
    refuse KEY_PERIOD "signed at $1, the key is in use from $not_before"
  [ -z "$not_after" ] || ! is_before "${not_after%Z}" "${1%Z}" ||
    refuse KEY_PERIOD "signed at $1, the key was in use until $not_after"
}
is_fresh() { ! is_before "${1%Z}" "$(moment $(($(date +%s) - max_age_seconds)))"; }

# revalidation NAME TARGET PINS STEP: the proof that a 304 carries, or that a cache merged from one; refuses with STEP if
# it is missing.
revalidation() {
  revalidated=$(field "$1" X-SVC-Revalidated)
  [ -n "$revalidated" ] || refuse "$4" 'there is no X-SVC-Revalidated'
  signed_at=${revalidated%%; *}
  printf 'svc-revalidation-v1\nGET\n%s\n304\n%s\n%s' "$2" "$signed_at" "$(field "$1" ETag)" >"$work/signed.txt"
  require_signed "$3" "${revalidated#*; }" REVALIDATION 'X-SVC-Revalidated does not match target, time and ETag'
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
  [ "$2" = "W/\"$(data_of "$1" | sha256_base64url)\"" ] || refuse ETAG "the data does not match $2"
}
# is_canonical TARGET: false for the four documents that the service makes. Their members would have to be sorted first.
is_canonical() {
  case ${1%%\?*} in
    /api/v1 | /api/v1/policy | /api/v1/openapi.json | /api/v1/keys/signing-key) return 1 ;;
  esac
}

# require_request_id NAME: that it is the one of the body, where both have one. In the body it precedes the data.
require_request_id() {
  stated=$(sed -n '1s/^{"ok":[a-z]*,"schema":"[^"]*","requestId":"\([^"]*\)".*/\1/p' "$work/$1.body")
  found=$(field "$1" X-Request-Id)
  [ -z "$stated" ] || [ -z "$found" ] || [ "$found" = "$stated" ] ||
    refuse REQUEST_ID "the body says $stated, the header $found"
}

# check NAME TARGET PINS ETAG: every step on a response that was fetched. A 304 counts only for the ETag in the request.
check() {
  status=$(status_of "$1")
  ! is_proxy_error "$1" || give_up "UNSIGNED: status $status without a signature, as from a proxy"
  if [ "$status" = 304 ]; then
    revalidation "$1" "$2" "$3" UNSIGNED
    [ -n "$4" ] && [ "$(field "$1" ETag)" = "$4" ] || refuse ETAG 'the request did not name the ETag of the 304'
    return
  fi
  for name in Content-Digest X-SVC-Signed-At X-SVC-Signature; do
    [ -n "$(field "$1" "$name")" ] || refuse UNSIGNED "there is no $name"
  done
  digest="sha-256=:$(openssl dgst -sha256 -binary "$work/$1.body" | openssl base64 -A):"
  [ "$digest" = "$(field "$1" Content-Digest)" ] || refuse DIGEST "the body has $digest"
  signed_at=$(field "$1" X-SVC-Signed-At)
  printf 'svc-response-v1\nGET\n%s\n%s\n%s\n%s' "$2" "$status" "$signed_at" "$digest" >"$work/signed.txt"
  require_signed "$3" "$(field "$1" X-SVC-Signature)" SIGNATURE \
    'it does not match target, status, time and digest'
  require_time "$signed_at"
  etag=$(field "$1" ETag)
  if is_fresh "$signed_at"; then
    # The signature covers the data without it, so where it is missing, or cannot be compared, nothing is lost.
    if [ -n "$etag" ] && is_canonical "$2"; then require_etag "$1" "$etag"; fi
  else
    # A newer 304 may vouch for the ETag, and then the data must be those of the ETag.
    revalidation "$1" "$2" "$3" STALE
    require_etag "$1" "$etag"
  fi
  require_request_id "$1"
}

# resources_in FILE, changes_in FILE: of an entry, one line each, such as "status 47DE..." and "status changed".
resources_in() {
  sed -n 's/.*"resources":{\([^}]*\)}.*/\1/p' "$1" | tr ',' '\n' | sed -n 's/^"\([^"]*\)":"\([^"]*\)"$/\1 \2/p'
}
changes_in() {
  sed -n 's/.*"changes":\[\([^]]*\)\].*/\1/p' "$1" | sed 's/},{/}\n{/g' |
    sed -n 's/^{"kind":"\([^"]*\)","resource":"\([^"]*\)"}$/\2 \1/p' | awk 1
}
# require_changes ID BEFORE ENTRY: that the changes of an entry are what its resources and those before it show.
require_changes() {
  resources_in "$2" >"$work/old"
  resources_in "$3" >"$work/new"
  awk -v old="$work/old" '
    FILENAME == old { before[$1] = $2; next }
    !($1 in before) { print $1, "added" }
    ($1 in before) && before[$1] != $2 { print $1, "changed" }
    { delete before[$1] }
    END { for (name in before) print name, "removed" }' "$work/old" "$work/new" | sort >"$work/expected"
  changes_in "$3" | cmp -s - "$work/expected" ||
    refuse CHANGES_FALSE "$1: expected $(tr '\n' ',' <"$work/expected") found $(changes_in "$3" | tr '\n' ',')"
}

# history ORIGIN PINS HASH: the newest version is signed, and each one proves the one before by its hash.
history() {
  keys "$1" "$2"
  fetch "$1" /api/v1/version version
  check version /api/v1/version "$2" ''
  [ "$status" = 200 ] || give_up "/api/v1/version has status $status"
  data_of version >"$work/entry"
  member() { grep -o "\"$1\":\"\{0,1\}[A-Za-z0-9-]*" "$work/entry" | tail -n 1 | sed 's/.*[":]//'; }
  sequence=$(member sequence) head=$(member hash) expected=$(member hash) unmet=$3 later_created=
  rm -f "$work/later"
  while [ "$sequence" -gt 0 ]; do
    id=$(printf 'VS-%04d' "$sequence")
    # Without its own hash an entry is what was hashed, after a line that says what it is.
    hash=$({
      printf 'svc-version-v1\n'
      sed 's/"hash":"[0-9a-f]*",//' "$work/entry" | tr -d '\n'
    } | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    [ "$hash" = "$expected" ] && [ "$(member hash)" = "$expected" ] ||
      refuse BROKEN "$id: expected the hash $expected, it has $hash"
    [ "$(member snapshotId)" = "$id" ] && [ "$(member sequence)" = "$sequence" ] ||
      refuse BROKEN "$id: this is not its number"
    created=$(grep -o '"createdAt":"[^"]*"' "$work/entry" | tail -n 1 | cut -d '"' -f 4)
    is_moment "$created" || refuse BROKEN "$id: createdAt is not a time in UTC"
    [ -z "$later_created" ] || ! is_before "${later_created%Z}" "${created%Z}" ||
      refuse BROKEN "$id: it is later than the version after it"
    later_created=$created
    for name in apiVersion registryVersion note; do
      grep -q "\"$name\":\"" "$work/entry" || refuse BROKEN "$id: $name is missing or malformed"
    done
    grep -q '"resources":{' "$work/entry" && grep -q '"changes":\[' "$work/entry" ||
      refuse BROKEN "$id: its resources or changes are missing or malformed"
    [ ! -e "$work/later" ] || require_changes "$(printf 'VS-%04d' $((sequence + 1)))" "$work/entry" "$work/later"
    [ "$hash" != "$3" ] || unmet=
    expected=$(member previousHash)
    mv "$work/entry" "$work/later"
    sequence=$((sequence - 1))
    [ "$sequence" -gt 0 ] || break
    id=$(printf 'VS-%04d' "$sequence")
    fetch "$1" "/api/v1/versions/$id" entry
    ! is_proxy_error entry || give_up "UNSIGNED: $id: status $(status_of entry) without a signature, as from a proxy"
    [ "$(status_of entry)" = 200 ] || refuse BROKEN "$id: status $(status_of entry)"
    data_of entry >"$work/entry"
  done
  [ "$expected" = "$(printf '%064d' 0)" ] || refuse BROKEN 'VS-0001: its previousHash is not 64 zeros'
  : >"$work/nothing"
  require_changes VS-0001 "$work/nothing" "$work/later"
  [ -z "$unmet" ] || refuse REWRITTEN "the version with the hash $3 is gone"
  echo "$head"
}

case $(openssl version) in
  'OpenSSL '[3-9]*) ;;
  *) misuse "Expected OpenSSL 3 or newer, found $(openssl version)" ;;
esac
[ $# -ge 2 ] || misuse 'Expected URL KEY-ID[,KEY-ID...] [ETAG], or --history ORIGIN KEY-ID[,KEY-ID...] [HASH]'
case $1 in
  --history) history "${2%/}" "${3-}" "${4-}" ;;
  http://*/* | https://*/*)
    url=${1%%#*}
    rest=${url#*://}
    origin=${url%%://*}://${rest%%/*} target=/${rest#*/}
    keys "$origin" "$2"
    fetch "$origin" "$target" response "${3-}"
    check response "$target" "$2" "${3-}"
    echo "Verified: GET $target, status $status, signed at $signed_at" >&2
    cat "$work/response.body"
    ;;
  *) misuse "Expected http://... or https://..., with a path, found $1" ;;
esac

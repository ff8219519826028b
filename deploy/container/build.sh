#!/usr/bin/env bash
# Builds the image of a commit: deploy/container/build.sh IMAGE [COMMIT] [build options].
# Uses podman, docker or buildah, whichever is installed; BUILDER chooses one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

image=${1:?usage: build.sh IMAGE [COMMIT] [build options]}
commit=${2:-HEAD}
shift $(($# < 2 ? $# : 2))

if [ -z "${BUILDER:-}" ]; then
  for BUILDER in podman docker buildah ''; do command -v "$BUILDER" >/dev/null 2>&1 && break; done
fi
[ -n "$BUILDER" ] || { echo 'build.sh: expected podman, docker or buildah on the PATH' >&2; exit 1; }

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
git archive "$commit" package.json package-lock.json .npmrc packages src locales assets deploy LICENSE |
  tar -x -C "$context"
# The packages are installed here, so that the image needs no npm. No dependency has an install script.
npm ci --prefix "$context" --omit=dev --ignore-scripts --loglevel=error
chmod -R a+rX,go-w "$context"

# The health check is not part of the OCI format.
[ "$BUILDER" = docker ] || set -- --format docker "$@"
"$BUILDER" build --file "$context/deploy/container/Containerfile" --tag "$image" "$@" "$context"

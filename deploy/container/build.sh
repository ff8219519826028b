#!/usr/bin/env bash
# Builds the image of a commit: deploy/container/build.sh IMAGE [COMMIT] [build options].
# Uses the first of podman, docker and buildah that works; BUILDER chooses one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

image=${1:?usage: build.sh IMAGE [COMMIT] [build options]}
commit=${2:-HEAD}
shift $(($# < 2 ? $# : 2))

# A program may be installed without a daemon or the rights to use it.
if [ -z "${BUILDER:-}" ]; then
  for BUILDER in podman docker buildah ''; do "$BUILDER" info >/dev/null 2>&1 && break; done
fi
if [ -z "$BUILDER" ]; then
  echo 'build.sh: neither podman, docker nor buildah works here; run "docker info" or set BUILDER' >&2
  exit 1
fi
echo "Building $image of $commit with $BUILDER"

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
git archive "$commit" package.json package-lock.json .npmrc packages src locales assets deploy LICENSE |
  tar -x -C "$context"
# The packages are installed here, so that the image needs no npm. No dependency has an install script.
npm ci --prefix "$context" --omit=dev --ignore-scripts --loglevel=error
chmod -R a+rX,go-w "$context"

# The health check is not part of the OCI format, the default of podman and buildah. Podman may be called docker.
case $("$BUILDER" --version) in *podman* | *buildah*) set -- --format docker "$@" ;; esac
"$BUILDER" build --file "$context/deploy/container/Containerfile" --tag "$image" "$@" "$context"

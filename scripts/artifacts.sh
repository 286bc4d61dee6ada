#!/usr/bin/env bash
# Makes the files of a release but the image: `scripts/artifacts.sh <new folder> <tag>` in a clone after `npm ci`. Needs Helm: in $HELM or on the PATH.
set -euo pipefail
target="$1" tag="$2"
cd "$(dirname "$0")/.."
version="$(node -p 'require("./package.json").version')"
if [ "$tag" != "v$version" ]; then
  echo "The tag is $tag, but package.json has version $version." >&2
  exit 1
fi
mkdir -p "$target/chart" "$target/npm"
target="$(cd "$target" && pwd)"
packed="$(mktemp -d)"
trap 'rm -rf "$packed"' EXIT

node --input-type=module -e '
  import { readFileSync } from "node:fs";
  import { releaseNotes } from "./scripts/changelog.ts";
  process.stdout.write(releaseNotes(readFileSync("CHANGELOG.md", "utf8"), process.argv[1]));
' "$version" >"$target/notes.md"
node scripts/manifests.ts - --set image.tag="$version" >"$target/install.yaml"
"${HELM:-helm}" package charts/groundcrew --destination "$target/chart" >/dev/null
pack() {
  npm run --silent build --workspace "$1" -- "$packed/$1"
  npm pack --silent --pack-destination "$target/npm" "$packed/$1" >/dev/null
}
jobs=()
for package in packages/*; do
  pack "$package" &
  jobs+=($!)
done
# Its `prepack` builds dist/.
npm pack --silent --pack-destination "$target/npm" >/dev/null
node scripts/build.ts --image "$packed/image" >/dev/null
cp "$packed/image/app/sbom.spdx.json" "$target/sbom.spdx.json"
for job in "${jobs[@]}"; do wait "$job"; done
(cd "$target" && sha256sum chart/*.tgz npm/*.tgz install.yaml sbom.spdx.json >SHA256SUMS)

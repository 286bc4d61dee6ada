import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A file that shows the version of package.json. */
export interface VersionPlace {
  /** Path in the repository. */
  file: string;
  /** The text with another version. */
  rewrite: (text: string, version: string) => string;
}

/** All files that show the version. `npm run release` changes them, and a test finds one that differs. */
export function versionPlaces(root: string): VersionPlace[] {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  return [
    ...['package.json', ...packages].map((file) => placeAt(file, MANIFEST)),
    { file: 'package-lock.json', rewrite: lockWith },
    placeAt('charts/groundcrew/Chart.yaml', /(?<=^(?:version|appVersion): )\S+$/gm),
    placeAt('Dockerfile', /(?<=^ARG VERSION=)\S+$/gm),
    placeAt('docs/install.md', /(?<=groundcrew:|image\.tag=)\d\S+/g),
  ];
}

/** The version of a package, and the one that it demands of the packages in `packages/`. */
const MANIFEST = /(?<="version": "|"@groundcrew\/[^"]+": ")[^"]+/g;

/** @param pattern matches the version alone */
function placeAt(file: string, pattern: RegExp): VersionPlace {
  return { file, rewrite: (text, version) => text.replaceAll(pattern, version) };
}

interface Lock {
  version: string;
  packages: Record<string, Record<string, unknown>>;
}

/** Of a lock file only the entries of our own packages. */
function lockWith(text: string, version: string): string {
  const lock = JSON.parse(text) as Lock;
  const own = Object.entries(lock.packages).filter(([folder]) => folder === '' || folder.startsWith('packages/'));
  const rewritten = own.map(([folder, entry]) => {
    const json = JSON.stringify(entry).replaceAll(/(?<="version":"|"@groundcrew\/[^"]+":")[^"]+/g, version);
    return [folder, JSON.parse(json) as Lock['packages'][string]] as const;
  });
  const next = { ...lock, version, packages: { ...lock.packages, ...Object.fromEntries(rewritten) } };
  return `${JSON.stringify(next, undefined, 2)}\n`;
}

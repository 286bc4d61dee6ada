import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The fields of a package.json that an SBOM has. */
interface Package {
  name: string;
  version: string;
  license?: string;
}

/** What else notices have of it. */
interface Source {
  repository?: string | { url: string };
}

/** The folders of the npm packages that files belong to. */
export function foldersOf(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))];
}

/** The npm packages that files belong to, by name and version. */
export function packagesOf(files: readonly string[]): Package[] {
  const packages = foldersOf(files).map((folder) => {
    const { repository: _, ...each } = manifest(`${folder}/package.json`);
    return each;
  });
  const byId = new Map(packages.map((each) => [idOf(each), each]));
  return [...byId].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/**
 * The list of packages in a bundle, as SPDX 2.3. Scanners find no packages in bundled code.
 *
 * @param product path of the package.json of the program
 */
export function sbomOf(product: string, packages: readonly Package[], created: Date): object {
  const { repository: _, ...program } = manifest(product);
  const content = createHash('sha256')
    .update(JSON.stringify([program, packages]))
    .digest('hex')
    .slice(0, 16);
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${program.name}-${program.version}`,
    documentNamespace: `https://spdx.org/spdxdocs/${program.name}-${program.version}-${content}`,
    creationInfo: { created: created.toISOString().replace(/\.\d+Z$/, 'Z'), creators: ['Tool: scripts/build.ts'] },
    packages: [program, ...packages].map((each) => ({
      SPDXID: idOf(each),
      name: each.name,
      versionInfo: each.version,
      downloadLocation: 'NOASSERTION',
      filesAnalyzed: false,
      licenseDeclared: each.license ?? 'NOASSERTION',
      externalRefs: [
        {
          referenceCategory: 'PACKAGE-MANAGER',
          referenceType: 'purl',
          referenceLocator: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
        },
      ],
    })),
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: idOf(program) },
      ...packages.map((each) => ({
        spdxElementId: idOf(program),
        relationshipType: 'CONTAINS',
        relatedSpdxElement: idOf(each),
      })),
    ],
  };
}

/** Letters, digits, dots and hyphens. */
function idOf({ name, version }: Package): string {
  return `SPDXRef-${name}-${version}`.replaceAll(/[^\w.-]|_/g, '-');
}

export function manifest(file: string): Package & Source {
  // npm installs no package without name and version.
  const { name, version, license, repository } = JSON.parse(readFileSync(file, 'utf8')) as Package & Source;
  return { name, version, ...(license !== undefined && { license }), ...(repository !== undefined && { repository }) };
}

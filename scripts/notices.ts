import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersOf, manifest } from './sbom.ts';

/** Files with the terms of a package, or of code of others within it. */
const TERMS = /(^|\/)((un)?licen[cs]e|notice|copying)([-.](?!([cm]?[jt]s|json|html)$)[^/]*)?$/i;
const COMMENT = /\/\*[^]*?\*\//g;
const COPYRIGHT = /copyright|\(c\) *(19|20)\d\d/i;
const LINE = '='.repeat(80);

/**
 * The licences of the packages in a bundle, as they ask for with each copy: the files with their terms, and the comments
 * with copyrights in the code, which a bundle does not have.
 *
 * @param files with code in the bundle
 * @throws Error if a package has no such text
 */
export function noticesOf(files: readonly string[]): string {
  const folders = foldersOf(files).toSorted();
  const parts = folders.map((folder) => {
    const { name, version, license = '', repository } = manifest(`${folder}/package.json`);
    const terms = termsIn(folder).map((file) => readFileSync(file, 'utf8'));
    const own = files.filter((file) => file.startsWith(`${folder}/`)).toSorted();
    const comments = own.flatMap((file) => readFileSync(file, 'utf8').match(COMMENT) ?? []);
    const texts = [...terms, ...comments.filter((comment) => COPYRIGHT.test(comment))].map((text) => text.trim());
    if (texts.length === 0) throw new Error(`${name} has no licence text`);
    const source = typeof repository === 'string' ? repository : repository?.url;
    const title = `${name} ${version} (${license})`;
    return [LINE, title, ...(source === undefined ? [] : [`Source: ${source}`]), ...new Set(texts)].join('\n\n');
  });
  return ['This program contains the following npm packages.', ...new Set(parts)].join('\n\n') + '\n';
}

function termsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => TERMS.test(file) && !file.includes('node_modules/'))
    .toSorted()
    .map((file) => join(folder, file));
}

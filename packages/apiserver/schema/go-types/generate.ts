/**
 * Writes go-types.json from the sources of Kubernetes' Go modules, for the kinds of builtin-schemas.json:
 * `node generate.ts "$(go env GOMODCACHE)/k8s.io" v0.34.4`.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuiltinSchemas } from '../builtin-schemas.ts';
import type { GoTypesFile } from './go-types.ts';

const [directory, version] = process.argv.slice(2);
if (directory === undefined || version === undefined) throw new Error('usage: generate.ts DIRECTORY VERSION');

interface Package {
  name: string;
  structs: Map<string, string[]>;
  /** What types that are no structs are made of. */
  named: Map<string, string>;
}

const TYPE_META: GoTypesFile['structs'][string]['fields'] = { kind: ['string', 'e'], apiVersion: ['string', 'e'] };
const packages = new Map<string, Promise<Package>>();
const file: GoTypesFile = {
  structs: {},
  named: { 'types.UID': 'string', 'types.NodeName': 'string', 'v1.PersistentVolumeReclaimPolicy': 'string' },
};

const { published } = await BuiltinSchemas.load();
for (const name of Object.keys(published).sort()) {
  const parts = name.split('.');
  const struct = parts.pop() ?? '';
  const [, , module = '', ...path] = parts; // io.k8s.<module>.…
  const folder = join(`${module}@${version}`, ...path);
  const home = await (packages.get(folder) ?? readPackage(folder));
  if (!home.structs.has(struct)) continue; // one that writes its own JSON
  file.structs[name] = { name: struct, fields: fieldsOf(home, struct) };
}
await writeFile(new URL('go-types.json', import.meta.url), `${lines(file)}\n`);

async function readPackage(folder: string): Promise<Package> {
  const reading = parsePackage(join(directory ?? '', folder));
  packages.set(folder, reading);
  return await reading;
}

async function parsePackage(folder: string): Promise<Package> {
  const result: Package = { name: folder.split('/').pop() ?? '', structs: new Map(), named: new Map() };
  const files = (await readdir(folder)).filter((name) => name.endsWith('.go') && !/_test\.go$|^zz_/.test(name));
  for (const name of files) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, struct = '', body = ''] of text.matchAll(/^type (\w+) struct ?\{(?:\n([\s\S]*?)^)?\}/gm))
      result.structs.set(struct, body.split('\n'));
    for (const [, type = '', made = ''] of text.matchAll(/^type (\w+) (string|bool|int32|int64|\[\]\S+|map\[\S+)$/gm))
      result.named.set(type, made);
  }
  return result;
}

function fieldsOf(home: Package, struct: string): GoTypesFile['structs'][string]['fields'] {
  const fields: GoTypesFile['structs'][string]['fields'] = {};
  for (const line of home.structs.get(struct) ?? []) {
    const [, declared = '', tag = ''] = /^\t(?:\w+\s+)?(\S+)\s+`.*?json:"([^"]*)"/.exec(line) ?? [];
    const [name = '', ...options] = tag.split(',');
    if (options.includes('inline')) {
      Object.assign(fields, declared.endsWith('.TypeMeta') ? TYPE_META : fieldsOf(home, declared));
    } else if (name !== '' && name !== '-') {
      fields[name] = [
        qualified(home, declared.replace(/^\*/, '')),
        (declared.startsWith('*') ? 'p' : '') +
          (options.includes('omitempty') ? 'e' : '') +
          (options.includes('omitzero') ? 'z' : ''),
      ];
    }
  }
  return fields;
}

/** A type as Go's reflection names it; what it is made of is noted on the way. */
function qualified(home: Package, type: string): string {
  const [, prefix = '', rest = ''] = /^((?:\[\]|map\[[\w.]+\]|\*)*)(.*)$/.exec(type) ?? [];
  const named = prefix.replaceAll('*', '').replace(/\[(\w+)\]/g, (_, key: string) => `[${nameOf(home, key)}]`);
  return named + (rest === 'byte' ? 'uint8' : nameOf(home, rest.replace(/^metav1\.|^v1\./, 'v1.')));
}

function nameOf(home: Package, type: string): string {
  const made = home.named.get(type);
  const name = made !== undefined || home.structs.has(type) ? `${home.name}.${type}` : type;
  if (made !== undefined) file.named[name] = qualified(home, made);
  return name;
}

function lines({ structs, named }: GoTypesFile): string {
  const rows = Object.entries(structs).map(([name, struct]) => `${JSON.stringify(name)}: ${JSON.stringify(struct)}`);
  // They are found in the order in which files happen to be read.
  const sorted = Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `{"named": ${JSON.stringify(sorted)},\n"structs": {\n${rows.join(',\n')}\n}}`;
}

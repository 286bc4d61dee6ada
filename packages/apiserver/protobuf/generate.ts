/**
 * Writes messages.json from the .proto files of Kubernetes' Go modules:
 * `node generate.ts "$(go env GOMODCACHE)/k8s.io" v0.34.4`.
 */
import { glob, readFile, writeFile } from 'node:fs/promises';
import { BUILTIN_KINDS } from '../resources/builtin-kinds.ts';
import { BuiltinSchemas } from '../schema/index.ts';
import type { Field, Messages } from './protobuf-decoder.ts';

const [directory, version] = process.argv.slice(2);
if (directory === undefined || version === undefined) throw new Error('usage: generate.ts DIRECTORY VERSION');

const MODULES = ['api', 'apimachinery', 'apiextensions-apiserver', 'kube-aggregator'];
const SCALARS = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'uint32', 'uint64', 'double', 'float']);
const { published } = await BuiltinSchemas.load();
const messages: Record<string, Record<string, Field>> = {};

for (const module of MODULES) {
  for await (const file of glob(`${directory}/${module}@${version}/**/generated.proto`)) {
    const types = await readFile(file.replace('generated.proto', 'types.go'), 'utf8').catch(() => '');
    readProto(await readFile(file, 'utf8'), pointersOf(types));
  }
}

/** `Struct.jsonName` of the pointer fields in Go. Only these fields keep zero values in JSON. */
function pointersOf(go: string): Set<string> {
  const pointers = new Set<string>();
  let struct = '';
  for (const line of go.split('\n')) {
    struct = /^type (\w+) struct/.exec(line)?.[1] ?? struct;
    const name = /^\t\w+\s+\*\S+\s+`.*json:"([^,"]+)/.exec(line)?.[1];
    if (name !== undefined) pointers.add(`${struct}.${name}`);
  }
  return pointers;
}

function readProto(text: string, pointers: ReadonlySet<string>): void {
  const home = /^package (.*);/m.exec(text)?.[1] ?? '';
  let struct = '';
  for (const line of text.split('\n')) {
    struct = /^message (\w+) \{/.exec(line)?.[1] ?? struct;
    const [, label = '', type = '', name = '', number = ''] =
      /^ {2}(optional|repeated|map)\s?(\S.*) (\w+) = (\d+);/.exec(line) ?? [];
    const fields = (messages[`${home}.${struct}`] ??= {});
    if (label !== '') fields[number] = fieldOf(home, struct, { label, type, name }, pointers);
  }
}

function fieldOf(
  home: string,
  struct: string,
  { label, type, name }: Record<'label' | 'type' | 'name', string>,
  pointers: ReadonlySet<string>,
): Field {
  const value = label === 'map' ? (/<string, (.*)>/.exec(type)?.[1] ?? '') : type;
  const isScalar = SCALARS.has(value);
  const properties = published[`${home}.${struct}`.replace('k8s.io.', 'io.k8s.').replaceAll('_', '-')]?.properties;
  // A struct embedded in Go is a field in protobuf, but not in JSON.
  const isInline = label === 'optional' && !isScalar && properties !== undefined && !Object.hasOwn(properties, name);
  return {
    name,
    type: isScalar ? value : value.startsWith('.') ? value.slice(1) : `${home}.${value}`,
    ...(label === 'optional' ? {} : { [label]: true }),
    ...(isInline ? { inline: true } : {}),
    ...(isScalar && pointers.has(`${struct}.${name}`) ? { pointer: true } : {}),
  };
}

const kinds: Record<string, string> = {
  'authentication.k8s.io/v1/TokenRequest': 'k8s.io.api.authentication.v1.TokenRequest',
  'authentication.k8s.io/v1/SelfSubjectReview': 'k8s.io.api.authentication.v1.SelfSubjectReview',
  'authorization.k8s.io/v1/SelfSubjectAccessReview': 'k8s.io.api.authorization.v1.SelfSubjectAccessReview',
  'autoscaling/v1/Scale': 'k8s.io.api.autoscaling.v1.Scale',
};
for (const { group, version: served, kind, schema } of BUILTIN_KINDS) {
  kinds[`${group === '' ? '' : `${group}/`}${served}/${kind}`] = schema
    .replace('io.k8s.', 'k8s.io.')
    .replaceAll('-', '_');
}

const used: Messages['messages'] = {};
function take(name: string): void {
  const fields = messages[name];
  if (SCALARS.has(name) || used[name] !== undefined || fields === undefined) return;
  used[name] = fields;
  for (const { type } of Object.values(fields)) take(type);
}
for (const name of [...Object.values(kinds), 'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions']) take(name);

const lines = Object.entries(used)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, fields]) => `${JSON.stringify(name)}: ${JSON.stringify(fields)}`);
await writeFile(
  new URL('messages.json', import.meta.url),
  `{"kinds": ${JSON.stringify(kinds)},\n"messages": {\n${lines.join(',\n')}\n}}\n`,
);

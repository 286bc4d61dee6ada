/**
 * Writes builtin-schemas.json from a running kube-apiserver:
 * `node generate.ts https://127.0.0.1:6443 TOKEN`. NODE_EXTRA_CA_CERTS: the file with its CA certificate.
 */
import { writeFile } from 'node:fs/promises';
import { BUILTIN_KINDS } from '../resources/builtin-kinds.ts';
import type { Schema } from './schema.ts';

const [server, token] = process.argv.slice(2);
if (server === undefined || token === undefined) throw new Error('usage: generate.ts SERVER TOKEN');

const published: Record<string, Schema> = {};
const groups = new Set(
  BUILTIN_KINDS.map(({ group, version }) => (group === '' ? 'api/v1' : `apis/${group}/${version}`)),
);
for (const path of [...groups, 'apis/authentication.k8s.io/v1', 'apis/authorization.k8s.io/v1']) {
  const response = await fetch(`${server}/openapi/v3/${path}`, { headers: { authorization: `Bearer ${token}` } });
  const document = (await response.json()) as { components: { schemas: Record<string, Schema> } };
  Object.assign(published, document.components.schemas);
}

const used = new Map<string, Schema>();
function take(name: string): void {
  const schema = published[name];
  if (used.has(name)) return;
  if (schema === undefined) throw new Error(`${server} publishes no ${name}`);
  used.set(name, schema);
  for (const match of JSON.stringify(schema).matchAll(/#\/components\/schemas\/([^"]+)"/g)) take(match[1] ?? '');
}
for (const kind of BUILTIN_KINDS) take(kind.schema);
for (const name of [
  'authentication.v1.TokenRequest',
  'authorization.v1.SelfSubjectAccessReview',
  'autoscaling.v1.Scale',
])
  take(`io.k8s.api.${name}`);

const lines = [...used]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
await writeFile(new URL('builtin-schemas.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);

/**
 * Writes builtin-descriptions.json, the descriptions of the columns of built-in kinds, from a running kube-apiserver:
 * `node generate.ts https://127.0.0.1:6443 TOKEN` (NODE_EXTRA_CA_CERTS for its certificate).
 */
import { writeFile } from 'node:fs/promises';
import { BUILTIN_KINDS } from '../resources/builtin-kinds.ts';

const [server, token] = process.argv.slice(2);
if (server === undefined || token === undefined) throw new Error('usage: generate.ts SERVER TOKEN');

interface Table {
  columnDefinitions: { name: string; description: string }[];
}

const found: Record<string, Record<string, string>> = {};
for (const { group, version, plural } of BUILTIN_KINDS) {
  const path = group === '' ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
  const response = await fetch(`${server}${path}?limit=1`, { headers });
  const { columnDefinitions } = (await response.json()) as Table;
  found[`${group}/${plural}`] = Object.fromEntries(
    columnDefinitions.map(({ name, description }) => [name, description]),
  );
}
await writeFile(new URL('builtin-descriptions.json', import.meta.url), `${JSON.stringify(found, undefined, 2)}\n`);

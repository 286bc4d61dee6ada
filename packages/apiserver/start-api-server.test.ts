import { createServer } from 'node:https';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from './objects.ts';
import {
  CONFIG_MAPS,
  configMap,
  DEFINITIONS,
  MERGE,
  startTestServer,
  WIDGETS,
  widget,
  widgets,
  type TestServer,
} from './testing/index.ts';

let folder: string;
let server: TestServer;
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'groundcrew-api-')), 'data');
  server = await startTestServer({ folder });
});
afterEach(async () => {
  await server.close();
  rmSync(join(folder, '..'), { recursive: true });
});

async function restart(): Promise<void> {
  await server.close();
  server = await startTestServer({ folder });
}

async function call(...args: Parameters<TestServer['call']>): Promise<ApiObject> {
  const { status, body, text } = await server.call(...args);
  expect(status, text).toBeLessThan(300);
  return body as ApiObject;
}

describe('a server that restarts with its folder', () => {
  it('has the same address, CA and token', async () => {
    const { server: url, ca, token } = server;
    await restart();
    expect(server).toMatchObject({ server: url, ca, token });
  });

  it('has the same objects, and continues the resourceVersion', async () => {
    await call('POST', CONFIG_MAPS, configMap('gone'));
    const made = await call('POST', CONFIG_MAPS, configMap('a', { key: 'ü' }));
    const last = await call('DELETE', `${CONFIG_MAPS}/gone`);
    await restart();
    expect(await call('GET', `${CONFIG_MAPS}/a`)).toEqual(made);
    expect((await server.call('GET', `${CONFIG_MAPS}/gone`)).status).toBe(404);
    expect(last).toMatchObject({ status: 'Success' });
    const changed = await call('PATCH', `${CONFIG_MAPS}/a`, { data: { key: 'b' } }, MERGE);
    expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    // The DELETE and this PATCH: the start itself wrote nothing.
    expect(Number(changed.metadata.resourceVersion)).toBe(Number(made.metadata.resourceVersion) + 2);
  });

  it('accepts service account tokens from before the restart', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    const { status } = await call('POST', path, body);
    await restart();
    const token = (status as { token: string }).token;
    expect((await server.call('GET', CONFIG_MAPS, undefined, { token })).status).toBe(200);
  });

  it('serves custom resources, and completes the deletion of a CustomResourceDefinition', async () => {
    await call('POST', DEFINITIONS, widgets({ properties: { size: { type: 'integer' } } }));
    const made = await call('POST', WIDGETS, widget('held', { size: 1 }, { finalizers: ['test.io/hold'] }));
    await restart();
    expect(await call('GET', `${WIDGETS}/held`)).toEqual(made);
    expect((await server.call('POST', WIDGETS, widget('bad', { size: 'x' }))).status).toBe(422);
    await call('DELETE', `${DEFINITIONS}/widgets.test.io`);
    await restart();
    expect((await call('GET', `${WIDGETS}/held`)).metadata.deletionTimestamp).toBeDefined();
    await call('PATCH', `${WIDGETS}/held`, { metadata: { finalizers: null } }, MERGE);
    expect((await server.call('GET', `${DEFINITIONS}/widgets.test.io`)).status).toBe(404);
  });

  it('continues the deletion of a namespace', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } };
    await call('POST', '/api/v1/namespaces', namespace);
    const inside = '/api/v1/namespaces/going/configmaps';
    await call('POST', inside, configMap('held', {}, { finalizers: ['test.io/hold'] }));
    await call('DELETE', '/api/v1/namespaces/going');
    await restart();
    await call('PATCH', `${inside}/held`, { metadata: { finalizers: null } }, MERGE);
    await expect.poll(async () => (await server.call('GET', '/api/v1/namespaces/going')).status).toBe(404);
  });

  it('collects dependents of an owner from before the restart', async () => {
    const owner = await call('POST', CONFIG_MAPS, configMap('owner'));
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' };
    await call('POST', CONFIG_MAPS, configMap('owned', {}, { ownerReferences: [reference] }));
    await restart();
    await call('DELETE', `${CONFIG_MAPS}/owner`);
    await expect.poll(async () => (await server.call('GET', `${CONFIG_MAPS}/owned`)).status).toBe(404);
  });

  it('answers lists at a resourceVersion from before the restart, and refuses watches from there', async () => {
    const { metadata } = await call('POST', CONFIG_MAPS, configMap('a'));
    await call('PATCH', `${CONFIG_MAPS}/a`, { data: { key: 'b' } }, MERGE);
    await call('DELETE', `${CONFIG_MAPS}/a`);
    await restart();
    const at = `resourceVersion=${metadata.resourceVersion ?? ''}`;
    const { items } = await call('GET', `${CONFIG_MAPS}?${at}&resourceVersionMatch=Exact`);
    expect(items).toMatchObject([{ metadata: { name: 'a' } }, { metadata: { name: 'kube-root-ca.crt' } }]);
    expect(await server.watch(`${CONFIG_MAPS}?watch=1&${at}`, 1)).toMatchObject([
      { type: 'ERROR', object: { code: 410 } },
    ]);
  });

  it('creates files that only the owner can read', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'identity.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['identity.json', 'store']);
  });
});

describe('a server that cannot restart', () => {
  it('rejects with EADDRINUSE if another program uses its port', async () => {
    const port = Number(new URL(server.server).port);
    await server.close();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    await expect(startTestServer({ folder })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    other.close();
    await once(other, 'close');
    server = await startTestServer({ folder });
  });

  it.each([
    ['{', 'identity.json is damaged. Restore it from a copy'],
    ['{"format":1}', 'identity.json is damaged'],
    ['{"format":2}', 'identity.json was written by a later version of Groundcrew (format 2; this version reads 1).'],
  ])('rejects with a StorageError for the identity %s', async (text, message) => {
    await server.close();
    writeFileSync(join(folder, 'identity.json'), text);
    await expect(startTestServer({ folder })).rejects.toThrow(message);
  });
});

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryAccounts } from '../../testing/index.ts';
import type { Json, JsonObject } from '../json.ts';
import { checkAgainstSchema, FakeBmc, needsSchemas } from '../testing/index.ts';
import { createRedfishService, type RedfishService } from './redfish-service.ts';

const OWNER = { username: 'owner', password: 'Quux-7-plugh' };

let service: RedfishService;
let server: Server;
let base: string;
let failures: unknown[];

beforeEach(async () => {
  failures = [];
  const bmc = new FakeBmc();
  bmc.machine.parts = {
    manufacturer: 'Example',
    cpuCount: 2,
    memoryBytes: 2 ** 31,
    networkInterfaces: [{ name: 'default', macAddress: '02:00:00:00:00:01', ipAddresses: ['192.0.2.7'] }],
    disks: [{ name: 'root', kind: 'Disk', bus: 'virtio', isReadOnly: false, capacityBytes: 2 ** 33 }],
  };
  bmc.machine.options = [{ id: 'disk:root', device: 'Hdd', instance: 1, name: 'root', order: 1 }];
  bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
  service = createRedfishService({
    ...bmc.options,
    accounts: new MemoryAccounts(OWNER),
    random: randomBytes,
    observer: { ...bmc.options.observer, failed: (error) => failures.push(error) },
  });
  server = createServer(service.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
});

afterEach(async () => {
  service.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const AUTHORIZATION = `Basic ${Buffer.from(`${OWNER.username}:${OWNER.password}`).toString('base64')}`;

async function get(uri: string): Promise<{ status: number; etag: string | null; json: JsonObject }> {
  const response = await fetch(`${base}${uri}`, { headers: { authorization: AUTHORIZATION } });
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const json = isJson ? ((await response.json()) as JsonObject) : {};
  return { status: response.status, etag: response.headers.get('etag'), json };
}

/** All links of a payload within the service. */
function linksOf(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, Json | undefined]) => {
    const isLink = name === '@odata.id' || name === '@Redfish.ActionInfo';
    if (!isLink || typeof inner !== 'string') return linksOf(inner);
    return [inner.split('#')[0] ?? ''];
  });
}

describe('the whole service', () => {
  /** All payloads, found by their links. */
  const crawl = async (): Promise<Map<string, JsonObject>> => {
    const payloads = new Map<string, JsonObject>();
    const open = ['/redfish/v1/'];
    for (let uri = open.pop(); uri !== undefined && payloads.size < 500; uri = open.pop()) {
      if (payloads.has(uri)) continue;
      const { status, etag, json } = await get(uri);
      expect({ uri, status, id: json['@odata.id'] }).toEqual({ uri, status: 200, id: uri });
      expect(json['@odata.etag'] ?? null).toBe(etag);
      payloads.set(uri, json);
      open.push(...linksOf(json));
    }
    return payloads;
  };

  it('has every linked resource, with the requested URI', async () => {
    const payloads = await crawl();
    expect(payloads.size).toBeGreaterThan(60);
    expect(failures).toEqual([]);
  });

  it('conforms to its schemas', needsSchemas, async () => {
    const problems = [...(await crawl())].flatMap(([uri, json]) =>
      checkAgainstSchema(json, { legacy: true }).map((problem) => `${uri}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('supports log-in, requests with the token, and log-out', async () => {
    const credentials = { UserName: OWNER.username, Password: OWNER.password };
    const login = await fetch(`${base}/redfish/v1/SessionService/Sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    expect(login.status).toBe(201);
    const headers = { 'x-auth-token': login.headers.get('x-auth-token') ?? '' };
    const session = login.headers.get('location') ?? '';
    const statuses: number[] = [];
    for (const method of ['GET', 'DELETE', 'GET']) {
      statuses.push((await fetch(`${base}${session}`, { method, headers })).status);
    }
    expect(statuses).toEqual([200, 204, 401]);
  });

  it('refuses wrong credentials and says how to log in', async () => {
    const authorization = `Basic ${Buffer.from('owner:wrong').toString('base64')}`;
    const response = await fetch(`${base}/redfish/v1/Systems`, { headers: { authorization } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
  });

  it('sends events about changes', async () => {
    const stream = await fetch(`${base}/redfish/v1/EventService/SSE`, { headers: { authorization: AUTHORIZATION } });
    const reader = stream.body?.getReader();
    await fetch(`${base}/redfish/v1/Systems/1`, {
      method: 'PATCH',
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
      body: JSON.stringify({ AssetTag: 'shelf 7' }),
    });
    let text = '';
    for (let chunks = 0; chunks < 10 && !text.includes('ResourceChanged'); chunks++) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    expect(text).toContain('/redfish/v1/Systems/1');
    await reader?.cancel();
  });
});

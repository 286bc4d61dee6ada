import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { SERVICES } from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/eventually.ts';
import { RedfishClient, startSandbox, type Sandbox, type SandboxBmc } from '../../harness/sandbox/index.ts';

/** Plain HTTP, which is disabled by default, through the Service of the BMC. */

const SYSTEM = '/redfish/v1/Systems/1';
const PROTOCOLS = '/redfish/v1/Managers/1/NetworkProtocol';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const TIMEOUT = 30_000;

describe('plain HTTP', () => {
  let sandbox: Sandbox;
  let bmc: SandboxBmc;
  let https: RedfishClient;

  beforeAll(async () => {
    sandbox = await startSandbox();
    bmc = sandbox.bmcs[0] ?? expect.fail('the sandbox has no BMC');
    https = new RedfishClient(bmc);
  }, 60_000);

  afterAll(async () => {
    await sandbox.close();
  });

  it('is served beside HTTPS while it is enabled, and not afterwards', { timeout: 120_000 }, async () => {
    expect(await nodePort()).toBeUndefined();
    expect(await https.send('PATCH', PROTOCOLS, { HTTP: { ProtocolEnabled: true } })).toMatchObject({ status: 200 });
    expect((await sandbox.client.get(VIRTUAL_MACHINE_BMCS, ref())).spec.redfish?.http).toEqual({ enabled: true });
    const port = await eventually(async () => (await nodePort()) ?? expect.fail('the Service has no port for HTTP'), {
      timeout: TIMEOUT,
    });
    const at = (path: string): string => `http://127.0.0.1:${port}${path}`;
    const basic = { Authorization: `Basic ${Buffer.from(`${bmc.username}:${bmc.password}`).toString('base64')}` };
    await eventually(
      async () => {
        const system = await fetch(at(SYSTEM), { headers: basic });
        expect(system.status).toBe(200);
        expect(await system.json()).toMatchObject({ '@odata.id': SYSTEM });
      },
      { timeout: TIMEOUT },
    );
    expect((await fetch(at(SYSTEM))).status).toBe(401);

    const json = { 'Content-Type': 'application/json' };
    const login = JSON.stringify({ UserName: bmc.username, Password: bmc.password });
    const session = await fetch(at(SESSIONS), { method: 'POST', headers: json, body: login });
    expect(session.status).toBe(201);
    const token = { 'X-Auth-Token': session.headers.get('x-auth-token') ?? '' };
    const label = JSON.stringify({ AssetTag: 'by plain HTTP' });
    const patched = await fetch(at(SYSTEM), { method: 'PATCH', headers: { ...json, ...token }, body: label });
    expect(patched.status).toBe(200);
    const place = new URL(session.headers.get('location') ?? '', at('/')).pathname;
    expect((await fetch(at(place), { method: 'DELETE', headers: token })).ok).toBe(true);
    expect((await fetch(at(SYSTEM), { headers: token })).status).toBe(401);

    expect(await https.get(SYSTEM)).toMatchObject({ AssetTag: 'by plain HTTP' });
    // The BMC does not know the node port.
    expect(await https.get(PROTOCOLS)).toMatchObject({
      HTTP: { ProtocolEnabled: true, Port: null },
    });

    const spec = { redfish: { http: { enabled: false } } };
    await sandbox.client.patch(VIRTUAL_MACHINE_BMCS, ref(), 'merge', { spec });
    await eventually(
      async () => {
        await expect(fetch(at(SYSTEM), { headers: basic })).rejects.toThrow('fetch failed');
        expect(await https.get(SYSTEM)).toMatchObject({ '@odata.id': SYSTEM });
      },
      { timeout: TIMEOUT },
    );
    // A plain HTTP request to the HTTPS port gets an explanation.
    const astray = await fetch(bmc.redfish.replace('https:', 'http:'), { redirect: 'manual' });
    expect([astray.status, astray.headers.get('location')]).toEqual([308, `${bmc.redfish}/`]);
  });

  const ref = () => ({ namespace: bmc.namespace, name: bmc.name });

  /** Port of the Service; undefined: it has no port for plain HTTP. */
  async function nodePort(): Promise<number | undefined> {
    const ref = { namespace: bmc.namespace, name: agentName(bmc.virtualMachine) };
    const { spec } = await sandbox.client.get(SERVICES, ref);
    return spec?.ports?.find(({ name }) => name === 'redfish-http')?.nodePort;
  }
});

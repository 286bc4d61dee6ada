import { X509Certificate } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { RequestTraces } from '../../../agent/bmc/index.ts';
import { ANNOTATIONS, certificateSecretName, stateSecretName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { jsonLogger } from '../../../cli/agent/json-logger.ts';
import { EVENTS, SECRETS } from '@groundcrew/controller-runtime';
import { makeAuthority, makeServerCertificate, type KeyPair } from '../../../manager/authority/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from '../power/machine-scene.ts';
import type { TestAgent, TestAgentOptions } from '../power/test-agent.ts';
import type { TestMachine } from '../power/test-machine.ts';
import { RedfishClient } from './redfish-client.ts';

const DAY = 86_400_000;
const LOGIN = 'admin:secret';
const SYSTEM = '/redfish/v1/Systems/1';
const PROTOCOLS = '/redfish/v1/Managers/1/NetworkProtocol';
const SESSIONS = '/redfish/v1/SessionService/Sessions';

const scene = await machineScene();
const { world, namespace } = scene;
const authority = await makeAuthority({ name: 'test', lifetime: DAY, now: Date.now() });
const clients: RedfishClient[] = [];

afterAll(() => {
  for (const client of clients) client.close();
});

async function issue(name: string): Promise<KeyPair> {
  return await makeServerCertificate(authority, { names: [name, 'bmc'], lifetime: DAY, now: Date.now() });
}

/** Stores a certificate as the manager does. */
async function putCertificate(machine: TestMachine, { cert, key }: KeyPair): Promise<void> {
  const metadata = { namespace, name: certificateSecretName(machine.bmc.name) };
  const data = { 'tls.crt': Buffer.from(cert).toString('base64'), 'tls.key': Buffer.from(key).toString('base64') };
  const draft = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
  await world.client.apply(SECRETS, draft, { force: true });
}

async function aMachine(): Promise<TestMachine> {
  const machine = await scene.aMachine();
  await putCertificate(machine, await issue('one'));
  return machine;
}

async function anAgent(machine: TestMachine, options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
  return await scene.anAgent(machine, { redfish: true, ...options });
}

function clientOf(agent: TestAgent): RedfishClient {
  const client = new RedfishClient(agent.redfishPort ?? 0, authority.cert, 'bmc');
  clients.push(client);
  return client;
}

/** On a loaded machine an agent may occasionally fail to reach itself. */
async function hasNoProblem(agent: TestAgent): Promise<void> {
  await eventually(() => {
    expect(agent.problem).toBeUndefined();
  });
}

async function eventsOf(machine: TestMachine, reason: string): Promise<string[]> {
  const { items } = await world.client.list(EVENTS, { namespace });
  const told = items.filter((event) => event.reason === reason && event.involvedObject.name === machine.bmc.name);
  return told.map(({ message }) => message ?? '');
}

describe('the Redfish service of an agent', () => {
  it('answers authenticated clients over HTTPS', async () => {
    const machine = await aMachine();
    const client = clientOf(await anAgent(machine));
    const root = await client.ask('/redfish/v1');
    expect(root).toMatchObject({ status: 200, shown: 'one' });
    expect(root.headers).toMatchObject({ 'odata-version': '4.0' });
    expect(await client.ask(SYSTEM)).toMatchObject({ status: 401 });
    expect(await client.ask(SYSTEM, { login: LOGIN })).toMatchObject({
      status: 200,
      body: { '@odata.id': SYSTEM, PowerState: 'Off' },
    });
  });

  it('powers the machine on, with one ID in the answer, the log, the call to KubeVirt and the Event', async () => {
    const machine = await aMachine();
    const lines: string[] = [];
    const traces = new RequestTraces('test');
    const logger = jsonLogger('info', { write: (line) => void lines.push(line), more: () => traces.fields });
    const client = clientOf(await anAgent(machine, { logger, traces }));
    const target = `${SYSTEM}/Actions/ComputerSystem.Reset`;
    const answer = await client.ask(target, { method: 'POST', login: LOGIN, body: { ResetType: 'On' } });
    expect([200, 204]).toContain(answer.status);
    await eventually(async () => {
      expect((await client.ask(SYSTEM, { login: LOGIN })).body).toMatchObject({ PowerState: 'On' });
    });
    await eventually(async () => {
      expect((await eventsOf(machine, 'PowerOn')).join('\n')).toContain('admin');
    });
    const request = String(answer.headers['x-request-id']);
    const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const followed = all.filter((line) => line['request'] === request);
    const object = `${namespace}/${machine.bmc.name}`;
    const audit = expect.stringMatching(`^${request}-[0-9]+$`) as string;
    expect(followed).toContainEqual(expect.objectContaining({ method: 'PUT', audit, level: 'info' }));
    expect(followed).toContainEqual(
      expect.objectContaining({ action: 'PowerOn', kind: 'VirtualMachineBMC', object, client: '127.0.0.1' }),
    );
    const { items } = await world.client.list(EVENTS, { namespace });
    const [event] = items.filter(({ metadata }) => metadata.annotations?.[ANNOTATIONS.request] === request);
    expect(event).toMatchObject({ reason: 'PowerOn', involvedObject: { name: machine.bmc.name } });
    // kube-apiserver takes the ID for its audit log; the embedded API server has none.
    const { headers } = await world.http('GET', '/version', { headers: { 'audit-id': `${request}-1` } });
    expect(headers['audit-id'] ?? `${request}-1`).toBe(`${request}-1`);
  });

  it('suspends the machine, and sets its restore policy without starting or stopping it', async () => {
    const machine = await aMachine();
    const client = clientOf(await anAgent(machine));
    const reset = async (ResetType: string) =>
      await client.ask(`${SYSTEM}/Actions/ComputerSystem.Reset`, { method: 'POST', login: LOGIN, body: { ResetType } });
    const setPolicy = async (PowerRestorePolicy: string) =>
      await client.ask(SYSTEM, { method: 'PATCH', login: LOGIN, body: { PowerRestorePolicy } });
    const becomes = async (PowerState: string) => {
      await eventually(async () => {
        expect((await client.ask(SYSTEM, { login: LOGIN })).body).toMatchObject({ PowerState });
      });
    };
    await reset('On');
    const vmi = await machine.running();
    await becomes('On');

    for (const [policy, runStrategy] of [
      ['LastState', 'RerunOnFailure'],
      ['AlwaysOn', 'Always'],
      ['AlwaysOff', 'Manual'],
    ] as const) {
      expect(await setPolicy(policy)).toMatchObject({ status: 200, body: { PowerRestorePolicy: policy } });
      expect((await machine.vm()).spec).toMatchObject({ runStrategy });
    }
    expect(await reset('Suspend')).toMatchObject({ status: 200 });
    await eventually(async () => {
      const { conditions = [] } = (await machine.vmi())?.status ?? {};
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Paused', status: 'True' }));
    });
    await becomes('Paused');
    await reset('On');
    await becomes('On');
    expect((await machine.running()).metadata.uid).toBe(vmi.metadata.uid);

    await reset('ForceOff');
    await machine.off();
    await becomes('Off');
    expect(await setPolicy('AlwaysOn')).toMatchObject({ status: 409 });
    expect((await machine.vm()).spec.runStrategy).toBe('Manual');
    expect(await eventsOf(machine, 'RestorePolicySet')).toHaveLength(3);
  });

  it('keeps sessions over a restart, with tokens that are not readable in the cluster', async () => {
    const machine = await aMachine();
    const first = await anAgent(machine);
    const body = { UserName: 'admin', Password: 'secret' };
    const made = await clientOf(first).ask(SESSIONS, { method: 'POST', body });
    expect(made.status).toBe(201);
    const token = String(made.headers['x-auth-token']);
    const { data = {} } = await world.client.get(SECRETS, { namespace, name: stateSecretName(machine.bmc.name) });
    expect(Buffer.from(data['redfish'] ?? '', 'base64').toString()).not.toContain(token);
    await first.kill();

    const next = clientOf(await anAgent(machine, { podName: 'agent-2' }));
    expect(await next.ask(SYSTEM, { token })).toMatchObject({ status: 200 });
    const uri = new URL(String(made.headers['location']), 'https://bmc').pathname;
    expect([200, 204]).toContain((await next.ask(uri, { method: 'DELETE', token })).status);
    expect(await next.ask(SYSTEM, { token })).toMatchObject({ status: 401 });
  });

  it('uses a new certificate without closing connections', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const client = clientOf(agent);
    expect(await client.ask('/redfish/v1')).toMatchObject({ shown: 'one' });
    await putCertificate(machine, await issue('two'));
    await eventually(async () => {
      const fresh = clientOf(agent);
      expect(await fresh.ask('/redfish/v1')).toMatchObject({ status: 200, shown: 'two' });
    });
    expect(await client.ask('/redfish/v1')).toMatchObject({ status: 200 });
    expect(client.connections).toBe(1);
  });

  it('keeps its current certificate if the next one is unusable, and reports it', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await putCertificate(machine, { ...(await issue('two')), key: (await issue('three')).key });
    await eventually(async () => {
      expect(await eventsOf(machine, 'CertificateUnreadable')).toEqual([
        expect.stringContaining('the previous one is still used'),
      ]);
    });
    expect(await clientOf(agent).ask('/redfish/v1')).toMatchObject({ status: 200, shown: 'one' });
    await hasNoProblem(agent);
  });

  it('shows the certificate that a client has set, also after a restart, and its key to nobody', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const { cert, key } = await issue('mine');
    const replace = async (by: TestAgent) =>
      await clientOf(by).ask('/redfish/v1/CertificateService/Actions/CertificateService.ReplaceCertificate', {
        ...{ method: 'POST', login: LOGIN },
        body: {
          CertificateString: cert + key,
          CertificateType: 'PEM',
          CertificateUri: { '@odata.id': `${PROTOCOLS}/HTTPS/Certificates/1` },
        },
      });
    const shownBy = async (by: TestAgent): Promise<string> => (await clientOf(by).ask('/redfish/v1')).shown;
    expect(await shownBy(agent)).toBe('one');
    expect(await replace(agent)).toMatchObject({
      status: 204,
      headers: { location: `${PROTOCOLS}/HTTPS/Certificates/1` },
    });
    expect(await shownBy(agent)).toBe('mine');
    const clientCertificateExpiresAt = new X509Certificate(cert).validToDate.toISOString();
    await eventually(async () => {
      expect((await machine.bmcObject()).status).toMatchObject({ clientCertificateExpiresAt });
      expect((await eventsOf(machine, 'SettingsChanged')).join()).toContain('certificate was replaced');
    });
    const { items } = await world.client.list(EVENTS, { namespace });
    expect(JSON.stringify([await machine.bmcObject(), items])).not.toContain(key.split('\n')[1]);

    await agent.kill();
    const next = await anAgent(machine, { podName: 'agent-2' });
    expect(await shownBy(next)).toBe('mine');

    const spec = { redfish: { tls: { secretRef: { name: 'bought' } } } };
    await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec });
    await eventually(async () => {
      expect(await shownBy(next)).toBe('one');
    });
    const refused = await replace(next);
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain('spec.redfish.tls.secretRef');
  });

  it('switches IPMI and plain HTTP in the spec of its BMC', async () => {
    const machine = await aMachine();
    const client = clientOf(await anAgent(machine));
    const body = { IPMI: { ProtocolEnabled: false }, HTTP: { ProtocolEnabled: true } };
    expect(await client.ask(PROTOCOLS, { method: 'PATCH', login: LOGIN, body })).toMatchObject({
      status: 200,
      body: { IPMI: { ProtocolEnabled: false, Port: null }, HTTP: { ProtocolEnabled: true } },
    });
    expect((await machine.bmcObject()).spec).toMatchObject({
      ipmi: { enabled: false },
      redfish: { http: { enabled: true } },
    });
  });

  it('waits for its certificate while IPMI already answers', async () => {
    const machine = await aMachine();
    await world.client.delete(SECRETS, { namespace, name: certificateSecretName(machine.bmc.name) });
    const starting = anAgent(machine);
    await putCertificate(machine, await issue('late'));
    expect(await clientOf(await starting).ask('/redfish/v1')).toMatchObject({ status: 200, shown: 'late' });
  });

  it('accepts no new connections while it drains, and leaves the sessions to its successor', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const client = clientOf(agent);
    const body = { UserName: 'admin', Password: 'secret' };
    const { headers } = await client.ask(SESSIONS, { method: 'POST', body });
    agent.drain();
    const token = String(headers['x-auth-token']);
    await expect(client.ask(SYSTEM, { token })).rejects.toThrow();
    await hasNoProblem(agent);
    expect(await clientOf(await anAgent(machine)).ask(SYSTEM, { token })).toMatchObject({ status: 200 });
  });

  it('reports failed log-ins once', async () => {
    const machine = await aMachine();
    const client = clientOf(await anAgent(machine));
    for (let i = 0; i < 3; i += 1) expect((await client.ask(SYSTEM, { login: 'admin:wrong' })).status).toBe(401);
    await eventually(async () => {
      const told = await eventsOf(machine, 'LoginRefused');
      expect(told).toEqual([expect.stringContaining('over Redfish from 127.0.0.1 refused: the password is wrong')]);
    });
  });

  it('requests a restart when the manager is reset', async () => {
    const machine = await aMachine();
    let restarts = 0;
    const onRestart = (): void => void (restarts += 1);
    const client = clientOf(await anAgent(machine, { onRestart }));
    const target = '/redfish/v1/Managers/1/Actions/Manager.Reset';
    const answer = await client.ask(target, { method: 'POST', login: LOGIN, body: { ResetType: 'GracefulRestart' } });
    expect([200, 204]).toContain(answer.status);
    await eventually(() => {
      expect(restarts).toBe(1);
    });
  });
});

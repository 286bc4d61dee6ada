import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { certificateSecretName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { EVENTS, SECRETS } from '@groundcrew/controller-runtime';
import { makeAuthority, makeServerCertificate } from '../../../manager/authority/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { Console } from '../../harness/scenes/consoles.ts';
import { TestAgent } from '../power/test-agent.ts';
import { TestMachine } from '../power/test-machine.ts';
import { RedfishClient } from './redfish-client.ts';

const DAY = 86_400_000;
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const LOGIN = 'admin:secret';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 100 });
const namespace = await world.namespace();
const authority = await makeAuthority({ name: 'test', lifetime: DAY, now: Date.now() });

const opened: { close(): unknown }[] = [];
afterAll(async () => {
  for (const each of opened) await each.close();
});

/** A machine that runs, its agent, and a Redfish client of it. */
async function served(name: string) {
  const machine = await TestMachine.create(world, namespace, name, 'Always');
  const { cert, key } = await makeServerCertificate(authority, {
    names: ['bmc', '127.0.0.1'],
    lifetime: DAY,
    now: Date.now(),
  });
  const data = { 'tls.crt': Buffer.from(cert).toString('base64'), 'tls.key': Buffer.from(key).toString('base64') };
  const metadata = { namespace, name: certificateSecretName(machine.bmc.name) };
  const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
  await world.client.apply(SECRETS, secret, { force: true });
  const agent = await TestAgent.start(world, { bmc: machine.bmc, redfish: true });
  const client = new RedfishClient(agent.redfishPort ?? 0, authority.cert, 'bmc');
  opened.unshift(client);
  opened.push(agent);
  await machine.running();
  return { machine, agent, client };
}

async function logIn(client: RedfishClient): Promise<{ token: string; uri: string }> {
  const body = { UserName: 'admin', Password: 'secret' };
  const { status, headers } = await client.ask(SESSIONS, { method: 'POST', body });
  expect(status).toBe(201);
  return { token: String(headers['x-auth-token']), uri: String(headers['location']) };
}

/** As a page opens it. */
async function open(agent: TestAgent, path: string, token: string): Promise<Console> {
  const url = `wss://127.0.0.1:${agent.redfishPort ?? 0}${path}`;
  const origin = url.replace('wss:', 'https:').replace(path, '');
  const webSocket = new WebSocket(url, ['binary', `groundcrew.token.${token}`], {
    ca: authority.cert,
    headers: { Origin: origin },
  });
  const console = new Console(webSocket);
  await new Promise((resolve, reject) => {
    webSocket.once('open', resolve).once('error', reject);
  });
  opened.unshift(console);
  return console;
}

describe('the consoles of a BMC by WebSocket', () => {
  it('let two users work at the serial port, and end with their sessions', async () => {
    const { agent, client } = await served('serial');
    const [one, other] = [await logIn(client), await logIn(client)];
    const first = await open(agent, '/console0', one.token);
    const second = await open(agent, '/console0', other.token);
    await first.logIn();
    await second.until('# ');
    second.type('whoami\r');
    for (const console of [first, second]) await console.until('whoami\r\nroot\r\n');
    const { body } = await client.ask(`${SESSIONS}?$expand=.`, { token: one.token });
    const { Members: members } = body as { Members: { SessionType: string }[] };
    expect(members.filter(({ SessionType: type }) => type === 'HostConsole')).toHaveLength(2);
    await client.ask(other.uri, { method: 'DELETE', login: LOGIN });
    expect(await second.closed()).toBe(4001);
    expect(first.isOpen).toBe(true);
    await eventually(async () => {
      const { items } = await world.client.list(EVENTS, { namespace });
      const told = items.filter(({ reason }) => reason === 'ConsoleOpened').map(({ message }) => message);
      expect(told.join()).toMatch(/The serial console was opened \(Redfish, user "admin", from 127\.0\.0\.1\)/);
    });
  });

  it('show the screen, and a picture of it', async () => {
    const { agent, client } = await served('screen');
    const { token } = await logIn(client);
    const picture = await client.ask('/kvm/0/screenshot', { token, isBinary: true });
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
    const screen = await open(agent, '/kvm/0', token);
    await screen.until('RFB 003.008\n');
    const { body } = await client.ask('/redfish/v1/Systems/1', { token });
    expect(body).toMatchObject({ GraphicalConsole: { ServiceEnabled: true, ConnectTypesSupported: ['KVMIP'] } });
  });

  it('are gone within seconds when the BMC’s web console is switched off', async () => {
    const { machine, agent, client } = await served('off');
    const { token } = await logIn(client);
    const console = await open(agent, '/console0', token);
    await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { redfish: { webConsole: false } } });
    expect(await console.closed()).toBe(4005);
    await expect(open(agent, '/console0', token)).rejects.toThrow('401');
  });
});

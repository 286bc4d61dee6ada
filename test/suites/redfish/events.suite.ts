import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { certificateSecretName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { CONFIG_MAPS, SECRETS } from '@groundcrew/controller-runtime';
import { makeAuthority, makeServerCertificate } from '../../../manager/authority/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { TestAgent } from '../power/test-agent.ts';
import { TestMachine } from '../power/test-machine.ts';
import { RedfishClient } from './redfish-client.ts';

const LOGIN = 'admin:secret';
const SERVICE = '/redfish/v1/EventService';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'] });
const namespace = await world.namespace();
const authority = await makeAuthority({ name: 'test', lifetime: 86_400_000, now: Date.now() });
const served = await makeServerCertificate(authority, {
  names: ['bmc', '127.0.0.1'],
  lifetime: 86_400_000,
  now: Date.now(),
});
const heard: string[] = [];
const listener: Server = createServer(served, (request, response) => {
  request.on('data', (part: Buffer) => heard.push(part.toString()));
  request.on('end', () => response.writeHead(204).end());
}).listen(0, '127.0.0.1');
await once(listener, 'listening');
const Destination = `https://127.0.0.1:${(listener.address() as AddressInfo).port}/events`;

const parts: { close(): unknown }[] = [];
afterAll(async () => {
  for (const part of parts.reverse()) await part.close();
  listener.closeAllConnections();
  listener.close();
});

it('sends events to allowed hosts with a certificate of a trusted CA', async () => {
  const machine = await TestMachine.create(world, namespace, 'eventful', 'Manual');
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const certificate = { namespace, name: certificateSecretName(machine.bmc.name) };
  const data = { 'tls.crt': base64(served.cert), 'tls.key': base64(served.key) };
  await world.client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: certificate, data });
  const ca = { metadata: { namespace, name: 'listener-ca' }, data: { 'ca.pem': authority.cert } };
  await world.client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', ...ca });
  const change = (events: object) =>
    world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { redfish: { events } } });
  // Before the agent starts: its permissions depend on the BMC's spec.
  await change({ tls: { caBundleConfigMapRef: { name: 'listener-ca' } } });
  const agent = await TestAgent.start(world, { bmc: machine.bmc, redfish: true });
  const client = new RedfishClient(agent.redfishPort ?? 0, authority.cert, 'bmc');
  parts.push(agent, client);
  const ask = (path: string, body: object) => client.ask(`${SERVICE}${path}`, { method: 'POST', login: LOGIN, body });
  const subscribe = () => ask('/Subscriptions', { Destination, Protocol: 'Redfish' });

  const refused = await subscribe();
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('an address of this machine itself');
  await change({ allowedHosts: ['127.0.0.1'] });
  await eventually(async () => {
    expect((await subscribe()).status).toBe(201);
  });
  expect((await ask('/Actions/EventService.SubmitTestEvent', { Message: 'hello' })).status).toBe(204);
  await eventually(async () => {
    const { body } = await client.ask(`${SERVICE}/Subscriptions/1`, { login: LOGIN });
    // The body shows the problem if there is one.
    expect(body).toMatchObject({ Status: { Health: 'OK' } });
    expect(heard.join('\n')).toContain('hello');
  });
});

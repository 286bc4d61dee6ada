import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateSecretName } from '../../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { selfSigned } from '../../../protocols/redfish/testing/index.ts';
import { buildStaleWeb } from '../../../scripts/build-web.ts';
import { cluster } from '../../harness/index.ts';
import { TestAgent } from '../power/test-agent.ts';
import { TestMachine } from '../power/test-machine.ts';

/** What OWASP's Secure Headers Project and its testing guide ask of a server for browsers, as one list. */

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 100 });
const namespace = await world.namespace();

const SESSIONS = '/redfish/v1/SessionService/Sessions';
const RESET = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';
const LOGIN = { authorization: `Basic ${Buffer.from('admin:secret').toString('base64')}` };
const JSON_BODY = { 'content-type': 'application/json' };
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

let agent: TestAgent;
let machine: TestMachine;
let token: string;

beforeAll(async () => {
  await buildStaleWeb();
  machine = await TestMachine.create(world, namespace, 'web', 'Always');
  const { key, cert } = await selfSigned('bmc');
  await world.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: certificateSecretName(machine.bmc.name) },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.key': key, 'tls.crt': cert },
  });
  agent = await TestAgent.start(world, { bmc: machine.bmc, redfish: true });
  await machine.running();
  const { headers } = await ask(`POST ${SESSIONS}`, JSON_BODY, '{"UserName": "admin", "Password": "secret"}');
  token = String(headers['x-auth-token']);
});

afterAll(async () => {
  await agent.close();
});

interface Answer extends Pick<IncomingMessage, 'headers'> {
  status: number;
  text: string;
}

/** A request on a connection of its own. The text of an event stream is what comes first. */
async function ask(line: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const port = agent.redfishPort ?? 0;
  return await new Promise((resolve, reject) => {
    const given = { ...headers, host: headers['host'] ?? `127.0.0.1:${port}` };
    const options = { host: '127.0.0.1', port, method, path, headers: given, rejectUnauthorized: false, agent: false };
    const asked = request(options, (response) => {
      let text = '';
      const end = (): void => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        response.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        if (response.headers['content-type']?.startsWith('text/event-stream') === true) end();
      });
      response.on('end', end);
    });
    asked.on('upgrade', ({ statusCode = 0, headers: answered }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, headers: answered, text: '' });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

describe('each answer to a browser', () => {
  it.each<[what: string, line: string, headers: Record<string, string>, status: number]>([
    ['a page', 'GET /', {}, 200],
    ['a page that the browser has', 'GET /', { 'if-none-match': '*' }, 304],
    ['a page that does not exist', 'GET /nothing', {}, 404],
    ['another method for a page', 'POST /', {}, 405],
    ['the service root', 'GET /redfish/v1/', {}, 200],
    ['the metadata', 'GET /redfish/v1/$metadata', {}, 200],
    ['a resource', 'GET /redfish/v1/Systems/1', LOGIN, 200],
    ['a resource without log-in', 'GET /redfish/v1/Systems/1', {}, 401],
    ['a resource that does not exist', 'GET /redfish/v1/Nothing', LOGIN, 404],
    ['another method for a resource', 'DELETE /redfish/v1/Systems/1', LOGIN, 405],
    ['a method that shows the request', 'TRACE /redfish/v1/Systems/1', LOGIN, 501],
    ['a log-in without a body', `POST ${SESSIONS}`, JSON_BODY, 400],
    ['an action without a body', `POST ${RESET}`, { ...LOGIN, ...JSON_BODY }, 400],
    ['events', 'GET /redfish/v1/EventService/SSE', LOGIN, 200],
    ['a picture of the screen', 'GET /kvm/0/screenshot', LOGIN, 200],
    ['a picture of the screen without log-in', 'GET /kvm/0/screenshot', {}, 401],
    ['a console that is no WebSocket', 'GET /console0', LOGIN, 426],
    ['a refused WebSocket', 'GET /console0', UPGRADE, 401],
  ])('has protective headers and no cookie: %s', async (_what, line, sent, status) => {
    const origin = 'https://evil.example';
    const { headers, ...answer } = await ask(line, { ...sent, ...('upgrade' in sent ? {} : { origin }) });
    expect(answer.status).toBe(status);
    const isPage = line === 'GET /';
    expect(headers).toMatchObject({
      'cache-control': isPage ? 'no-cache' : 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/) as string,
    });
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:/);
    // No cookies, no other origin that may read answers, and no names of programs. Strict-Transport-Security is left out on purpose:
    // a browser then refuses a certificate of an unknown authority for good, and many BMCs have such a one.
    const names = Object.keys(headers).join();
    expect(names).not.toMatch(/set-cookie|access-control|server|x-powered-by|strict-transport/);
    expect(answer.text).not.toMatch(/node:internal|\bat \S+ \(|\.ts:\d+/);
  });
});

describe('a request that another site makes a browser send', () => {
  const body = '{"ResetType": "ForceOff"}';

  it.each<[what: string, line: string, headers: () => Record<string, string>, status: number]>([
    [
      'with known credentials',
      `POST ${RESET}`,
      () => ({ ...LOGIN, ...JSON_BODY, 'sec-fetch-site': 'cross-site' }),
      403,
    ],
    ['of the same domain', `POST ${RESET}`, () => ({ ...LOGIN, ...JSON_BODY, 'sec-fetch-site': 'same-site' }), 403],
    ['as a form of an old browser', `POST ${RESET}`, () => ({ ...LOGIN, 'content-type': 'text/plain' }), 415],
    ['as a log-in', `POST ${SESSIONS}`, () => ({ ...JSON_BODY, 'sec-fetch-site': 'cross-site' }), 403],
    ['for a picture', 'GET /kvm/0/screenshot', () => ({ ...LOGIN, 'sec-fetch-site': 'cross-site' }), 403],
    ['with the token as a cookie', `POST ${RESET}`, () => ({ ...JSON_BODY, cookie: `X-Auth-Token=${token}` }), 401],
    ['with the token in the URL', `GET /redfish/v1/Systems/1?X-Auth-Token=TOKEN`, () => ({}), 401],
    ['to ask whether it may', `OPTIONS ${RESET}`, () => ({ 'access-control-request-method': 'POST' }), 501],
  ])('is refused: %s', async (_what, line, headers, status) => {
    const sent = { ...headers(), origin: 'https://evil.example' };
    const isPost = line.startsWith('POST');
    expect((await ask(line.replace('TOKEN', token), sent, isPost ? body : undefined)).status).toBe(status);
    expect((await machine.vmi())?.status?.phase).toBe('Running');
  });
});

describe('a WebSocket', () => {
  it.each<[what: string, headers: (port: number) => Record<string, string>, status: number]>([
    ['of the BMC’s page', (port) => ({ origin: `https://127.0.0.1:${port}` }), 101],
    ['of a program', () => ({}), 101],
    ['of another site', () => ({ origin: 'https://evil.example' }), 403],
    ['of another port', () => ({ origin: 'https://127.0.0.1:1' }), 403],
    ['of a frame without origin', () => ({ origin: 'null' }), 403],
    ['of a site that the browser calls foreign', () => ({ 'sec-fetch-site': 'cross-site' }), 403],
    ['of a site with another name', (port) => ({ host: 'bmc', origin: `https://evil.example:${port}` }), 403],
  ])('%s', async (_what, headers, status) => {
    for (const path of ['/console0', '/kvm/0']) {
      const offer = { 'sec-websocket-protocol': `binary, groundcrew.token.${token}` };
      const answer = await ask(`GET ${path}`, { ...UPGRADE, ...offer, ...headers(agent.redfishPort ?? 0) });
      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.headers)).not.toContain(token);
    }
  });

  // A BMC does not know its names, so it cannot tell such a page from its own. But what a browser keeps is of a name: the page has
  // neither a session of the BMC's own page nor a password, and must ask the user for one.
  it('of a page whose name leads here (DNS rebinding) needs a log-in that such a page does not have', async () => {
    const { redfishPort = 0 } = agent;
    const rebound = { host: `evil.example:${redfishPort}`, origin: `https://evil.example:${redfishPort}` };
    for (const path of ['/console0', '/kvm/0']) {
      expect((await ask(`GET ${path}`, { ...UPGRADE, ...rebound })).status).toBe(401);
      const offer = { 'sec-websocket-protocol': `binary, groundcrew.token.${token}` };
      expect((await ask(`GET ${path}`, { ...UPGRADE, ...rebound, ...offer })).status).toBe(101);
    }
    expect((await ask('GET /redfish/v1/Systems/1', rebound)).status).toBe(401);
  });

  it.each<[where: string, path: (token: string) => string, headers: (token: string) => Record<string, string>]>([
    ['the URL', (secret) => `/console0?token=${secret}`, () => ({})],
    ['a cookie', () => '/console0', (secret) => ({ cookie: `X-Auth-Token=${secret}; SESSION=${secret}` })],
  ])('takes no token from %s', async (_where, path, headers) => {
    expect((await ask(`GET ${path(token)}`, { ...UPGRADE, ...headers(token) })).status).toBe(401);
  });
});

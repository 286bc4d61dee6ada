import { connect, createServer } from 'node:tls';
import { once } from 'node:events';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { makeAuthority, makeServerCertificate, type KeyPair } from './certificates.ts';
import { isPermitted, permittedDomains } from './name-constraints.ts';

const now = Date.now();
const lifetime = 86_400_000;
// Long enough for lengths of two bytes.
const DOMAINS = ['svc', 'svc.cluster.local', 'lab.example', ...Array.from({ length: 20 }, (_, i) => `d${i}.example`)];
let authority: KeyPair;

beforeAll(async () => {
  authority = await makeAuthority({ name: 'ca', lifetime, now, permittedDomains: DOMAINS });
});

it('the domains of an authority are those with which it was made', async () => {
  expect(permittedDomains(authority.cert)).toEqual(DOMAINS);
  expect(permittedDomains((await makeAuthority({ name: 'ca', lifetime, now })).cert)).toBeUndefined();
});

it.each([
  ['web-virtbmc.vms.svc', true],
  ['web-virtbmc.vms.svc.cluster.local', true],
  ['*.lab.example', true],
  ['web-virtbmc.vms', false],
  ['web-virtbmc', false],
  ['evillab.example', false],
  ['login.bank.example', false],
])('TLS clients accept its certificate with %s: %s', async (name, isAccepted) => {
  expect(isPermitted(name, permittedDomains(authority.cert))).toBe(isAccepted);
  const pair = await makeServerCertificate(authority, { names: [name, '127.0.0.1'], lifetime, now });
  const server = createServer(pair).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => undefined);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert });
  // `once` rejects at an error.
  const outcome = await once(socket, 'secureConnect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  expect(outcome).toBe(isAccepted);
});

it('an authority without constraints may sign all names, and addresses are never constrained', () => {
  expect(isPermitted('login.bank.example', undefined)).toBe(true);
  expect(isPermitted('192.0.2.7', ['svc'])).toBe(true);
});

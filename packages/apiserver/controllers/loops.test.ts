import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { startTestServer, type TestServer } from '../testing/index.ts';

// The suites of contract/deletion and contract/definitions compare the other controllers with a real cluster.

let server: TestServer;
let call: TestServer['call'];
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startTestServer({ clock });
  ({ call } = server);
});
afterEach(() => server.close());

const exists = async (path: string) => (await call('GET', path)).status === 200;

it('a new namespace has the service account default and a ConfigMap with the cluster CA', async () => {
  await call('POST', '/api/v1/namespaces', { metadata: { name: 'fresh' } });
  expect(await exists('/api/v1/namespaces/fresh/serviceaccounts/default')).toBe(true);
  expect((await call('GET', '/api/v1/namespaces/fresh/configmaps/kube-root-ca.crt')).body).toMatchObject({
    data: { 'ca.crt': server.ca },
  });
});

it('an Event is deleted after an hour', async () => {
  const events = '/api/v1/namespaces/default/events';
  await call('POST', events, {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    lastTimestamp: '2026-01-01T00:00:00Z',
  });
  await clock.advance(3590_000);
  expect(await exists(`${events}/e`)).toBe(true);
  await clock.advance(120_000);
  expect(await exists(`${events}/e`)).toBe(false);
});

import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { at } from '../json.ts';
import { configMap, CONFIG_MAPS, MERGE, startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startTestServer({ clock });
});
afterEach(() => server.close());

const create = (name: string, data = {}) => server.call('POST', CONFIG_MAPS, configMap(name, data));
const versionOf = (body: unknown) => at(body, 'metadata', 'resourceVersion') as string;

// The suites of contract/reads compare the events with kube-apiserver. These tests need the fake clock.
describe('a watch', () => {
  it('sends a bookmark every 30 seconds', async () => {
    const { body } = await create('a');
    const events = server.watch(
      `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${versionOf(body)}`,
      1,
    );
    await server.call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'elsewhere' } });
    const { body: now } = await server.call('GET', CONFIG_MAPS);
    await clock.advance(30_000);
    const [event] = await events;
    expect(event?.type).toBe('BOOKMARK');
    expect(versionOf(event?.object)).toBe(versionOf(now));
  });

  it('sends nothing after its timeout, also to a client that reads late', async () => {
    const timers = clock.timers;
    await create('big', { x: 'x'.repeat(900_000) });
    const watch = await server.open(`${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=5`);
    watch.pause();
    const options = { ...MERGE, accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
    // More than the buffers of the sockets hold, so the response cannot end before the client reads.
    for (let turn = 1; turn <= 16; turn += 1)
      await server.call('PATCH', `${CONFIG_MAPS}/big`, { data: { turn: `turn-${turn}` } }, options);
    await clock.advance(5_000);
    await create('too-late');
    await clock.advance(60_000);
    expect(clock.timers).toBe(timers);
    const text = await textOf(watch);
    expect(text).toContain('turn-16');
    expect(text).not.toContain('too-late');
  });
});

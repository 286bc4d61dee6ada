import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { at, textOr } from '../json.ts';
import { configMap, CONFIG_MAPS, MERGE, startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startTestServer({ clock, historyLimit: 8 });
});
afterEach(() => server.close());

const create = (name: string, labels = {}) => server.call('POST', CONFIG_MAPS, configMap(name, {}, { labels }));
const versionOf = (body: unknown) => at(body, 'metadata', 'resourceVersion') as string;
const story = (events: { type: string; object: object }[]) =>
  events.map(({ type, object }) => `${type} ${textOr(at(object, 'metadata', 'name'))}`);

describe('a watch', () => {
  it('without a version begins with what is there', async () => {
    await create('a');
    expect(story(await server.watch(`${CONFIG_MAPS}?watch=1`, 2))).toEqual(['ADDED a', 'ADDED kube-root-ca.crt']);
  });

  it('from a version tells what happened since, in order', async () => {
    const { body } = await create('a');
    await server.call('PATCH', `${CONFIG_MAPS}/a`, { data: { x: '1' } }, MERGE);
    await server.call('DELETE', `${CONFIG_MAPS}/a`);
    expect(story(await server.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${versionOf(body)}`, 2))).toEqual([
      'MODIFIED a',
      'DELETED a',
    ]);
  });

  it('goes on with what happens', async () => {
    const { body } = await create('a');
    const events = server.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${versionOf(body)}`, 1);
    await create('b');
    expect(story(await events)).toEqual(['ADDED b']);
  });

  it('with a selector sees objects come and go as they match', async () => {
    const { body } = await create('a', { on: 'no' });
    for (const on of ['yes', 'yes', 'no'])
      await server.call(
        'PATCH',
        `${CONFIG_MAPS}/a`,
        { metadata: { labels: { on } }, data: { [on]: versionOf(body) } },
        MERGE,
      );
    const events = await server.watch(
      `${CONFIG_MAPS}?watch=1&labelSelector=on=yes&resourceVersion=${versionOf(body)}`,
      2,
    );
    expect(story(events)).toEqual(['ADDED a', 'DELETED a']);
    expect(at(events[1]?.object, 'metadata', 'labels', 'on')).toBe('yes');
  });

  it('of a version that is forgotten gets 410 in its stream', async () => {
    const { body } = await create('a');
    for (let value = 0; value < 20; value += 1)
      await server.call('PATCH', `${CONFIG_MAPS}/a`, { data: { x: String(value) } }, MERGE);
    const [event] = await server.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${versionOf(body)}`, 1);
    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
  });

  it('and so does a continued list', async () => {
    await create('a');
    const { body } = await server.call('GET', `${CONFIG_MAPS}?limit=1`);
    for (let value = 0; value < 20; value += 1)
      await server.call('PATCH', `${CONFIG_MAPS}/a`, { data: { x: String(value) } }, MERGE);
    const next = await server.call(
      'GET',
      `${CONFIG_MAPS}?limit=1&continue=${at(body, 'metadata', 'continue') as string}`,
    );
    expect(next).toMatchObject({ status: 410, body: { reason: 'Expired' } });
  });

  it('that asks for its initial events is told where they end', async () => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = await server.watch(`${CONFIG_MAPS}?${query}`, 2);
    expect(events[1]).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });

  it('gets bookmarks while nothing happens', async () => {
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

  it('ends when its time is up', async () => {
    const { body } = await create('a');
    const events = server.watch(`${CONFIG_MAPS}?watch=1&timeoutSeconds=5&resourceVersion=${versionOf(body)}`, 1);
    await server.call('GET', CONFIG_MAPS);
    await clock.advance(5_000);
    expect(await events).toEqual([]);
  });

  it('has nothing left to send once its time is up, also to a client that has yet to read', async () => {
    const timers = clock.timers;
    const watch = await server.open(`${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=5`);
    watch.pause();
    const data = { x: 'x'.repeat(900_000) };
    // More than the sockets between the two hold: the response is not closed before the client reads on.
    for (let index = 0; index < 16; index += 1) await server.call('POST', CONFIG_MAPS, configMap(`big-${index}`, data));
    await clock.advance(5_000);
    await create('too-late');
    await clock.advance(60_000);
    expect(clock.timers).toBe(timers);
    const text = await textOf(watch);
    expect(text).toContain('big-15');
    expect(text).not.toContain('too-late');
  });
});

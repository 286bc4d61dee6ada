import { describe, expect, it } from 'vitest';
import { consolePath } from '../../../api/index.ts';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { inTime } from './in-time.ts';
import { requestSlots } from './request-slots.ts';

const NAMESPACES = '/apis/kubevirt.io/v1/namespaces/vms';
const START = '/apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachines/b/start';

function bench() {
  const clock = new FakeClock();
  const inTurn = requestSlots(() => ({ hasCalled: false }), clock);
  const begun: string[] = [];
  const held = Promise.withResolvers<undefined>();
  const hang = (path: string, signal?: AbortSignal): Promise<undefined> =>
    inTurn(
      () => {
        begun.push(path);
        return Promise.race([held.promise, givenUp(signal)]);
      },
      { path, signal },
    );
  const ask = (path: string): Promise<string> => inTurn(() => Promise.resolve(path), { path, signal: undefined });
  return { clock, begun, held, hang, ask };
}

async function givenUp(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

const screenOf = (name: string): string => consolePath('vms', name, 'vnc/screenshot');

describe('the requests of a process', () => {
  it('to nodes that do not answer keep no other one from the API server', async () => {
    const { begun, held, hang, ask } = bench();
    const hanging = Array.from({ length: 50 }, () => hang(consolePath('vms', 'a', 'vnc/screenshot')));
    await Promise.resolve();
    expect(begun).toHaveLength(16);
    for (const path of [START, `${NAMESPACES}/virtualmachines/b`, '/api/v1/namespaces/vms/secrets/b'])
      expect(await ask(path)).toBe(path);
    held.resolve(undefined);
    await Promise.all(hanging);
    expect(begun).toHaveLength(50);
  });

  it('of clients do not keep a BMC that starts from its Secrets', async () => {
    const { held, hang, ask } = bench();
    const hanging = Array.from({ length: 50 }, () => hang(START));
    const secret = '/api/v1/namespaces/vms/secrets/b-tls';
    expect(await ask(secret)).toBe(secret);
    held.resolve(undefined);
    await Promise.all(hanging);
  });

  it.each<[string, number, (name: string) => string]>([
    ['nodes', 500, screenOf],
    ['the API server', 3_000, (name) => `${NAMESPACES}/virtualmachines/${name}`],
  ])('of machines without an answer from %s keep those of others waiting for %i ms only', async (_, slow, pathOf) => {
    const { clock, begun, hang, ask } = bench();
    const stuck = ['a', 'b', 'c', 'd'].map(pathOf);
    // Each sends four at a time, and others when these are given up.
    let left = 20;
    const client = async (path: string): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const patience = new AbortController();
        clock.setTimeout(() => {
          patience.abort(new Error('given up'));
        }, 4_000);
        await hang(path, patience.signal).catch(() => undefined);
      }
    };
    const clients = stuck.flatMap((path) => Array.from({ length: 4 }, () => client(path)));
    await clock.advance(0);
    expect(begun).toHaveLength(16);
    let answered = 0;
    const other = ask(pathOf('other')).then(() => (answered += 1));
    await clock.advance(slow - 1);
    expect(answered).toBe(0);
    await clock.advance(1);
    expect(answered).toBe(1);
    // They have slots again, and all others are asked at once.
    await clock.advance(4_000 - slow);
    expect(begun.length).toBeGreaterThan(16);
    for (let index = 0; index < 20; index += 1)
      expect(await ask(pathOf(`other-${index}`))).toBe(pathOf(`other-${index}`));
    await clock.advance(60_000);
    await Promise.all([...clients, other]);
    expect(clock.timers).toBe(0);
  });

  it('of a machine that answers again are no longer set apart', async () => {
    const { clock, begun, hang, ask } = bench();
    const [path, patience] = [screenOf('a'), new AbortController()];
    const hangAll = () => Array.from({ length: 16 }, () => hang(path, patience.signal).catch(() => undefined));
    const slow = hangAll();
    await clock.advance(500);
    slow.push(...hangAll());
    let isAnswered = false;
    const next = ask(path).then(() => (isAnswered = true));
    await clock.advance(0);
    // No more at a time, however many are slow.
    expect(isAnswered).toBe(false);
    patience.abort(new Error('given up'));
    await Promise.all([...slow, next]);
    for (let count = 0; count < 32; count += 1) {
      void hang(screenOf('b'));
      if (count === 15) await clock.advance(500);
    }
    void hang(path);
    await clock.advance(0);
    expect(begun.at(-1)).toBe(path);
  });

  it('carry out as many commands of clients as the API server can, if all ask at once', async () => {
    const clock = new FakeClock();
    let current: { hasCalled: boolean } | undefined;
    const inTurn = requestSlots(() => current, clock);
    const answered = async (): Promise<void> => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
    };
    /** 32 of them a second have their 5 requests answered. */
    const command = async (deadline: AbortSignal): Promise<void> => {
      const trace = { hasCalled: false };
      for (let count = 0; count < 5; count += 1) {
        current = trace;
        const done = inTurn(answered, { path: `${NAMESPACES}/virtualmachines/b`, signal: deadline });
        current = undefined;
        await done;
        deadline.throwIfAborted();
        trace.hasCalled = true;
      }
    };
    let done = 0;
    const client = async (): Promise<void> => {
      for (;;) {
        try {
          await inTime(command, { queue: { run: (task) => task() }, clock, within: 4_000 });
          done += 1;
          return;
        } catch {
          await new Promise<void>((resolve) => clock.setTimeout(resolve, 1_000));
        }
      }
    };
    for (let count = 0; count < 250; count += 1) void client();
    await clock.advance(12_000);
    expect(done).toBe(250);
  });

  it('of clients leave every fifth turn to background work', async () => {
    let current: { hasCalled: boolean } | undefined = { hasCalled: true };
    const inTurn = requestSlots(() => current, new FakeClock());
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (name: string): void => {
      const request = (): Promise<void> => {
        order.push(name);
        return new Promise((resolve) => ends.push(resolve));
      };
      void inTurn(request, { path: START, signal: undefined });
    };
    for (let count = 0; count < 16; count += 1) ask('running');
    for (let count = 0; count < 5; count += 1) ask('client');
    current = undefined;
    for (let count = 0; count < 2; count += 1) ask('background');
    for (let count = 0; count < 6; count += 1) {
      ends[count]?.();
      await new Promise(setImmediate);
    }
    const [client, background] = ['client', 'background'];
    expect(order.slice(16)).toEqual([client, client, client, client, background, client]);
  });

  it('for event logs and Events are one at a time', async () => {
    const { begun, held, hang, ask } = bench();
    const records = ['configmaps/b-log', 'events'].map((name) => `/api/v1/namespaces/vms/${name}`);
    const hanging = [...records, ...records].map((path) => hang(path));
    await Promise.resolve();
    expect(begun).toHaveLength(1);
    expect(await ask(START)).toBe(START);
    held.resolve(undefined);
    await Promise.all(hanging);
  });
});

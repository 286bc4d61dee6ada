import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryAccount } from '../../testing/index.ts';
import { callerKey } from './exchange.ts';
import { Served } from '../testing/served-things.ts';
import { Turns } from './turns.ts';

/** A response whose client reads when the test says so. */
class Client extends EventEmitter {
  closed = false;
  readonly req = { socket: Object.assign(new EventEmitter(), { destroyed: false }) };

  take(): void {
    this.closed = true;
    this.emit('close');
  }

  /** Breaks the connection while an earlier answer is being sent. */
  break(): void {
    this.req.socket.destroyed = true;
    this.req.socket.emit('close');
  }

  get response(): ServerResponse {
    return this as unknown as ServerResponse; // all that Turns uses
  }
}

interface Asked {
  client: Client;
  answer: Promise<string>;
  finish: () => void;
}

class Bench {
  readonly turns = new Turns({ atOnce: 2, places: 5, placesOfCaller: 4 });
  readonly begun: string[] = [];

  ask(caller: string, name: string): Asked {
    const client = new Client();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const answer = this.turns.run(caller, client.response, async () => {
      this.begun.push(name);
      await promise;
      return name;
    });
    answer.catch(() => undefined);
    const finish = (): void => {
      resolve(undefined);
    };
    return { client, answer, finish };
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

describe('turns', () => {
  it('run one at a time per caller and few in total', async () => {
    const first = bench.ask('a', 'a1');
    const second = bench.ask('a', 'a2');
    const third = bench.ask('b', 'b1');
    bench.ask('c', 'c1');
    await settled();
    expect(bench.begun).toEqual(['a1', 'b1']);
    first.finish();
    expect(await first.answer).toBe('a1');
    await settled();
    expect(bench.begun).toEqual(['a1', 'b1', 'a2']);
    third.finish();
    second.finish();
    await settled();
    expect(bench.begun).toEqual(['a1', 'b1', 'a2', 'c1']);
  });

  it('start one by one, with I/O handled in between', async () => {
    bench.ask('a', 'a1');
    bench.ask('b', 'b1');
    await Promise.resolve();
    expect(bench.begun).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(bench.begun).toEqual(['a1']);
    await settled();
    expect(bench.begun).toEqual(['a1', 'b1']);
  });

  it('are refused at the limit of the caller and at the total limit', async () => {
    const mine = ['a1', 'a2', 'a3', 'a0'].map((name) => bench.ask('a', name));
    const refused = { status: 503, headers: { 'Retry-After': '2' } };
    await expect(bench.ask('a', 'a4').answer).rejects.toMatchObject(refused);
    bench.ask('b', 'b1');
    await expect(bench.ask('d', 'd1').answer).rejects.toMatchObject(refused);
    expect(mine).toHaveLength(4);
  });

  it('keep their place until the client has read the answer', async () => {
    const mine = ['a1', 'a2', 'a3', 'a0'].map((name) => bench.ask('a', name));
    for (const { finish } of mine) finish();
    await Promise.all(mine.map(({ answer }) => answer));
    await expect(bench.ask('a', 'a4').answer).rejects.toMatchObject({ status: 503 });
    mine[0]?.client.take();
    const last = bench.ask('a', 'a5');
    last.finish();
    expect(await last.answer).toBe('a5');
  });

  it('are removed from the queue when their client disconnects', async () => {
    const first = bench.ask('a', 'a1');
    await settled();
    for (let come = 0; come < 20; come += 1) {
      const gone = bench.ask('a', 'gone');
      if (come % 2 === 0) gone.client.take();
      else gone.client.break();
      await expect(gone.answer).rejects.toMatchObject({ status: 503 });
    }
    const last = bench.ask('a', 'a2');
    first.finish();
    last.finish();
    expect(await last.answer).toBe('a2');
    expect(bench.begun).toEqual(['a1', 'a2']);
  });

  it('are not given to disconnected clients, and continue after a failure', async () => {
    const first = bench.ask('a', 'a1');
    const gone = bench.ask('a', 'a2');
    const broken = bench.ask('a', 'a4');
    const failing = bench.turns.run('a', new Client().response, () => Promise.reject(new Error('broken')));
    gone.client.take();
    broken.client.break();
    first.finish();
    await expect(broken.answer).rejects.toMatchObject({ status: 503 });
    await expect(gone.answer).rejects.toMatchObject({ status: 503 });
    await expect(failing).rejects.toThrow('broken');
    first.client.take();
    const last = bench.ask('a', 'a3');
    last.finish();
    expect(await last.answer).toBe('a3');
    expect(bench.begun).toEqual(['a1', 'a3']);
  });
});

let served: Served;
let reading: number;
let most: number;
let goOn: PromiseWithResolvers<undefined>;

beforeEach(async () => {
  reading = 0;
  most = 0;
  goOn = Promise.withResolvers<undefined>();
  const collection = {
    type: 'ThingCollection.ThingCollection',
    read: () => ({ Name: 'Things', Members: [{ '@odata.id': '/redfish/v1/Things/1' }] }),
  };
  const thing = {
    type: 'Thing.v1_2_3.Thing',
    read: async () => {
      reading += 1;
      most = Math.max(most, reading);
      await goOn.promise;
      reading -= 1;
      return { Id: '1', Name: 'One' };
    },
  };
  served = await Served.start([
    { path: '/redfish/v1/Things', find: () => collection },
    { path: '/redfish/v1/Things/1', find: () => thing },
  ]);
});

afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

describe('queries that read other resources', () => {
  it('run one by one and are refused above the limit, while other requests are served', async () => {
    const queries = ['$expand=.', "$filter=Name eq 'One'"].map(encodeURI);
    const asked = Array.from({ length: 60 }, (_, i) => served.ask(`GET /redfish/v1/Things?${queries[i % 2] ?? ''}`));
    const refused = Promise.race(
      asked.map(async (one) => {
        const reply = await one;
        return reply.status === 503 ? reply : await new Promise<never>(() => undefined);
      }),
    );
    expect((await refused).headers.get('retry-after')).toBe('2');
    expect((await served.ask('GET /redfish/v1/Things')).status).toBe(200);
    expect((await served.ask('GET /redfish/v1/Things?$select=Name')).status).toBe(200);
    goOn.resolve(undefined);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(24);
    expect(most).toBe(1);
  });
});

describe('unauthenticated clients', () => {
  it('share the limit of one caller across addresses', () => {
    const account = memoryAccount(0, { username: '', password: '', role: 'NoAccess' });
    const keys = ['2001:db8::1', '2001:db8::2'].map((address) =>
      callerKey({ account, requester: { protocol: 'Redfish', user: '', address } }),
    );
    expect(new Set(keys).size).toBe(1);
  });
});

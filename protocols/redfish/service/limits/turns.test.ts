import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
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

describe('turns', () => {
  it('run one at a time per caller and few in total', async () => {
    const bench = new Bench();
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
    const bench = new Bench();
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
    const bench = new Bench();
    const mine = ['a1', 'a2', 'a3', 'a0'].map((name) => bench.ask('a', name));
    const refused = { status: 503, headers: { 'Retry-After': '2' } };
    await expect(bench.ask('a', 'a4').answer).rejects.toMatchObject(refused);
    bench.ask('b', 'b1');
    await expect(bench.ask('d', 'd1').answer).rejects.toMatchObject(refused);
    expect(mine).toHaveLength(4);
  });

  it('keep their place until the client has read the answer', async () => {
    const bench = new Bench();
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
    const bench = new Bench();
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
    const bench = new Bench();
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

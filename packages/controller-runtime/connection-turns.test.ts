import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConnectionTurns } from './connection-turns.ts';

const KEY = 'api.example:443:';

function aScene() {
  const freeSockets: Record<string, Socket[]> = {};
  const agent = Object.assign(new EventEmitter(), { freeSockets });
  const turns = new ConnectionTurns(agent);
  const begun: string[] = [];
  const ask = async (name: string, signal?: AbortSignal): Promise<() => void> => {
    const done = await turns.turn(signal);
    begun.push(name);
    return done;
  };
  const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  return { agent, freeSockets, begun, ask, settle };
}

describe('ConnectionTurns', () => {
  it('lets four requests make a connection at a time', async () => {
    const { begun, ask, settle } = aScene();
    const [first] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(name)));
    void ask('e');
    void ask('f');
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    first?.();
    first?.();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('gives a connection that is free to the request that has waited longest', async () => {
    const { agent, freeSockets, begun, ask, settle } = aScene();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(name)));
    void ask('e');
    void ask('f');
    freeSockets[KEY] = [{} as Socket];
    agent.emit('free');
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('ends the wait of a request that is given up, and passes its turn on', async () => {
    const { begun, ask, settle } = aScene();
    const [first] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(name)));
    const stop = new AbortController();
    const given = ask('e', stop.signal);
    void ask('f');
    await settle();
    // It has its turn, and is given up before it knows.
    first?.();
    stop.abort(new Error('late'));
    await expect(given).rejects.toThrow('late');
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'f']);
  });
});

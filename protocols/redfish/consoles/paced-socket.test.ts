import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import { describe, expect, it } from 'vitest';
import { PacedSocket } from './paced-socket.ts';

/** The methods of `ws` that are used. */
class FakeWebSocket extends EventEmitter {
  bufferedAmount = 0;
  isPaused = false;
  readonly done: string[] = [];

  send(data: Buffer): void {
    this.done.push(`send ${data.toString()}`);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  ping(): void {
    this.done.push('ping');
  }

  close(code: number, reason: string): void {
    this.done.push(`close ${code} ${reason}`);
  }

  terminate(): void {
    this.done.push('terminate');
    this.emit('close');
  }
}

function bench() {
  const webSocket = new FakeWebSocket();
  const turns: { work: () => void; refuse: () => void }[] = [];
  const timers = new Map<number, () => void>();
  const told: string[] = [];
  const socket = new PacedSocket({
    // The class is as much of a WebSocket as is used.
    webSocket: webSocket as unknown as WebSocket,
    pace: (work, refuse) => turns.push({ work, refuse }),
    schedule: (work, delay) => {
      timers.set(delay, work);
      return () => timers.delete(delay);
    },
    received: (data) => told.push(data.toString()),
    written: () => told.push('written'),
    closed: () => told.push('closed'),
  });
  const take = (): void => turns.shift()?.work();
  const run = (delay: number): void => {
    const work = timers.get(delay);
    timers.delete(delay);
    work?.();
  };
  return { webSocket, socket, turns, timers, told, take, run };
}

describe('a paced WebSocket', () => {
  it('reads one message for each turn, in order, and no more from the network meanwhile', () => {
    const { webSocket, turns, told, take } = bench();
    for (const text of ['a', 'b', 'c']) webSocket.emit('message', Buffer.from(text));
    expect([told, turns.length, webSocket.isPaused]).toEqual([[], 1, true]);
    take();
    take();
    expect([told, webSocket.isPaused]).toEqual([['a', 'b'], true]);
    take();
    expect([told, webSocket.isPaused]).toEqual([['a', 'b', 'c'], false]);
  });

  it('loses nothing when turns are refused', () => {
    const { webSocket, socket, turns, told, take, run } = bench();
    webSocket.emit('message', Buffer.from('a'));
    turns.shift()?.refuse();
    run(250);
    take();
    socket.send(Buffer.from('b'));
    turns.shift()?.refuse();
    expect([told, webSocket.done]).toEqual([['a'], []]);
    run(250);
    take();
    expect(webSocket.done).toEqual(['send b']);
  });

  it('takes thousands of turns at once', () => {
    const { webSocket, turns, told } = bench();
    for (let count = 0; count < 20_000; count += 1) webSocket.emit('message', Buffer.from('x'));
    turns.push = ({ work }) => {
      work();
      return 0;
    };
    turns.shift()?.work();
    expect(told).toHaveLength(20_000);
  });

  it('counts as buffered what waits for its turn', () => {
    const { webSocket, socket, take } = bench();
    webSocket.bufferedAmount = 5;
    socket.send(Buffer.from('abc'));
    expect(socket.buffered).toBe(8);
    take();
    expect(socket.buffered).toBe(5);
  });

  it('reads nothing while it is paused', () => {
    const { webSocket, socket, turns, told, take } = bench();
    socket.pause();
    webSocket.emit('message', Buffer.from('a'));
    expect(turns).toEqual([]);
    socket.resume();
    take();
    expect(told).toEqual(['a']);
  });

  it('sends what waits before it closes, and ends the connection if the peer does not answer', () => {
    const { webSocket, socket, take, told, run } = bench();
    socket.send(Buffer.from('last'));
    socket.close(4002, 'ü'.repeat(100));
    expect(webSocket.done).toEqual(['send last', `close 4002 ${'ü'.repeat(61)}`]);
    take();
    webSocket.emit('message', Buffer.from('late'));
    run(2_000);
    expect([told, webSocket.done.at(-1)]).toEqual([['closed'], 'terminate']);
  });

  it('ends when the peer does not answer a ping', () => {
    const { webSocket, told, timers, run } = bench();
    run(30_000);
    webSocket.emit('pong');
    run(30_000);
    expect(told).toEqual([]);
    run(30_000);
    expect([told, webSocket.done]).toEqual([['closed'], ['ping', 'ping', 'terminate']]);
    expect(timers.size).toBe(0);
  });

  it('does not end for answers to pings that it has not read', () => {
    const { webSocket, socket, told, run } = bench();
    socket.pause();
    for (let count = 0; count < 3; count += 1) run(30_000);
    socket.resume();
    run(30_000);
    expect([told, webSocket.done]).toEqual([[], ['ping', 'ping', 'ping', 'ping']]);
    run(30_000);
    expect(told).toEqual(['closed']);
  });
});

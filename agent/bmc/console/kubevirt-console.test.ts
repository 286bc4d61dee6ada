import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '@groundcrew/controller-runtime';
import { aGuest, aVm, aVmi } from '../testing/builders.ts';
import { ConsoleBench, onNode } from './testing/console-bench.ts';

const OFF = '\r\n[the machine is off; its console comes when it is on]\r\n';
const LOST = '\r\n[the console was lost; it is being opened again]\r\n';
const TAKEN = '\r\n[another viewer has taken the console; press a key to take it back]\r\n';

describe('the console of a running machine', () => {
  it('carries bytes both ways', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.say('login: ');
    expect(line.write(Buffer.from('root\r'))).toBe(true);
    expect([bench.shown, bench.socket.sent]).toEqual(['login: ', 'root\r']);
  });

  it('is given back with the line, and tells nothing after that', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    line.close();
    expect(bench.socket.isClosed).toBe(true);
    bench.socket.say('late');
    bench.socket.listener.closed(false);
    await bench.see(undefined);
    await bench.clock.advance(60_000);
    expect([bench.shown, bench.closed, bench.attempts, bench.clock.timers]).toEqual(['', undefined, 1, 0]);
  });

  it('is closed at once where the line was given up while it was being opened', async () => {
    const bench = new ConsoleBench();
    const opening = bench.console.open({
      received: () => undefined,
      drained: () => undefined,
      closed: () => undefined,
    });
    (await opening).close();
    await bench.clock.advance(0);
    expect(bench.socket.isClosed).toBe(true);
  });

  it('holds its output back when asked, also after it was opened anew', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    expect(bench.socket.isPaused).toBe(false);
    line.pause();
    expect(bench.socket.isPaused).toBe(true);
    bench.socket.listener.closed(true);
    await bench.clock.advance(1_000);
    expect([bench.sockets.length, bench.socket.isPaused]).toEqual([2, true]);
    line.resume();
    expect(bench.socket.isPaused).toBe(false);
  });

  it('takes no more typing while too much waits to go out', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.buffered = 70_000;
    expect(line.write(Buffer.from('a'))).toBe(false);
    bench.socket.buffered = 20_000;
    bench.socket.listener.written();
    expect(bench.drained).toBe(0);
    bench.socket.buffered = 10_000;
    bench.socket.listener.written();
    bench.socket.listener.written();
    expect(bench.drained).toBe(1);
  });

  it('takes no more typing while it connects than it can keep, and sends that in order', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.listener.closed(true);
    expect([line.write(Buffer.from('a'.repeat(4_000))), line.write(Buffer.from('b'.repeat(251)))]).toEqual([
      true,
      false,
    ]);
    await bench.clock.advance(1_000);
    expect([bench.socket.sent.length, bench.drained]).toEqual([4_251, 1]);
  });

  it('goes to whoever opens it last', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    const [first] = bench.sockets;
    await bench.open();
    expect([bench.closed, first?.isClosed, bench.sockets.length]).toEqual(['TakenOver', true, 2]);
  });
});

describe('a console that is not to be had', () => {
  it.each([
    ['the running machine', { vmi: aVmi({ guest: withoutSerial() }), vm: aVm() }],
    ['the machine that is off', { vmi: undefined, vm: aVm({ guest: withoutSerial() }) }],
  ])('is NotSupported where %s has no serial port', async (_name, { vmi, vm }) => {
    const bench = new ConsoleBench();
    [bench.vmi, bench.vm] = [vmi, vm];
    await expect(bench.open()).rejects.toMatchObject({ code: 'NotSupported' });
  });

  it('says what KubeVirt or RBAC has against it, once, and is tried again', async () => {
    const bench = new ConsoleBench();
    bench.refusal = new ApiError('GET x', 403, { kind: 'Status', apiVersion: 'v1', message: 'not for you' });
    await bench.open();
    await bench.clock.advance(60_000);
    expect(bench.shown).toBe('\r\n[the console is refused: not for you]\r\n');
    expect(bench.attempts).toBeGreaterThan(5);
    expect(bench.attempts).toBeLessThan(30);
    bench.refusal = undefined;
    await bench.clock.advance(10_000);
    bench.socket.say('login: ');
    expect(bench.shown).toContain('login: ');
  });

  it('is tried again without a word where the watch is ahead of KubeVirt', async () => {
    const bench = new ConsoleBench();
    bench.refusal = new ApiError('GET x', 400, 'VMI is not running');
    const line = await bench.open();
    line.write(Buffer.from('early'));
    bench.refusal = undefined;
    await bench.clock.advance(1_000);
    expect([bench.shown, bench.socket.sent]).toEqual(['', 'early']);
  });

  it('says that it was lost where the API server cannot be reached', async () => {
    const bench = new ConsoleBench();
    bench.refusal = new TransportError('refused');
    await bench.open();
    await bench.clock.advance(20_000);
    expect(bench.shown).toBe(LOST);
  });
});

describe('the console of a machine that goes through a life', () => {
  it('waits for one that is off', async () => {
    const bench = new ConsoleBench();
    bench.vmi = undefined;
    const line = await bench.open();
    expect(bench.shown).toBe(OFF);
    line.write(Buffer.from('for nobody'));
    await bench.see(onNode('node-1', { phase: 'Scheduling' }));
    expect(bench.attempts).toBe(0);
    await bench.see(onNode('node-1'));
    bench.socket.say('GRUB');
    expect([bench.shown, bench.socket.sent]).toEqual([`${OFF}GRUB`, '']);
  });

  it.each([
    ['the connection', true],
    ['the watch', false],
  ])('goes on through a power cycle, whether %s tells of it first', async (_name, connectionFirst) => {
    const bench = new ConsoleBench();
    await bench.open();
    const { socket } = bench;
    if (connectionFirst) socket.listener.closed(false);
    await bench.see(onNode('node-1', { phase: 'Succeeded' }));
    if (!connectionFirst) socket.listener.closed(false);
    await bench.see(undefined);
    expect(bench.shown).toBe(OFF);
    await bench.see(onNode('node-2', { uid: 'vmi-2' }));
    expect(bench.sockets).toHaveLength(2);
  });

  it('waits for the next life where this one is being ended', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.vmi = onNode('node-1', { deleted: true });
    bench.socket.listener.closed(false);
    expect(bench.shown).toBe(OFF);
  });

  it.each([
    ['the connection', true],
    ['the watch', false],
  ])('follows a live migration at once, whether %s tells of it first', async (_name, connectionFirst) => {
    const bench = new ConsoleBench();
    await bench.open();
    const { socket } = bench;
    if (connectionFirst) socket.listener.closed(false);
    await bench.see(onNode('node-2'));
    if (!connectionFirst) socket.listener.closed(false);
    await bench.clock.advance(0);
    expect([bench.sockets.length, bench.shown]).toEqual([2, '']);
  });

  it.each([
    ['moved', onNode('node-2'), 2, ''],
    ['off', undefined, 1, OFF],
  ])('gives a connection up that does not end though the machine is %s', async (_name, vmi, attempts, shown) => {
    const bench = new ConsoleBench();
    await bench.open();
    const { socket } = bench;
    await bench.see(vmi);
    await bench.see(vmi);
    await bench.clock.advance(9_000);
    expect([socket.isClosed, bench.attempts]).toEqual([false, 1]);
    await bench.clock.advance(1_000);
    expect([socket.isClosed, bench.attempts, bench.shown]).toEqual([true, attempts, shown]);
  });

  it('shows all of a long shutdown', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    await bench.see(onNode('node-1', { deleted: true }));
    await bench.clock.advance(60_000);
    bench.socket.say('Stopping');
    expect([bench.shown, bench.attempts]).toEqual(['Stopping', 1]);
  });

  it('tries until a migration that is under way is done', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.vmi = onNode('node-1', { migrating: true });
    bench.socket.listener.closed(false);
    await bench.clock.advance(2_000);
    expect([bench.sockets.length, bench.shown]).toEqual([2, '']);
  });
});

describe('a console that somebody else has opened', () => {
  it('is left to them, until its user types', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.listener.closed(false);
    await bench.clock.advance(60_000);
    expect([bench.shown, bench.attempts]).toEqual([TAKEN, 1]);
    line.write(Buffer.from('x'));
    await bench.clock.advance(0);
    line.write(Buffer.from('y'));
    expect([bench.attempts, bench.socket.sent]).toEqual([2, 'y']);
  });

  it('takes keys though much had not gone out when it was lost', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.buffered = 70_000;
    expect(line.write(Buffer.from('a'))).toBe(false);
    bench.socket.listener.closed(false);
    await bench.clock.advance(60_000);
    expect([bench.shown, bench.drained]).toEqual([TAKEN, 1]);
  });

  it('is not taken back with what was typed before that was known', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.listener.closed(false);
    line.write(Buffer.from('reboot\r'));
    await bench.clock.advance(60_000);
    line.write(Buffer.from('x'));
    await bench.clock.advance(0);
    expect([bench.attempts, bench.socket.sent]).toEqual([2, '']);
  });

  it('comes back with the next life of the machine', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.socket.listener.closed(false);
    await bench.clock.advance(60_000);
    await bench.see(undefined);
    await bench.see(onNode('node-1', { uid: 'vmi-2' }));
    expect([bench.shown, bench.attempts]).toEqual([TAKEN + OFF, 2]);
  });

  it('is told from a connection that broke, which is made anew', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.socket.listener.closed(true);
    await bench.clock.advance(1_000);
    expect([bench.shown, bench.attempts]).toEqual([LOST, 2]);
  });

  it('is not hammered where each connection breaks at once', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    for (let second = 0; second < 60; second += 1) {
      bench.socket.listener.closed(true);
      await bench.clock.advance(1_000);
    }
    expect(bench.attempts).toBeLessThan(20);
  });
});

function withoutSerial(): ReturnType<typeof aGuest> {
  const guest = aGuest();
  return {
    ...guest,
    domain: { ...guest.domain, devices: { ...guest.domain.devices, autoattachSerialConsole: false } },
  };
}

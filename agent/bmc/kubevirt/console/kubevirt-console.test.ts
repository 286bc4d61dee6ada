import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '@groundcrew/controller-runtime';
import { aGuest, aVm, aVmi } from '../../testing/builders.ts';
import { ConsoleBench, onNode } from '../../testing/console-bench.ts';

const OFF = '\r\n[the machine is off; its console comes when it is on]\r\n';
const LOST = '\r\n[the console was lost; it is being opened again]\r\n';
const TAKEN = '\r\n[another viewer has taken the console; press a key to take it back]\r\n';

describe('the console of a running machine', () => {
  it('is released when the line closes, without further events', async () => {
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

  it('is closed at once if the line closes while it is being opened', async () => {
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

  it('tells whether a client has it', async () => {
    const bench = new ConsoleBench();
    const first = await bench.open();
    const second = await bench.open();
    first.close();
    expect(bench.console.isOpen).toBe(true);
    second.close();
    expect(bench.console.isOpen).toBe(false);
  });

  it('pauses its output on request, also after a reconnect', async () => {
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

  it('refuses input while too many bytes are unsent', async () => {
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

  it('limits the input while it connects, and sends it in order', async () => {
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

  it('belongs to the latest client', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    const [first] = bench.sockets;
    await bench.open();
    expect([bench.closed, first?.isClosed, bench.sockets.length]).toEqual(['TakenOver', true, 2]);
  });
});

describe('an unavailable console', () => {
  it.each([
    ['the running machine', { vmi: aVmi({ guest: withoutSerial() }), vm: aVm() }],
    ['the machine that is off', { vmi: undefined, vm: aVm({ guest: withoutSerial() }) }],
  ])('is NotSupported if %s has no serial port', async (_name, { vmi, vm }) => {
    const bench = new ConsoleBench();
    [bench.vmi, bench.vm] = [vmi, vm];
    await expect(bench.open()).rejects.toMatchObject({ code: 'NotSupported' });
  });

  it('reports an error of KubeVirt or RBAC once, and retries', async () => {
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

  it('retries silently if the watch is ahead of KubeVirt', async () => {
    const bench = new ConsoleBench();
    bench.refusal = new ApiError('GET x', 400, 'VMI is not running');
    const line = await bench.open();
    line.write(Buffer.from('early'));
    bench.refusal = undefined;
    await bench.clock.advance(1_000);
    expect([bench.shown, bench.socket.sent]).toEqual(['', 'early']);
  });

  it('reports a lost connection if the API server is unreachable', async () => {
    const bench = new ConsoleBench();
    bench.refusal = new TransportError('refused');
    await bench.open();
    await bench.clock.advance(20_000);
    expect(bench.shown).toBe(LOST);
  });
});

describe('the console of a machine that changes state', () => {
  it('waits for a machine that is off', async () => {
    const bench = new ConsoleBench();
    bench.vmi = undefined;
    const line = await bench.open();
    expect(bench.shown).toBe(OFF);
    line.write(Buffer.from('lost'));
    await bench.see(onNode('node-1', { phase: 'Scheduling' }));
    expect(bench.attempts).toBe(0);
    await bench.see(onNode('node-1'));
    bench.socket.say('GRUB');
    expect([bench.shown, bench.socket.sent]).toEqual([`${OFF}GRUB`, '']);
  });

  it.each([
    ['the connection', true],
    ['the watch', false],
  ])('survives a power cycle if %s reports it first', async (_name, connectionFirst) => {
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

  it('waits for the next VMI if this one is being deleted', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.vmi = onNode('node-1', { deleted: true });
    bench.socket.listener.closed(false);
    expect(bench.shown).toBe(OFF);
  });

  it.each([
    ['the connection', true],
    ['the watch', false],
  ])('follows a live migration at once if %s reports it first', async (_name, connectionFirst) => {
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
  ])('closes a connection that stays open although the machine is %s', async (_name, vmi, attempts, shown) => {
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

  it('shows all output of a long shutdown', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    await bench.see(onNode('node-1', { deleted: true }));
    await bench.clock.advance(60_000);
    bench.socket.say('Stopping');
    expect([bench.shown, bench.attempts]).toEqual(['Stopping', 1]);
  });

  it('retries until a migration in progress is done', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.vmi = onNode('node-1', { migrating: true });
    bench.socket.listener.closed(false);
    await bench.clock.advance(2_000);
    expect([bench.sockets.length, bench.shown]).toEqual([2, '']);
  });
});

describe('a console that another client has opened', () => {
  it('is not taken back until the user types', async () => {
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

  it('accepts input although much was unsent when it was lost', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.buffered = 70_000;
    expect(line.write(Buffer.from('a'))).toBe(false);
    bench.socket.listener.closed(false);
    await bench.clock.advance(60_000);
    expect([bench.shown, bench.drained]).toEqual([TAKEN, 1]);
  });

  it('is not taken back by earlier input', async () => {
    const bench = new ConsoleBench();
    const line = await bench.open();
    bench.socket.listener.closed(false);
    line.write(Buffer.from('reboot\r'));
    await bench.clock.advance(60_000);
    line.write(Buffer.from('x'));
    await bench.clock.advance(0);
    expect([bench.attempts, bench.socket.sent]).toEqual([2, '']);
  });

  it('reconnects with the next VMI of the machine', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.socket.listener.closed(false);
    await bench.clock.advance(60_000);
    await bench.see(undefined);
    await bench.see(onNode('node-1', { uid: 'vmi-2' }));
    expect([bench.shown, bench.attempts]).toEqual([TAKEN + OFF, 2]);
  });

  it('is distinguished from a broken connection, which is reopened', async () => {
    const bench = new ConsoleBench();
    await bench.open();
    bench.socket.listener.closed(true);
    await bench.clock.advance(1_000);
    expect([bench.shown, bench.attempts]).toEqual([LOST, 2]);
  });

  it('reconnects with a delay if each connection breaks at once', async () => {
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

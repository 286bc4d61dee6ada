import { randomBytes } from 'node:crypto';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { PAUSED } from '../instances/index.ts';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';
import { aVmi, deleted } from '../testing/builders.ts';
import { Reader, ToldCache, Watcher } from '../testing/console.ts';
import { GuestHost } from './guest-host.ts';

const BOOT_TIME = 1000;
const SHUTDOWN_TIME = 100;
const REF = { namespace: 'vms', name: 'm' };

let clock: FakeClock;
let cache: ToldCache;
let ends: string[];
let host: GuestHost;
let stop: () => void;

beforeEach(() => {
  clock = new FakeClock();
  cache = new ToldCache();
  ends = [];
  host = new GuestHost({
    instances: cache,
    clock,
    random: randomBytes,
    times: { bootTime: BOOT_TIME, shutdownTime: SHUTDOWN_TIME },
    onEnd: ({ name }, fate) => ends.push(`${name} ${fate}`),
  });
  stop = host.start();
});

function start(change: Partial<VirtualMachineInstance['status']> = {}): VirtualMachineInstance {
  const vmi = aVmi('Running', { nodeName: 'node01', ...change });
  cache.put(vmi);
  return vmi;
}

describe('an unwatched guest', () => {
  it('needs no timer', () => {
    start();
    expect(clock.timers).toBe(0);
  });

  it('boots', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME);
    const reader = new Reader().connect(host, vmi);
    expect(reader.text).toBe('');
    reader.type('\r');
    expect(reader.text).toMatch(/m login: $/);
    expect(clock.timers).toBe(0);
  });

  it('ends after its shutdown time', async () => {
    const reader = new Reader().connect(host, start());
    await clock.advance(BOOT_TIME);
    reader.type('root\rpoweroff\r');
    reader.leave();
    await clock.advance(SHUTDOWN_TIME - 1);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual(['m PoweredOff']);
    expect(clock.timers).toBe(0);
  });
});

describe('a viewer', () => {
  it('receives the output at its time', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME / 2);
    const reader = new Reader().connect(host, vmi);
    await clock.advance(BOOT_TIME / 2 - 1);
    expect(reader.text).toMatch(/^\[ {4}0\.1\d+\] [^]*Reached target multi-user/);
    expect(reader.text).not.toContain('login: ');
    await clock.advance(1);
    expect(reader.text).toMatch(/m login: $/);
    expect(clock.timers).toBe(0);
  });

  it('replaces the previous viewer', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME);
    const first = new Reader().connect(host, vmi);
    const second = new Reader().connect(host, vmi);
    expect([first.hasEnded, second.hasEnded]).toEqual([true, false]);
    first.type('root\r');
    first.leave();
    expect(first.text).toBe('');
    second.type('root\r');
    expect(second.text).toMatch(/root@m:~# $/);
  });

  it('can connect before the cache contains the running guest', async () => {
    const vmi = aVmi('Running');
    const reader = new Reader().connect(host, vmi);
    await clock.advance(0);
    cache.put(vmi);
    await clock.advance(BOOT_TIME);
    expect(reader.text).toMatch(/^SeaBIOS[^]*m login: $/);
  });

  it('receives nothing during a pause, and a call at its end', async () => {
    const reader = new Reader().connect(host, start());
    await clock.advance(BOOT_TIME / 2);
    host.carryOut('pause', REF);
    const { text } = reader;
    await clock.advance(BOOT_TIME);
    expect(reader.text).toBe(text);
    expect(clock.timers).toBe(0);
    host.carryOut('unpause', REF);
    expect(reader.resumed).toBe(1);
    await clock.advance(BOOT_TIME / 2);
    expect(reader.text).toMatch(/m login: $/);
  });

  it('receives nothing from a guest that was started paused', async () => {
    const reader = new Reader().connect(host, start({ conditions: [PAUSED] }));
    await clock.advance(BOOT_TIME);
    expect(reader.text).toBe('');
  });

  it('receives one shutdown when the instance is deleted', async () => {
    const vmi = start();
    const reader = new Reader().connect(host, vmi);
    await clock.advance(BOOT_TIME);
    cache.put(deleted(vmi));
    cache.put(deleted(vmi));
    await clock.advance(SHUTDOWN_TIME);
    expect(reader.text.split('Power key pressed short.')).toHaveLength(2);
    expect(ends).toEqual(['m PoweredOff']);
  });

  it.each([
    [
      'has ended',
      () => {
        cache.put(aVmi('Succeeded', { nodeName: 'node01' }));
      },
    ],
    [
      'has failed',
      () => {
        cache.put(aVmi('Failed', { nodeName: 'node01' }));
      },
    ],
    [
      'is gone',
      () => {
        cache.delete();
      },
    ],
    ['has moved to another node', () => start({ nodeName: 'node02' })],
    [
      'is no longer looked after',
      () => {
        stop();
      },
    ],
  ])('is disconnected when the guest %s', async (_, happen) => {
    const reader = new Reader().connect(host, start());
    await clock.advance(BOOT_TIME);
    happen();
    expect(reader.hasEnded).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('finds the same session after a migration', async () => {
    const reader = new Reader().connect(host, start());
    await clock.advance(BOOT_TIME);
    reader.type('root\r');
    const moved = start({ nodeName: 'node02' });
    const there = new Reader().connect(host, moved);
    there.type('\r');
    expect(there.text).toBe('\r\nroot@m:~# ');
  });
});

describe('a viewer of the screen', () => {
  it('sees what the guest has shown before, and all that follows', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME / 2);
    const watcher = new Watcher().watch(host, vmi);
    expect(watcher.line).toMatch(/^\[ {4}0\.\d+\]/);
    await clock.advance(BOOT_TIME / 2);
    expect(watcher.line).toBe('m login:');
    expect(clock.timers).toBe(0);
  });

  it('shares the session of the serial port', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME);
    const watcher = new Watcher().watch(host, vmi);
    const reader = new Reader().connect(host, vmi);
    watcher.port?.type('root\r');
    expect(reader.text).toMatch(/root@m:~# $/);
    reader.type('hostname');
    expect(watcher.line).toBe('root@m:~# hostname');
  });

  it('replaces the previous viewer, whose keys are then lost', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME);
    expect(host.isWatched(vmi)).toBe(false);
    const reader = new Reader().connect(host, vmi);
    const [first, second] = [new Watcher().watch(host, vmi), new Watcher().watch(host, vmi)];
    expect([first.hasEnded, second.hasEnded, reader.hasEnded]).toEqual([true, false, false]);
    first.port?.type('first');
    first.port?.release();
    second.port?.type('root');
    expect(second.line).toBe('m login: root');
    expect(host.isWatched(vmi)).toBe(true);
    second.port?.release();
    expect(host.isWatched(vmi)).toBe(false);
  });

  it('restarts the guest', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME);
    const watcher = new Watcher().watch(host, vmi);
    watcher.port?.pressControlAltDelete();
    await clock.advance(SHUTDOWN_TIME);
    expect(watcher.line).toMatch(/^SeaBIOS/);
    await clock.advance(BOOT_TIME);
    expect(watcher.line).toBe('m login:');
  });

  it('is disconnected when the guest ends', async () => {
    const watcher = new Watcher().watch(host, start());
    await clock.advance(BOOT_TIME);
    cache.put(aVmi('Succeeded', { nodeName: 'node01' }));
    expect(watcher.hasEnded).toBe(true);
  });

  it('is not needed for a screenshot', async () => {
    const vmi = start();
    await clock.advance(BOOT_TIME);
    expect(host.screenOf(vmi).lines()).toContain('m login:');
    expect(host.isWatched(vmi)).toBe(false);
  });
});

describe('requests without a guest', () => {
  it('have no effect', () => {
    host.carryOut('reset', REF);
    start();
    expect(clock.timers).toBe(0);
  });
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { OPTION } from '../options/option-code.ts';
import { ADDRESS, lease, mac, message, TestNetwork } from '../testing/test-network.ts';
import { Pace, PacketLimits } from './packet-limits.ts';

const STRANGER = { macAddress: mac('66:00:00:00:00:01') };

/** How many of 100 packets are admitted at each of the times in turn. */
function admitted(rate: number, ...times: number[]): number[] {
  const pace = new Pace(rate);
  let state = 0;
  return times.map((now) => {
    let count = 0;
    for (let i = 0; i < 100; i += 1) {
      const next = pace.next(state, now);
      if (next === undefined) continue;
      state = next;
      count += 1;
    }
    return count;
  });
}

describe('a pace', () => {
  it('admits a burst of two seconds, then its rate', () => {
    expect(admitted(10, 5_000, 5_099, 6_000, 1_000_000)).toEqual([20, 0, 10, 20]);
  });

  it('admits one packet at a rate below one per second', () => {
    expect(admitted(0.1, 0, 5_000, 10_000, 100_000)).toEqual([1, 0, 1, 1]);
  });

  it('admits everything at an infinite rate', () => {
    expect(admitted(Infinity, 0, 0)).toEqual([100, 100]);
    expect(new Pace(Infinity).isUnlimited).toBe(true);
  });
});

describe('a client that sends without pause', () => {
  it('is answered up to its rate', () => {
    const network = new TestNetwork();
    const answers = Array.from({ length: 1_000 }, () => network.ask('discover')).filter(
      (answer) => answer !== undefined,
    );
    expect(answers).toHaveLength(100);
    expect(network.outcome).toBe('RateLimited');
    network.now += 1_000;
    expect(network.ask('discover')).toBeDefined();
  });

  it('does not reduce the rate of other clients', () => {
    const other = mac('52:54:00:00:00:02');
    const network = new TestNetwork([lease(), lease({ macAddress: other })]);
    for (let i = 0; i < 1_000; i += 1) network.ask('discover');
    expect(network.ask('discover', {}, { macAddress: other })).toBeDefined();
  });
});

describe('the limit per client', () => {
  /** How many of 100 packets are admitted at each of these times. */
  function admittedAt(times: readonly number[]): number[] {
    const limits = new PacketLimits({ perClient: 10 });
    const client = lease();
    return times.map(
      (now) => Array.from({ length: 100 }, () => limits.admitsClient(client, now)).filter(Boolean).length,
    );
  }

  it('is independent of fractions of a millisecond', () => {
    expect(admittedAt([5_000.4, 5_000.9, 5_099.3, 5_100.2, 6_000.7])).toEqual([20, 0, 0, 1, 9]);
  });

  it('stays the same over months, with one reset in twelve days', () => {
    expect(admittedAt([0, 2 ** 30 - 1, 2 ** 30 - 0.5, 2 ** 30, 2 ** 30 + 50, 2 ** 33 + 0.5])).toEqual([
      20, 20, 0, 20, 0, 20,
    ]);
  });
});

describe('thousands of unknown clients', () => {
  it('are reported up to their shared rate, are each counted, and do not affect a known client', () => {
    const network = new TestNetwork();
    for (let i = 0; i < 20_000; i += 1) network.ask('discover', {}, { macAddress: STRANGER.macAddress + i });
    expect(network.told.dropped).toHaveLength(200);
    expect(network.told.handled.filter((told) => told === 'Discover UnknownClient')).toHaveLength(20_000);
    expect(network.ask('discover')?.yiaddr).toBe(ADDRESS);
    expect(network.ask('request', { [OPTION.requestedAddress]: ADDRESS })?.yiaddr).toBe(ADDRESS);
  });

  it('use no memory per client', () => {
    const network = new TestNetwork();
    const datagram = message('discover', {}, STRANGER);
    const before = heap();
    for (let i = 0; i < 200_000; i += 1) {
      datagram.writeUInt32BE(i, 30);
      network.server.handle(datagram, { address: 0, port: 68 }, network.now);
      if (i % 100 === 0) network.told.handled.length = 0;
    }
    // Ten bytes per client would exceed this.
    expect(heap() - before).toBeLessThan(2e6);
  });
});

/** Used heap in bytes after garbage collection. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // exposed by the V8 flag
  collect();
  return process.memoryUsage().heapUsed;
}

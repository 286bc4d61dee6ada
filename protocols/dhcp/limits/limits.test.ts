import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { OPTION } from '../options/option-code.ts';
import { ADDRESS, lease, mac, message, TestNetwork } from '../testing/test-network.ts';
import { PacketLimits } from './packet-limits.ts';
import { Pace } from './pace.ts';

const STRANGER = { macAddress: mac('66:00:00:00:00:01') };

/** How many of 100 at the same time are let through, one after the other time. */
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
  it('lets a burst of two seconds through, then its rate', () => {
    expect(admitted(10, 5_000, 5_099, 6_000, 1_000_000)).toEqual([20, 0, 10, 20]);
  });

  it('of less than one a second lets one through', () => {
    expect(admitted(0.1, 0, 5_000, 10_000, 100_000)).toEqual([1, 0, 1, 1]);
  });

  it('of infinity lets everything through', () => {
    expect(admitted(Infinity, 0, 0)).toEqual([100, 100]);
    expect(new Pace(Infinity).isUnlimited).toBe(true);
  });
});

describe('a client that asks without end', () => {
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

  it('takes nothing from others', () => {
    const other = mac('52:54:00:00:00:02');
    const network = new TestNetwork([lease(), lease({ macAddress: other })]);
    for (let i = 0; i < 1_000; i += 1) network.ask('discover');
    expect(network.ask('discover', {}, { macAddress: other })).toBeDefined();
  });
});

describe('the limit of each client', () => {
  /** How many of 100 at each of these times are let through. */
  function admittedAt(times: readonly number[]): number[] {
    const limits = new PacketLimits({ perClient: 10 });
    const client = lease();
    return times.map(
      (now) => Array.from({ length: 100 }, () => limits.admitsClient(client, now)).filter(Boolean).length,
    );
  }

  it('is the same between two milliseconds', () => {
    expect(admittedAt([5_000.4, 5_000.9, 5_099.3, 5_100.2, 6_000.7])).toEqual([20, 0, 0, 1, 9]);
  });

  it('is the same after months, but for a fresh start once in twelve days', () => {
    expect(admittedAt([0, 2 ** 30 - 1, 2 ** 30 - 0.5, 2 ** 30, 2 ** 30 + 50, 2 ** 33 + 0.5])).toEqual([
      20, 20, 0, 20, 0, 20,
    ]);
  });
});

describe('strangers by the thousand', () => {
  it('are told up to their rate, all together, counted each, and take nothing from a client', () => {
    const network = new TestNetwork();
    for (let i = 0; i < 20_000; i += 1) network.ask('discover', {}, { macAddress: STRANGER.macAddress + i });
    expect(network.told.dropped).toHaveLength(200);
    expect(network.told.handled.filter((told) => told === 'Discover UnknownClient')).toHaveLength(20_000);
    expect(network.ask('discover')?.yiaddr).toBe(ADDRESS);
    expect(network.ask('request', { [OPTION.requestedAddress]: ADDRESS })?.yiaddr).toBe(ADDRESS);
  });

  it('cost no memory each', () => {
    const network = new TestNetwork();
    const datagram = message('discover', {}, STRANGER);
    const before = heap();
    for (let i = 0; i < 200_000; i += 1) {
      datagram.writeUInt32BE(i, 30);
      network.server.handle(datagram, { address: 0, port: 68 }, network.now);
      if (i % 100 === 0) network.told.handled.length = 0;
    }
    // Ten bytes of each would be more.
    expect(heap() - before).toBeLessThan(2e6);
  });
});

/** Bytes of the heap that are in use, garbage not counted. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // V8's own function, which the flag has made visible
  collect();
  return process.memoryUsage().heapUsed;
}

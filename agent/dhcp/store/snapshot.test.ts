import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { LeaseTable } from './lease-table.ts';
import { PoolTable } from '../pools/pool-table.ts';
import { LeaseReader } from './lease-record.ts';
import { lease, mac, NETWORK, pool } from '../testing/builders.ts';
import { SnapshotKeeper } from './snapshot-keeper.ts';

const reader = new LeaseReader();
let directory: string;
let clock: FakeClock;
let warnings: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'snapshot-'));
  clock = new FakeClock();
  warnings = [];
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** The tables of an agent that keeps its snapshot in the folder. */
function agent({ network = NETWORK, folder = directory } = {}) {
  const leases = new LeaseTable({ isFresh: () => false, onDuplicate: () => undefined, onInvalid: () => undefined });
  const pools = new PoolTable({
    network,
    serverIndex: 0,
    onChange: (key, settings) => {
      leases.setPool(key, settings);
    },
    onProblems: () => undefined,
  });
  const logger: Logger = {
    ...silentLogger,
    warn: (fields, message) => warnings.push('reason' in fields ? String(fields.reason) : message),
  };
  return { leases, pools, keeper: new SnapshotKeeper({ directory: folder, network, leases, pools, clock, logger }) };
}

const file = (): string => join(directory, 'leases.jsonl');

/** Runs the keeper until what is there now is on disk. */
async function keep({ keeper }: ReturnType<typeof agent>): Promise<void> {
  const stop = new AbortController();
  const ended = keeper.run(stop.signal);
  stop.abort();
  await ended;
}

async function written(): Promise<string> {
  const before = agent();
  before.pools.put(pool({ options: [{ code: 43, type: 'hex', value: '0102' }] }));
  for (let index = 1; index <= 200; index += 1) before.leases.put(reader.recordOf(lease(index)));
  await keep(before);
  return readFileSync(file(), 'utf8');
}

describe('a snapshot', () => {
  it('contains all served leases', async () => {
    const before = agent();
    before.pools.put(pool({ router: '10.0.0.1', options: [{ code: 43, type: 'hex', value: '0102' }] }));
    const status = { state: 'Bound', firstBound: '2026-01-01T00:00:00Z', lastSeen: '2026-01-01T00:00:00Z' } as const;
    before.leases.put(reader.recordOf(lease(1, { hostname: 'web', boot: { vmiUID: 'life-1', mode: 'Pxe' }, status })));
    for (let index = 2; index <= 250; index += 1) before.leases.put(reader.recordOf(lease(index)));
    await keep(before);
    const after = agent();
    expect(after.keeper.restore()).toBe(true);
    for (let index = 1; index <= 250; index += 1) {
      const [restored, served] = [after.leases.find(mac(index)), before.leases.find(mac(index))];
      // The version comes only from the API server.
      expect(restored).toEqual({ ...served, version: Number.NaN });
    }
    clock = new FakeClock(clock.now());
    expect(after.keeper.age).toBe(0);
  });

  it('contains a network boot that is done but not written to the API server', async () => {
    const before = agent();
    before.pools.put(pool());
    before.leases.put(reader.recordOf(lease(1, { boot: { vmiUID: 'life-1' } })));
    const served = before.leases.find(mac(1));
    if (served !== undefined) before.leases.consumeBoot(served);
    await keep(before);
    const after = agent();
    after.keeper.restore();
    expect(after.leases.find(mac(1))?.boot).toEqual({ uid: 'life-1', isConsumed: true });
  });

  it('is written after a change, at most every ten seconds', async () => {
    const { leases, keeper } = agent();
    const stop = new AbortController();
    const ended = keeper.run(stop.signal);
    leases.put(reader.recordOf(lease(1)));
    await clock.advance(9_999);
    expect(existsSync(file())).toBe(false);
    await clock.advance(1);
    await expect.poll(() => existsSync(file())).toBe(true);
    const first = readFileSync(file(), 'utf8');
    leases.put(reader.recordOf(lease(1, { status: { lastSeen: '2026-01-01T00:00:00Z' } })));
    await clock.advance(30_000);
    expect(readFileSync(file(), 'utf8')).toBe(first);
    leases.put(reader.recordOf(lease(2)));
    stop.abort();
    await ended;
    expect(readFileSync(file(), 'utf8')).toContain('prod.10.0.0.2');
    expect(readdirSync(directory)).toEqual(['leases.jsonl']);
  });

  it('is absent at first, without a warning', () => {
    expect(agent().keeper.restore()).toBe(false);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, text.length / 2), 'it is damaged or incomplete'],
    [
      'without its last line',
      (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1),
      'it is damaged or incomplete',
    ],
    [
      'with one digit changed',
      (text: string) => text.replace('prod.10.0.0.9"', 'prod.10.0.0.8"').replace('10.0.0.99', '10.0.0.98'),
      'it is damaged or incomplete',
    ],
    ['empty', () => '', 'it is damaged or incomplete'],
    ['binary', () => '\u0000\u0001\n{}', 'it is damaged or incomplete'],
  ])('%s is not used', async (_, damage, reason) => {
    writeFileSync(file(), damage(await written()));
    const { keeper, leases } = agent();
    expect(keeper.restore()).toBe(false);
    expect(leases.size).toBe(0);
    expect(warnings).toEqual([reason]);
  });

  it('of another network is not used', async () => {
    await written();
    expect(agent({ network: 'default/vlan11' }).keeper.restore()).toBe(false);
    expect(warnings).toEqual(['it belongs to another network']);
  });

  it('of another version is not used', async () => {
    const { createHash } = await import('node:crypto');
    const text = await written();
    const end = text.lastIndexOf('\n', text.length - 2) + 1;
    const body = text.slice(0, end).replace(/"version":\d+/, '"version":1');
    writeFileSync(file(), `${body}${JSON.stringify({ sha256: createHash('sha256').update(body).digest('hex') })}\n`);
    expect(agent().keeper.restore()).toBe(false);
    expect(warnings).toEqual(['it has another version']);
  });

  it('that cannot be written is reported once', async () => {
    const { leases, keeper } = agent({ folder: join(directory, 'missing') });
    const stop = new AbortController();
    const ended = keeper.run(stop.signal);
    for (let index = 1; index <= 3; index += 1) {
      leases.put(reader.recordOf(lease(index)));
      await clock.advance(10_000);
    }
    stop.abort();
    await ended;
    expect(warnings).toEqual(['the snapshot of leases cannot be written; trying again']);
  });
});

import { describe, expect, it } from 'vitest';
import { memoryAccount } from '../../testing/index.ts';
import { cipherSuite } from '../rmcpplus/cipher-suite.ts';
import { SecureChannel } from '../rmcpplus/secure-channel.ts';
import { consoleSessionId } from '../rmcpplus/session-id.ts';
import { seededRandom } from '../testing/test-bmc.ts';
import type { HalfOpenSession } from './half-open-session.ts';
import type { Session } from './session.ts';
import { type SessionEnd, type SessionLimits, SessionTable } from './session-table.ts';

const SUITE = cipherSuite(17);
const random = seededRandom('table');

interface Bench {
  table: SessionTable;
  ended: SessionEnd[];
  lapsed: HalfOpenSession[];
  begin: (now: number, address?: string) => HalfOpenSession;
  activate: (now: number) => Session;
}

function bench(limits: Partial<SessionLimits> = {}, ids = random): Bench {
  const ended: SessionEnd[] = [];
  const lapsed: HalfOpenSession[] = [];
  const table = new SessionTable({
    maxSessions: 3,
    maxHalfOpen: 4,
    maxHalfOpenPerSource: 2,
    sessionTimeout: 60_000,
    halfOpenTimeout: 5_000,
    ...limits,
    random: ids,
    onEnd: (_session, reason) => void ended.push(reason),
    onLapse: (half) => void lapsed.push(half),
  });
  const begin: Bench['begin'] = (now, address = '192.0.2.1') =>
    table.begin({
      consoleId: consoleSessionId(1),
      suite: SUITE,
      maxPrivilege: 4,
      peer: { address, port: 1 },
      openedAt: now,
    });
  const activate: Bench['activate'] = (now) => {
    const keys = { integrity: random(32), confidentiality: random(16) };
    return table.activate(begin(now), {
      user: 'admin',
      account: memoryAccount(2, { username: 'admin', password: 'password' }),
      maxPrivilege: 4,
      channel: new SecureChannel({ suite: SUITE, keys, remoteId: 1, random }),
      opening: { proof: random(32), answer: random(24) },
      peer: { address: '192.0.2.1', port: 1 },
      now,
    });
  };
  return { table, ended, lapsed, begin, activate };
}

describe('half-open handshakes', () => {
  it('expire after 5 s', () => {
    const { table, lapsed, begin } = bench();
    const half = begin(0);
    expect(table.halfOpen(half.id, 5_000)).toBe(half);
    expect(table.halfOpen(half.id, 5_001)).toBeUndefined();
    expect([table.halfOpenCount, lapsed]).toEqual([0, [half]]);
  });

  it('are displaced by the next one of the same source', () => {
    const { table, lapsed, begin } = bench();
    const other = begin(0, '192.0.2.9');
    const [first, second, third] = [begin(1), begin(2), begin(3)];
    const found = [other, first, second, third].map((half) => table.halfOpen(half.id, 4) !== undefined);
    expect(found).toEqual([true, false, true, true]);
    expect(lapsed).toEqual([first]);
  });

  it('are displaced by the next one of any source, oldest first', () => {
    const { table, begin } = bench();
    const halves = [1, 2, 3, 4, 5].map((source) => begin(source, `192.0.2.${source}`));
    expect(halves.map((half) => table.halfOpen(half.id, 6) !== undefined)).toEqual([false, true, true, true, true]);
  });
});

describe('active sessions', () => {
  it('expire 60 s after their last packet', () => {
    const { table, ended, activate } = bench();
    const session = activate(0);
    expect(table.find(session.id, 60_000)).toBe(session);
    session.lastActive = 60_000;
    expect(table.find(session.id, 120_000)).toBe(session);
    expect(table.find(session.id, 120_001)).toBeUndefined();
    expect([session.isOpen, ended]).toEqual([false, ['Expired']]);
  });

  it('are removed at their timeout', () => {
    const { table, ended, activate } = bench();
    activate(0);
    activate(50_000);
    table.expire(60_001);
    expect([table.activeCount, ended]).toEqual([1, ['Expired']]);
  });

  it('get the lowest free handle', () => {
    const { table, activate } = bench();
    const [first, second] = [activate(0), activate(0)];
    table.end(first, 'Closed');
    expect([first.handle, second.handle, activate(0).handle]).toEqual([1, 2, 1]);
  });

  it('end once, also when all end', () => {
    const { table, ended, activate } = bench();
    const session = activate(0);
    activate(0);
    table.end(session, 'Closed');
    table.end(session, 'Closed');
    table.clear();
    expect(ended).toEqual(['Closed', 'Invalidated']);
    expect(table.activeCount).toBe(0);
  });
});

describe('session IDs', () => {
  it('are never 0 and unique', () => {
    const draws = ['00000000', '01000000', '01000000', '02000000'].map((hex) => Buffer.from(hex, 'hex'));
    const { begin } = bench({}, () => draws.shift() ?? Buffer.alloc(4));
    expect([begin(0).id, begin(0).id]).toEqual([1, 2]);
  });

  it('fail if the random numbers repeat', () => {
    const { begin } = bench({}, () => Buffer.alloc(4));
    expect(() => begin(0)).toThrow(/source of randomness repeats itself/);
  });
});

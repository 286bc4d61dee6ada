import { describe, expect, it } from 'vitest';
import type { StoredSession } from '../../state.ts';
import { makeRoom, MAX_SESSIONS, MAX_SESSIONS_OF_ACCOUNT } from './make-room.ts';

function aSession(id: number, account = 2): StoredSession {
  return {
    id: String(id),
    tokenHash: '',
    account,
    userName: '',
    address: '',
    createdAt: 0,
    usedAt: 0,
    accountMark: '',
  };
}

/** Of accounts 2 to 6, the last of which has four. */
const full = Array.from({ length: MAX_SESSIONS }, (_, i) => aSession(i, 2 + Math.floor(i / 15)));

describe('room for one more session', () => {
  it('is there as long as places are free', () => {
    const some = full.slice(1);
    expect(makeRoom(some, 2, () => 0)).toBe(some);
  });

  it('is made by the session of the same account that was used longest ago', () => {
    const left = makeRoom(full, 3, ({ id }) => 100_000 - Number(id));
    expect(left).toEqual(full.filter(({ id }) => id !== '15'));
  });

  it('is made by one of anybody where the account has none', () => {
    const left = makeRoom(full, 9, ({ id }) => 60_000 + Number(id));
    expect(left).toEqual(full.slice(0, -1));
  });

  it('is made by its own sessions alone for an account that has its share, and stays there for others', () => {
    const greedy = Array.from({ length: MAX_SESSIONS_OF_ACCOUNT }, (_, i) => aSession(i));
    const others = [aSession(100, 3), aSession(101, 3)];
    expect(makeRoom([...greedy, ...others], 2, ({ account }) => (account === 2 ? 59_999 : 1_000_000))).toBeUndefined();
    const idle = ({ id }: StoredSession): number => (id === '5' ? 60_000 : 0);
    expect(makeRoom([...greedy, ...others], 2, idle)).toEqual([...greedy.filter(({ id }) => id !== '5'), ...others]);
    expect(makeRoom(greedy.slice(1), 2, () => 0)).toEqual(greedy.slice(1));
    expect(makeRoom(greedy, 3, () => 0)).toBe(greedy);
  });

  it('is not made by sessions that are in use', () => {
    expect(makeRoom(full, 2, () => 59_999)).toBeUndefined();
  });

  it('is made where there are too many already, and not all can go', () => {
    const many = [...full, aSession(64, 6), aSession(65, 6)];
    expect(makeRoom(many, 7, () => 60_000)).toHaveLength(MAX_SESSIONS - 1);
    expect(makeRoom(many, 7, ({ id }) => (id === '0' ? 60_000 : 0))).toBeUndefined();
  });
});

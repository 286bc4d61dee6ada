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

/** Sessions of accounts 2 to 6; the last account has four. */
const full = Array.from({ length: MAX_SESSIONS }, (_, i) => aSession(i, 2 + Math.floor(i / 15)));

describe('makeRoom', () => {
  it('keeps all sessions while there are free places', () => {
    const some = full.slice(1);
    expect(makeRoom(some, 2, () => 0)).toBe(some);
  });

  it('ends the least recently used session of the same account', () => {
    const left = makeRoom(full, 3, ({ id }) => 100_000 - Number(id));
    expect(left).toEqual(full.filter(({ id }) => id !== '15'));
  });

  it('ends a session of another account if the account has none', () => {
    const left = makeRoom(full, 9, ({ id }) => 60_000 + Number(id));
    expect(left).toEqual(full.slice(0, -1));
  });

  it('ends only sessions of the account itself if it has reached its limit', () => {
    const greedy = Array.from({ length: MAX_SESSIONS_OF_ACCOUNT }, (_, i) => aSession(i));
    const others = [aSession(100, 3), aSession(101, 3)];
    expect(makeRoom([...greedy, ...others], 2, ({ account }) => (account === 2 ? 59_999 : 1_000_000))).toBeUndefined();
    const idle = ({ id }: StoredSession): number => (id === '5' ? 60_000 : 0);
    expect(makeRoom([...greedy, ...others], 2, idle)).toEqual([...greedy.filter(({ id }) => id !== '5'), ...others]);
    expect(makeRoom(greedy.slice(1), 2, () => 0)).toEqual(greedy.slice(1));
    expect(makeRoom(greedy, 3, () => 0)).toBe(greedy);
  });

  it('does not end sessions in use', () => {
    expect(makeRoom(full, 2, () => 59_999)).toBeUndefined();
  });

  it('ends what it can if there are already too many', () => {
    const many = [...full, aSession(64, 6), aSession(65, 6)];
    expect(makeRoom(many, 7, () => 60_000)).toHaveLength(MAX_SESSIONS - 1);
    expect(makeRoom(many, 7, ({ id }) => (id === '0' ? 60_000 : 0))).toBeUndefined();
  });
});

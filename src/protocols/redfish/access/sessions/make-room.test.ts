import { describe, expect, it } from 'vitest';
import type { StoredSession } from '../../state.ts';
import { makeRoom, MAX_SESSIONS } from './make-room.ts';

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

const full = Array.from({ length: MAX_SESSIONS }, (_, i) => aSession(i, i < 32 ? 2 : 3));

describe('room for one more session', () => {
  it('is there as long as places are free', () => {
    const some = full.slice(1);
    expect(makeRoom(some, 2, () => 0)).toBe(some);
  });

  it('is made by the session of the same account that was used longest ago', () => {
    const left = makeRoom(full, 3, ({ id }) => 100_000 - Number(id));
    expect(left).toEqual(full.filter(({ id }) => id !== '32'));
  });

  it('is made by one of anybody where the account has none', () => {
    const left = makeRoom(full, 9, ({ id }) => 60_000 + Number(id));
    expect(left).toEqual(full.slice(0, -1));
  });

  it('is not made by sessions that are in use', () => {
    expect(makeRoom(full, 2, () => 59_999)).toBeUndefined();
  });

  it('is made where there are too many already, and not all can go', () => {
    const many = [...full, aSession(64), aSession(65)];
    expect(makeRoom(many, 2, () => 60_000)).toHaveLength(MAX_SESSIONS - 1);
    expect(makeRoom(many, 2, ({ id }) => (id === '0' ? 60_000 : 0))).toBeUndefined();
  });
});

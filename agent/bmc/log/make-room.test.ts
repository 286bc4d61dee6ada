import { describe, expect, it } from 'vitest';
import type { LogEntry, MachineEvent } from '../../../protocols/machine/index.ts';
import { CAPACITY, makeRoom, MOST_FAILED_LOGINS } from './pending-changes.ts';

const requester = { protocol: 'IPMI', user: 'guess', address: '192.0.2.7' } as const;

function entries(count: number, event: MachineEvent, firstId = 1): LogEntry[] {
  return Array.from({ length: count }, (_, index) => ({ id: firstId + index, at: 0, event }));
}

const failed: MachineEvent = { kind: 'LoginFailed', requester, why: 'WrongPassword' };
const done: MachineEvent = { kind: 'PowerState', state: 'On' };

describe('a full log', () => {
  it('drops its oldest entries', () => {
    const kept = makeRoom(entries(CAPACITY + 3, done));
    expect([kept.length, kept[0]?.id]).toEqual([CAPACITY, 4]);
  });

  it('keeps actions, however many log-ins fail afterwards', () => {
    const kept = makeRoom([...entries(10, done), ...entries(5000, failed, 11)]);
    expect(kept.filter(({ event }) => event.kind === 'PowerState')).toHaveLength(10);
    expect(kept).toHaveLength(10 + MOST_FAILED_LOGINS);
    expect(kept.at(-1)?.id).toBe(5010);
  });
});

import { describe, expect, it } from 'vitest';
import type { EventRecorder } from '@groundcrew/controller-runtime';
import { anAgent, inputs, aPool } from '../testing/builders.ts';
import { announce } from './condition-events.ts';
import type { PoolInputs } from './inputs.ts';
import { statusOf } from './status.ts';

/** The Events of a transition between two states. */
function told(before: Partial<PoolInputs> | undefined, after: Partial<PoolInputs>): string[] {
  const events: string[] = [];
  const recorder = { event: (_pool: unknown, type: string, reason: string) => events.push(`${type} ${reason}`) };
  const was = before === undefined ? undefined : statusOf(inputs(before), undefined, 0);
  // Only the calls of the recorder are checked.
  announce(aPool(), was, statusOf(inputs(after), was, 0), recorder as unknown as EventRecorder);
  return events;
}

const silent = { agents: [anAgent({ ready: false })] };
const paused = { pool: aPool({ paused: true }), agents: [] };

describe('the Events of a pool', () => {
  it.each<[string, Partial<PoolInputs> | undefined, Partial<PoolInputs>, string[]]>([
    ['being made', undefined, silent, []],
    ['becoming Ready', silent, {}, ['Normal Ready']],
    ['staying Ready', {}, {}, []],
    ['losing its agent', {}, silent, ['Warning AgentNotReady']],
    ['losing one of two', {}, { agents: [anAgent(), anAgent({ ready: false })] }, ['Warning AgentsDegraded']],
    ['lacking Multus, once', undefined, { attachment: 'MultusAbsent' }, ['Warning MultusNotInstalled']],
    ['being paused', {}, paused, ['Normal Paused']],
  ])('%s', (_what, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });
});

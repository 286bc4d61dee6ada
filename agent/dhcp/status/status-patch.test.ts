import { describe, expect, it } from 'vitest';
import { LeaseReader } from '../store/lease-record.ts';
import { lease } from '../testing/builders.ts';
import type { Observation } from './observation.ts';
import { statusPatch, type PatchBase } from './status-patch.ts';

const NOW = Date.UTC(2026, 0, 1);
const BASE: PatchBase = { uid: 'uid-1', resourceVersion: '7', hasStatus: true, hasFirstBound: false };

function patch(observation: Partial<Observation>, base: Partial<PatchBase> = {}) {
  return statusPatch(
    { record: new LeaseReader().recordOf(lease(1)), due: 0, ...observation },
    { ...BASE, ...base },
    'agent-1',
  );
}

describe('a patch of the status', () => {
  it('tests the UID and sets only its own fields', () => {
    expect(patch({ lastSeen: NOW })).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'add', path: '/status/lastSeen', value: '2026-01-01T00:00:00Z' },
      { op: 'add', path: '/status/agent', value: 'agent-1' },
    ]);
  });

  it('creates the first status, unless another agent has done so', () => {
    expect(patch({ lastSeen: NOW, lastAck: NOW, state: 'Bound' }, { hasStatus: false })).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      {
        op: 'add',
        path: '/status',
        value: {
          state: 'Bound',
          phase: 'Ready',
          firstBound: '2026-01-01T00:00:00Z',
          lastSeen: '2026-01-01T00:00:00Z',
          lastAck: '2026-01-01T00:00:00Z',
          agent: 'agent-1',
        },
      },
    ]);
  });

  it('sets firstBound once', () => {
    expect(JSON.stringify(patch({ lastAck: NOW }, { hasFirstBound: true }))).not.toContain('firstBound');
  });

  it('truncates data of the client and replaces control characters', () => {
    const hostname = `evil\u0000\u001b[31m${'😀'.repeat(300)}`;
    const text = patch({ inputs: { hostname } }).find(({ path }) => path.endsWith('clientHostname'));
    const value = text !== undefined && 'value' in text ? String(text.value) : '';
    expect(value.startsWith('evil\ufffd\ufffd[31m')).toBe(true);
    expect(Array.from(value)).toHaveLength(255);
    expect(value.isWellFormed()).toBe(true);
  });
});

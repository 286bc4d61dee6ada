import { describe, expect, it } from 'vitest';
import type { BmcStatus } from './judge.ts';
import { render } from './render.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

function row(changes: Partial<BmcStatus> = {}): BmcStatus {
  return {
    namespace: 'vms',
    name: 'a',
    virtualMachine: 'a',
    power: 'On',
    ipmi: '10.0.0.1:623',
    agent: 'a-virtbmc-x',
    phase: 'Ready',
    ailments: [],
    ...changes,
  };
}

describe('render', () => {
  it('is a table that ends with the verdict', () => {
    expect(render([row()], NOW)).toBe(
      [
        'NAMESPACE  NAME  VM  POWER  IPMI          AGENT        PHASE  LAST ACTION',
        'vms        a     a   On     10.0.0.1:623  a-virtbmc-x  Ready  -',
        '',
        'It is as it should be.',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [30, 'PoweredOn 30s ago'],
    [600, 'PoweredOn 10m ago'],
    [7200, 'PoweredOn 2h ago'],
    [200_000, 'PoweredOn 2d ago'],
  ])('tells an action of %d seconds ago', (seconds, text) => {
    const time = new Date(NOW - seconds * 1000).toISOString();
    expect(render([row({ lastAction: { time, reason: 'PoweredOn', message: '' } })], NOW)).toContain(text);
  });

  it('lists what ails each BMC and what to do', () => {
    const ailments = [{ condition: 'SecretAvailable', reason: 'SecretNotFound', message: 'Create the Secret creds.' }];
    expect(render([row(), row({ name: 'b', ailments })], NOW)).toContain(
      '1 of 2 need attention:\n  vms/b\n    SecretAvailable: SecretNotFound: Create the Secret creds.\n',
    );
  });
});

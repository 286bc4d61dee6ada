import { describe, expect, it } from 'vitest';
import type { Pod } from '@groundcrew/controller-runtime';
import { aBmc, aPod, inputs } from '../testing/builders.ts';
import { activeAgent } from './active-agent.ts';

const bmc = aBmc({ status: { phase: 'Ready', agent: { name: 'last' } } });
const going = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } });
const acting = (...pods: Pod[]) => activeAgent(inputs({ bmc, pods }))?.metadata.name;

describe('the active agent', () => {
  it('stays the same while it is Ready and of the newest template', () => {
    expect(acting(aPod('last', bmc), aPod('other', bmc, { created: '2026-01-02T00:00:00Z' }))).toBe('last');
  });

  it('is the old one until the new one is Ready', () => {
    expect(acting(aPod('last', bmc, { hash: 'old' }), aPod('next', bmc, { ready: false }))).toBe('last');
  });

  it('is the new one as soon as it is Ready', () => {
    expect(acting(aPod('last', bmc, { hash: 'old' }), aPod('next', bmc))).toBe('next');
  });

  it('is kept despite a failing probe if there is no other', () => {
    expect(acting(aPod('last', bmc, { ready: false }))).toBe('last');
  });

  it('is another Ready one of any template if the old one fails', () => {
    expect(acting(aPod('last', bmc, { ready: false }), aPod('other', bmc, { hash: 'old' }))).toBe('other');
  });

  it('is undefined if its pod is gone or terminating and none is Ready', () => {
    expect(acting(aPod('other', bmc, { ready: false }))).toBeUndefined();
    expect(acting(going(aPod('last', bmc)))).toBeUndefined();
    expect(acting()).toBeUndefined();
  });

  it('is the first pod of a new BMC before it is Ready, until another one is Ready', () => {
    const first = aPod('first', bmc, { ready: false });
    const later = { created: '2026-01-02T00:00:00Z' };
    const named = (name: string | undefined, ...pods: Pod[]) =>
      activeAgent(inputs({ bmc: aBmc({ status: { phase: 'Provisioning', agent: { name } } }), pods }))?.metadata.name;
    expect(named(undefined, first)).toBe('first');
    expect(named('first', first, aPod('second', bmc, { ...later, ready: false }))).toBe('first');
    expect(named('first', first, aPod('second', bmc, later))).toBe('second');
    expect(named(undefined, going(first))).toBeUndefined();
  });
});

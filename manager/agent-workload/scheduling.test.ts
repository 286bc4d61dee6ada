import { describe, expect, it } from 'vitest';
import { spreadConstraints, tolerations } from './scheduling.ts';

describe('the scheduling of an agent', () => {
  it('is on another node 30 s after its node is lost, unless configured otherwise', () => {
    const lost = (key: string) => ({
      key: `node.kubernetes.io/${key}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 30,
    });
    expect(tolerations({})).toEqual([lost('not-ready'), lost('unreachable')]);
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 5 } as const;
    expect(tolerations({ tolerations: [own] })).toEqual([own, lost('unreachable')]);
  });

  it('spreads the agents with the given labels, unless a constraint selects others', () => {
    const labels = { component: 'bmc-agent' };
    const zones = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' };
    const others = { ...zones, labelSelector: { matchLabels: { team: 'a' } } };
    expect(spreadConstraints({}, labels)).toEqual([]);
    expect(spreadConstraints({ topologySpreadConstraints: [zones, others] }, labels)).toEqual([
      { ...zones, labelSelector: { matchLabels: labels } },
      others,
    ]);
  });
});

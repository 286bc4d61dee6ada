import { describe, expect, it } from 'vitest';
import type { Pod } from '@groundcrew/controller-runtime';
import { networksServedBy } from './other-controller.ts';

const NETWORKS = '[{"namespace":"vms","name":"lan","interface":"eth1"}]';

/** An agent as vm-dhcp-controller creates it. */
function anAgent(networks = NETWORKS, given: Pick<Pod, 'status'> & { spec?: object } = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'vms-lan-agent',
      namespace: 'harvester-system',
      annotations: { 'k8s.v1.cni.cncf.io/networks': networks },
    },
    status: { phase: 'Running' },
    ...given,
    spec: { containers: [], ...given.spec },
  };
}

describe('the networks that an agent of vm-dhcp-controller serves', () => {
  it('are those to which its pod is attached', () => {
    expect(networksServedBy(anAgent())).toEqual(['vms/lan']);
    expect(networksServedBy(anAgent('[{"name":"lan"},{"name":"b","namespace":"a"}]'))).toEqual([
      'harvester-system/lan',
      'a/b',
    ]);
  });

  it('include those of a pod that ends, which answers until it is gone', () => {
    const agent = anAgent();
    agent.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(networksServedBy(agent)).toEqual(['vms/lan']);
  });

  it.each([
    ['a pod that does not run yet', anAgent(NETWORKS, { status: { phase: 'Pending' } })],
    ['a pod that was evicted', anAgent(NETWORKS, { status: { phase: 'Failed' } })],
    ['a pod without status', anAgent(NETWORKS, { status: {} })],
    ['a pod in the network of its node', anAgent(NETWORKS, { spec: { hostNetwork: true } })],
    ['an annotation that is not JSON', anAgent('lan')],
    ['an annotation that is no list', anAgent('{"name":"lan"}')],
    ['an annotation of other values', anAgent('[null,1,"lan",{"name":1},{"name":"lan","namespace":2}]')],
  ])('exclude those of %s', (_case, agent) => {
    expect(networksServedBy(agent)).toEqual([]);
  });
});

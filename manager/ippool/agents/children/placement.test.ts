import { describe, expect, it } from 'vitest';
import { anAttachment, IMAGE } from '../../testing/builders.ts';
import { affinity } from './placement.ts';

const required = (attachment: ReturnType<typeof anAttachment>, settings = {}) =>
  affinity('vms/lan', attachment, { image: IMAGE, ...settings }).nodeAffinity
    ?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

describe('the placement of an agent', () => {
  it('is on any node by default', () => {
    expect(required(anAttachment())).toBeUndefined();
  });

  it('is on nodes that the net-attach-def selects', () => {
    expect(required(anAttachment({ 'k8s.v1.cni.cncf.io/nodeSelector': 'zone=a, disk' }))).toEqual([
      {
        matchExpressions: [
          { key: 'zone', operator: 'In', values: ['a'] },
          { key: 'disk', operator: 'Exists' },
        ],
      },
    ]);
  });

  it("is on nodes of Harvester's cluster network if the net-attach-def has one", () => {
    expect(required(anAttachment({}, { 'network.harvesterhci.io/clusternetwork': 'vlan1' }))).toEqual([
      { matchExpressions: [{ key: 'network.harvesterhci.io/vlan1', operator: 'In', values: ['true'] }] },
    ]);
  });

  it('combines these requirements with each configured term', () => {
    const terms = ['x', 'y'].map((key) => ({ matchExpressions: [{ key, operator: 'Exists' }] }));
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const zone = { key: 'zone', operator: 'In', values: ['a'] };
    expect(
      required(anAttachment({ 'k8s.v1.cni.cncf.io/nodeSelector': 'zone=a' }), { affinity: { nodeAffinity } }),
    ).toEqual([
      { matchExpressions: [{ key: 'x', operator: 'Exists' }, zone] },
      { matchExpressions: [{ key: 'y', operator: 'Exists' }, zone] },
    ]);
  });

  it('is preferably not on the same node as another agent of the network', () => {
    const { podAntiAffinity } = affinity('vms/lan', anAttachment(), { image: IMAGE });
    expect(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toMatchObject([
      { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname' } },
    ]);
  });
});

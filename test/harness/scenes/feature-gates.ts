import { afterAll, expect } from 'vitest';
import { VIRTUAL_MACHINES } from '../../../api/index.ts';
import { eventually, type Cluster } from '../index.ts';

interface Observed {
  generation?: number;
  observedGeneration?: number;
}

const PATH = '/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/kubevirt';

/**
 * Sets KubeVirt's feature gates and waits until they take effect. All test files share them. They are reset at the end
 * of this file, after the VMs of `namespace` are deleted, because VMs that need a gate cannot be changed without it.
 */
export function featureGates(world: Cluster, namespace: string): (...gates: string[]) => Promise<void> {
  const set = async (...featureGates: string[]): Promise<void> => {
    const body = { spec: { configuration: { developerConfiguration: { featureGates } } } };
    const answer = await world.http('PATCH', PATH, { body, contentType: 'application/merge-patch+json' });
    expect(answer.status).toBe(200);
    await eventually(async () => {
      const { body: kubeVirt } = await world.http('GET', PATH);
      const { metadata, status } = kubeVirt as { metadata: Observed; status: Observed };
      expect(status.observedGeneration).toBe(metadata.generation);
    });
  };
  afterAll(async () => {
    const { items } = await world.client.list(VIRTUAL_MACHINES, { namespace });
    for (const { metadata } of items) await world.client.delete(VIRTUAL_MACHINES, metadata);
    await eventually(async () => {
      expect((await world.client.list(VIRTUAL_MACHINES, { namespace })).items).toEqual([]);
    });
    await set();
  });
  return set;
}

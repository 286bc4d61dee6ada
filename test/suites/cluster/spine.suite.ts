import { beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES, type VirtualMachineBMC } from '../../../api/index.ts';
import { PODS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';

/** Groundcrew reads only the name of a volume; KubeVirt requires a source. */
const VOLUMES: { name: string; containerDisk: object }[] = [
  { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
];

const { client, namespace, standIns, manager } = await cluster();

describe('manager, Deployment, node and agent together', () => {
  let where = '';
  beforeAll(async () => {
    await standIns();
    await manager();
    where = await namespace();
    await client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace: where, name: 'web' },
      spec: {
        runStrategy: 'Manual',
        template: {
          spec: {
            domain: { devices: { disks: [{ name: 'root', disk: {} }] }, memory: { guest: '1Gi' } },
            volumes: VOLUMES,
          },
        },
      },
    });
    await client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { namespace: where, name: 'web' },
      spec: { virtualMachineRef: { name: 'web' } },
    });
  });

  const ready = async (): Promise<VirtualMachineBMC> =>
    await eventually(
      async () => {
        const bmc = await client.get(VIRTUAL_MACHINE_BMCS, { namespace: where, name: 'web' });
        expect(bmc.status?.phase).toBe('Ready');
        return bmc;
      },
      { timeout: 30_000 },
    );
  const pods = async (): Promise<string[]> =>
    (await client.list(PODS, { namespace: where })).items.map(({ metadata }) => metadata.name);

  it('bring a BMC up', async () => {
    const { status } = await ready();
    expect(status?.powerState).toBe('Off');
    expect(await pods()).toEqual([status?.agent?.name]);
  });

  it('replace an agent whose pod is deleted, and the old agent ends promptly', { timeout: 60_000 }, async () => {
    const [first = ''] = await pods();
    await client.delete(PODS, { namespace: where, name: first });
    // Much shorter than the pod's grace period of a minute, after which it would be killed.
    await eventually(
      async () => {
        expect(await pods()).not.toContain(first);
      },
      { timeout: 20_000 },
    );
    const { status } = await eventually(async () => {
      const bmc = await ready();
      expect(bmc.status?.agent?.name).not.toBe(first);
      return bmc;
    });
    expect(await pods()).toEqual([status?.agent?.name]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINES, type VirtualMachine } from '../../../api/index.ts';
import { NAMESPACES } from '@groundcrew/controller-runtime';
import { macFor } from '../../../manager/virtualmachine/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { RunningAdmission } from './running-admission.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const A = '02:00:00:00:00:0a';

describe('a new VirtualMachine', () => {
  let scene: Scene;
  let admission: RunningAdmission;
  let clusterUid: string;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt'] });
    clusterUid = (await c.client.get(NAMESPACES, { name: 'kube-system' })).metadata.uid ?? '';
    scene = await Scene.in(c);
    admission = await RunningAdmission.start(c, {}, async () => {
      expect(await scene.pool('probe', { cidr: '10.9.0.0/31' }, '?dryRun=All')).toMatchObject({ status: 422 });
    });
  });
  afterAll(() => admission.close());
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.pool('lan');
    await eventually(() => {
      if (admission.caches.pools.get(scene.ref('lan')) === undefined) throw new Error('the pool is unknown');
    });
  });

  async function create(interfaces: Record<string, object>, annotations = {}): Promise<(string | undefined)[]> {
    const names = Object.keys(interfaces);
    const vm = await c.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { ...scene.ref('web'), annotations },
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: {
              memory: { guest: '1Gi' },
              devices: {
                interfaces: names.map((name) => ({
                  name,
                  ...(name === 'pod' ? { masquerade: {} } : { bridge: {} }),
                  ...interfaces[name],
                })),
              },
            },
            networks: names.map((name) =>
              name === 'pod' ? { name, pod: {} } : { name, multus: { networkName: name } },
            ),
          },
        },
      },
    } satisfies Omit<VirtualMachine, 'status'>);
    return vm.spec.template.spec.domain.devices.interfaces?.map(({ macAddress }) => macAddress) ?? [];
  }

  it('gets a MAC address at creation for each interface on a network with a pool', async () => {
    const mac = macFor({ clusterUid, namespace: scene.namespace, vmName: 'web', interfaceName: 'lan' });
    expect(await create({ pod: {}, other: {}, lan: {} })).toEqual([undefined, undefined, mac]);
  });

  it('keeps its own MAC addresses', async () => {
    expect(await create({ lan: { macAddress: A } })).toEqual([A]);
  });

  it('is unchanged if Harvester has recorded a MAC address', async () => {
    expect(await create({ lan: {} }, { 'harvesterhci.io/mac-address': JSON.stringify({ lan: A }) })).toEqual([
      undefined,
    ]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ANNOTATIONS,
  IP_POOLS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import { EVENTS, NAMESPACES } from '@groundcrew/controller-runtime';
import { macFor } from '../../../manager/virtualmachine/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { RunningController, Scene } from './scene.ts';

const c = await cluster();
const A = '02:00:00:00:00:0a';
const B = '02:00:00:00:00:0b';

describe('the config of a virtual machine', () => {
  let scene: Scene;
  let controller: RunningController;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt'] });
    controller = await RunningController.start(c);
  });
  afterAll(() => controller.close());
  beforeEach(async () => {
    scene = await Scene.in(c);
  });

  const entriesAre = (...entries: object[]) =>
    scene.untilConfig(({ spec }) => {
      expect(spec.networkConfigs).toEqual(entries);
    });
  const lan = (macAddress: string, more = {}) => ({ networkName: `${scene.namespace}/lan`, macAddress, ...more });

  it('is created for the interfaces on networks with a pool, and owned by the machine', async () => {
    await scene.pool('lan');
    const { metadata } = await scene.virtualMachine({ pod: undefined, other: B, lan: A.toUpperCase() });
    const config = await entriesAre(lan(A));
    expect(config.metadata).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'groundcrew' },
      ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: metadata.uid, controller: true }],
    });
    expect(config.spec.vmName).toBe('web');
  });

  it('is created when a pool is created, and loses its entries with the pool', async () => {
    await scene.virtualMachine({ lan: A, san: B });
    await scene.pool('san');
    await entriesAre({ networkName: `${scene.namespace}/san`, macAddress: B });
    await scene.pool('lan');
    await entriesAre(lan(A), { networkName: `${scene.namespace}/san`, macAddress: B });
    await c.client.delete(IP_POOLS, scene.ref('san'));
    await entriesAre(lan(A));
  });

  it('follows interfaces that are added, moved and removed, including the last one', async () => {
    await scene.pool('lan');
    await scene.virtualMachine({ lan: A });
    await entriesAre(lan(A));
    const template = (names: string[]) => ({
      spec: {
        template: {
          spec: {
            domain: {
              memory: { guest: '1Gi' },
              devices: { interfaces: names.map((name, i) => ({ name, bridge: {}, macAddress: [A, B][i] })) },
            },
            networks: names.map((name) => ({ name, multus: { networkName: 'lan' } })),
          },
        },
      },
    });
    await scene.patchVirtualMachine(template(['lan', 'lan2']));
    await entriesAre(lan(A), lan(B));
    await scene.patchVirtualMachine(template([]));
    await scene.letConfigGo();
    await scene.patchVirtualMachine(template(['lan']));
    await entriesAre(lan(A));
  });

  it('keeps changes of the user and requests the addresses in the annotation', async () => {
    await scene.pool('lan');
    await scene.virtualMachine({ lan: A });
    await entriesAre(lan(A));
    const networkConfigs = [lan(A, { ipAddress: '10.9.0.44', retain: true })];
    await c.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, scene.ref('web'), 'merge', { spec: { networkConfigs } });
    await scene.patchVirtualMachine({ metadata: { annotations: { touched: 'yes' } }, spec: { runStrategy: 'Halted' } });
    const annotation = `${ANNOTATIONS.staticIpPrefix}lan`;
    await scene.patchVirtualMachine({ metadata: { annotations: { [annotation]: '10.9.0.45' } } });
    await entriesAre(lan(A, { ipAddress: '10.9.0.45', retain: true }));
    await scene.patchVirtualMachine({ metadata: { annotations: { [annotation]: null } } });
    await entriesAre(lan(A, { retain: true }));
  });

  it('gives a stopped machine its MAC addresses, the same ones each time', async () => {
    await scene.pool('lan');
    await scene.virtualMachine({ pod: undefined, lan: undefined });
    const clusterUid = (await c.client.get(NAMESPACES, { name: 'kube-system' })).metadata.uid ?? '';
    const mac = macFor({ clusterUid, namespace: scene.namespace, vmName: 'web', interfaceName: 'lan' });
    await entriesAre(lan(mac));
    const { interfaces } = (await scene.vm()).spec.template.spec.domain.devices;
    expect(interfaces?.map(({ macAddress }) => macAddress)).toEqual([undefined, mac]);
    await eventually(async () => {
      const { items } = await c.client.list(EVENTS, { namespace: scene.namespace });
      expect(items.map(({ reason, message }) => [reason, message])).toContainEqual([
        'MACAddressAssigned',
        `Wrote MAC addresses into the template: lan: ${mac}.`,
      ]);
    });
    await c.client.delete(VIRTUAL_MACHINES, scene.ref('web'), { propagationPolicy: 'Background' });
    await eventually(async () => {
      expect(await c.client.find(VIRTUAL_MACHINES, scene.ref('web'))).toBeUndefined();
    });
    await scene.virtualMachine({ lan: undefined });
    await scene.letConfigGo();
    await entriesAre(lan(mac));
  });

  it('follows the MAC address of a running machine without one in its template', async () => {
    await scene.virtualMachine({ lan: undefined }, { runStrategy: 'Always' });
    const mac = await eventually(async () => {
      const { status } = await c.client.get(VIRTUAL_MACHINE_INSTANCES, scene.ref('web'));
      const [seen] = status?.interfaces ?? [];
      if (seen?.mac === undefined) throw new Error('it has no MAC address yet');
      return seen.mac;
    });
    await scene.pool('lan');
    await entriesAre(lan(mac));
    expect((await scene.vm()).spec.template.spec.domain.devices.interfaces?.[0]).not.toHaveProperty('macAddress');
  });

  it('has the name of its machine, also a long name', async () => {
    await scene.pool('lan');
    const name = `${'v'.repeat(60)}.${'w'.repeat(60)}`;
    await scene.virtualMachine({ lan: A }, { name });
    await scene.untilConfig(({ spec }) => {
      expect(spec).toEqual({ vmName: name, networkConfigs: [lan(A)] });
    }, name);
  });
});

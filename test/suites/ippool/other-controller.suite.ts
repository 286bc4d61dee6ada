import { beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  IP_LEASES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import { evaluate } from '../../../cli/status/evaluate.ts';
import { loadInputs } from '../../../cli/status/inputs.ts';
import { PODS, type Draft } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { standInForAgents } from '../../harness/agent-pods.ts';
import { Scene } from './scene.ts';
import { startAgent, VmDhcpController } from './vm-dhcp-controller.ts';

const c = await cluster();
const MAC = '52:54:00:00:00:15';
const REASON = 'OtherControllerServes';

beforeAll(async () => {
  await installMultus(c.client);
  await c.standIns({ parts: ['deployments', 'kubevirt'] });
});

async function createMachine(scene: Scene): Promise<void> {
  const networks = [{ name: 'lan', multus: { networkName: scene.network } }];
  const devices = { interfaces: [{ name: 'lan', bridge: {}, macAddress: MAC }] };
  const spec = { runStrategy: 'Halted' as const, template: { spec: { domain: { devices }, networks } } };
  // The API server answers 429 while it opens the storage of a kind that was just defined.
  await eventually(() =>
    c.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: scene.ref('web'),
      spec,
    }),
  );
}

/** A config with the address 10.48.0.15, as vm-dhcp-controller leaves it. */
async function createConfig(scene: Scene): Promise<VirtualMachineNetworkConfig> {
  const entry = { networkName: scene.network, macAddress: MAC };
  const draft: Draft<VirtualMachineNetworkConfig> = {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: scene.ref('web'),
    spec: { vmName: 'web', networkConfigs: [entry] },
  };
  await c.client.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, draft);
  const status = { networkConfigs: [{ ...entry, allocatedIPAddress: '10.48.0.15', state: 'Allocated' }] };
  const options = { subresource: 'status' } as const;
  return await c.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, scene.ref('web'), 'merge', { status }, options);
}

it(
  'leaves a network to vm-dhcp-controller while its agent runs, says so, and serves it as soon as the agent is gone',
  { timeout: 180_000 },
  async () => {
    const scene = await Scene.in(c);
    const home = await c.namespace();
    standInForAgents(c.client, scene.namespace);
    await scene.createNetwork();
    await createMachine(scene);
    const config = await createConfig(scene);
    const pool = await scene.createPool();
    const other = new VmDhcpController(c.client, scene.namespace, home);
    onTestFinished(() => other.stop());
    const agent = { namespace: home, name: `${scene.namespace}-pool-agent` };
    await eventually(async () => {
      expect((await scene.pool()).status?.agentPodRef).toMatchObject(agent);
    });
    await other.lease(pool, '10.48.0.15', MAC);
    const before = (await scene.pool()).status;

    await c.manager();
    const { message } = await scene.untilCondition('Ready', 'False', REASON);
    expect(message).toContain(`vm-dhcp-controller still serves NetworkAttachmentDefinition ${scene.network}`);
    expect(message).toContain(`kubectl delete pod -n ${home} ${agent.name}`);
    expect((await scene.untilEvent(REASON)).type).toBe('Warning');
    const { problems } = evaluate(await loadInputs(c.client, { namespace: scene.namespace }));
    expect(problems).toContainEqual({
      ...{ kind: 'IPPool', namespace: scene.namespace, name: 'pool', reason: REASON, what: message },
    });

    // Both controllers write the status of the pool, and neither starts the other one again.
    const writes = other.writes;
    await other.lease(pool, '10.48.0.16', '52:54:00:00:00:16');
    await eventually(async () => {
      expect((await scene.pool()).status).toMatchObject({
        ...{ phase: 'Pending', observedGeneration: 1, agentPodRef: before?.agentPodRef },
        ipv4: { allocated: { '10.48.0.15': MAC, '10.48.0.16': '52:54:00:00:00:16' }, used: 2, available: 189 },
      });
    });
    const { resourceVersion } = (await scene.pool()).metadata;
    // Reconciled after all that was there: when it is served, the rest is done.
    const elsewhere = await Scene.in(c);
    standInForAgents(c.client, elsewhere.namespace);
    await elsewhere.createNetwork();
    await elsewhere.createPool();
    await elsewhere.untilPhase('Ready');
    expect((await scene.pool()).metadata.resourceVersion).toBe(resourceVersion);
    expect(other.writes - writes).toBeLessThanOrEqual(2);
    expect(await scene.deployments()).toEqual([]);
    expect(await scene.leases()).toEqual([]);
    expect(await c.client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, scene.ref('web'))).toEqual(config);

    // The controller is stopped, its agent is not.
    await other.stop();
    await scene.patchPool({ ipv4Config: { leaseTime: 600 } });
    await eventually(async () => {
      expect((await scene.pool()).status?.observedGeneration).toBe(2);
    });
    expect(await scene.deployments()).toEqual([]);
    await c.client.delete(PODS, agent, { gracePeriodSeconds: 0 });
    expect((await scene.untilPhase('Ready')).status).toMatchObject({
      ...{ observedGeneration: 2, agentPodRef: { namespace: scene.namespace } },
      ipv4: { total: 191 },
    });
    expect(await scene.deployments()).toEqual(['lan-dhcp-0']);
    await eventually(async () => {
      const { spec } = await c.client.get(IP_LEASES, scene.ref('pool.10.48.0.15'));
      expect(spec).toMatchObject({ ipAddress: '10.48.0.15', macAddress: MAC, vmNetworkConfigRef: { name: 'web' } });
    });

    // Another agent of it starts, by mistake: there are never two for long, and the leases stay.
    await startAgent(c.client, pool, home);
    await scene.untilCondition('Ready', 'False', REASON);
    await scene.untilDeployments([]);
    expect((await scene.pool()).status?.ipv4?.allocated).toEqual({ '10.48.0.15': MAC });
    expect(await scene.leases()).toEqual(['pool.10.48.0.15']);
    await c.client.delete(PODS, agent, { gracePeriodSeconds: 0 });
    await scene.untilPhase('Ready');
    expect(await scene.deployments()).toEqual(['lan-dhcp-0']);

    // The controller itself starts again, by mistake. It takes the agent of Groundcrew for its own, and writes the status.
    const second = new VmDhcpController(c.client, scene.namespace, home);
    onTestFinished(() => second.stop());
    await scene.untilCondition('Ready', 'False', 'Contested');
    expect((await scene.untilEvent('Contested')).message).toContain('If vm-dhcp-controller runs, stop it');
    await second.stop();
    await eventually(
      async () => {
        expect((await scene.pool()).status?.phase).toBe('Ready');
      },
      // The next write comes after as long a pause as the contest has lasted.
      { timeout: 90_000 },
    );
    expect(second.writes).toBeLessThan(20);
  },
);

import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { agentName, VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, ROLES, SERVICES } from '@groundcrew/controller-runtime';
import { cluster, eventually, type ManagerOptions, type RunningManager } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();

/** Another test file may have installed KubeVirt on the server. */
async function uninstallKubeVirt(): Promise<void> {
  for (const { plural, group } of [VIRTUAL_MACHINES, VIRTUAL_MACHINE_INSTANCES]) {
    const name = `${plural}.${group}`;
    await c.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name });
    await eventually(
      async () => {
        expect(await c.client.find(CUSTOM_RESOURCE_DEFINITIONS, { name })).toBeUndefined();
      },
      // The API server checks every 5 s whether all objects of the kind are deleted.
      { timeout: 30_000 },
    );
  }
}

async function startManager(options: ManagerOptions = {}): Promise<RunningManager> {
  const manager = await c.manager(options);
  onTestFinished(() => manager.stop());
  return manager;
}

async function startStandIns(): Promise<void> {
  const standIns = await c.standIns({ parts: ['kubevirt', 'deployments'] });
  onTestFinished(() => standIns.close());
}

describe('the manager process', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createSecret();
  });

  it('starts without KubeVirt, reports it, and uses KubeVirt after its installation', async () => {
    await uninstallKubeVirt();
    await startManager();
    await scene.createBmc();
    const condition = await scene.untilCondition('Ready', 'KubeVirtNotInstalled');
    expect(condition.message).toContain('KubeVirt is not installed');
    await scene.untilEvent('KubeVirtNotInstalled');
    await scene.untilPhase('Pending');

    await startStandIns();
    await eventually(() => scene.untilCondition('Ready', 'VirtualMachineNotFound'), { timeout: 15_000 });
    await scene.createVirtualMachine();
    await scene.untilPhase('Ready');
  });

  it('processes changes made while it was down, and leaves a healthy BMC unchanged', async () => {
    await startStandIns();
    const manager = await startManager();
    await scene.createVirtualMachine();
    await scene.createVirtualMachine('db');
    await scene.createBmc();
    await scene.createBmc('db-bmc', { virtualMachineRef: { name: 'db' } });
    await scene.untilPhase('Ready');
    await scene.untilPhase('Ready', 'db-bmc');
    await scene.untilCondition('UpToDate', 'UpToDate', 'db-bmc');
    const before = await scene.bmc('db-bmc');
    await manager.stop();
    await c.client.delete(SERVICES, scene.ref(agentName('web')));
    await manager.start();
    await scene.untilService();
    await scene.untilPhase('Ready');
    expect((await scene.bmc('db-bmc')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('works only in the given namespaces', async () => {
    await startStandIns();
    const elsewhere = await Scene.in(c);
    await startManager({ watchNamespaces: [scene.namespace] });
    for (const each of [elsewhere, scene]) {
      await each.createVirtualMachine();
      await each.createBmc();
    }
    await scene.untilPhase('Ready');
    expect((await elsewhere.bmc()).status).toBeUndefined();
    expect((await elsewhere.bmc()).metadata.finalizers).toBeUndefined();
  });

  it('gives agents only permissions that the chart gives it in its namespaces, including pod metrics', async () => {
    await startStandIns();
    const set = [`watchNamespaces={${scene.namespace}}`, 'bmc.metrics=true'];
    await startManager({ watchNamespaces: [scene.namespace], set, args: ['--bmc-metrics'] });
    await scene.createVirtualMachine();
    await scene.createBmc();
    await scene.untilPhase('Ready');
    const { rules } = await c.client.get(ROLES, scene.ref(agentName('web')));
    expect(rules).toContainEqual({ apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] });
  });
});

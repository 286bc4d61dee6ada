import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { agentName } from '../../../api/index.ts';
import { evaluate } from '../../../cli/status/evaluate.ts';
import { loadInputs } from '../../../cli/status/inputs.ts';
import { DEPLOYMENTS, SERVICE_ACCOUNTS, SERVICES } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { KubeVirtBmc } from './kubevirtbmc.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const LEFT = 'OtherControllerServes';

beforeAll(async () => {
  await c.standIns({ parts: ['kubevirt', 'deployments', 'services'] });
});

async function bmcScene(): Promise<Scene> {
  const scene = await Scene.in(c);
  await scene.createVirtualMachine();
  await scene.createSecret();
  await scene.createBmc();
  return scene;
}

function startKubeVirtBmc({ namespace }: Scene): KubeVirtBmc {
  const other = new KubeVirtBmc(c.client, namespace);
  onTestFinished(() => other.stop());
  return other;
}

it(
  'leaves a BMC to KubeVirtBMC, serves it when that is gone, and does not write for ever if it comes back',
  { timeout: 90_000 },
  async () => {
    const scene = await bmcScene();
    const { namespace } = scene;
    const child = scene.ref(agentName('web'));
    const first = startKubeVirtBmc(scene);
    await scene.untilCondition('ServiceReady', 'ServiceReady');
    const service = await scene.untilService();
    const writes = first.writes;

    await c.manager();
    const { message } = await scene.untilCondition('AgentReady', LEFT);
    expect(message).toContain(`serves this BMC by Service ${child.name}`);
    expect(message).toContain(
      `kubectl delete deployments,pods,services -n ${namespace} -l kubevirt.io/virtualmachinebmc-name=web-bmc`,
    );
    expect((await scene.untilEvent(LEFT)).type).toBe('Warning');
    const { problems } = evaluate(await loadInputs(c.client, { namespace }));
    expect(problems).toContainEqual({
      ...{ kind: 'VirtualMachineBMC', namespace, name: 'web-bmc', reason: LEFT, what: message },
    });
    // Reconciled after all that was there: when it is Ready, the rest is done.
    const marker = await bmcScene();
    await marker.untilPhase('Ready');
    const { metadata, status } = await scene.bmc();
    expect(metadata.finalizers).toBeUndefined();
    expect(status).toMatchObject({ phase: 'Failed', observedGeneration: 1, clusterIP: service.spec?.clusterIP });
    expect(Object.fromEntries((status?.conditions ?? []).map(({ type, reason }) => [type, reason]))).toEqual({
      ...{
        VirtualMachineAvailable: 'VirtualMachineFound',
        SecretAvailable: 'SecretFound',
        ServiceReady: 'ServiceReady',
      },
      ...{ AgentReady: LEFT, Ready: LEFT },
    });
    expect(first.writes).toBe(writes);
    expect(await c.client.find(SERVICE_ACCOUNTS, child)).toBeUndefined();

    await first.stop();
    await c.client.delete(DEPLOYMENTS, child, { propagationPolicy: 'Background' });
    await c.client.delete(SERVICES, child);
    await eventually(
      async () => {
        expect((await scene.bmc()).status?.phase).toBe('Ready');
      },
      { timeout: 45_000 },
    );
    const ports = async () => (await scene.service()).spec?.ports?.map(({ port }) => port).toSorted((a, b) => a - b);
    expect(await ports()).toEqual([443, 623]);

    // Started again by mistake: it changes the status and the Service that are now Groundcrew's.
    const second = startKubeVirtBmc(scene);
    await scene.untilCondition('Ready', 'Contested');
    expect((await scene.untilEvent('Contested')).message).toContain('If KubeVirtBMC runs, stop it');
    expect(second.writes).toBeLessThan(40);
    await second.stop();
    // Its ports have the names of those of the manager, whose own can no longer be applied.
    await c.client.delete(SERVICES, child);
    await eventually(
      async () => {
        expect((await scene.bmc()).status?.phase).toBe('Ready');
        expect(await ports()).toEqual([443, 623]);
      },
      { timeout: 45_000 },
    );
  },
);

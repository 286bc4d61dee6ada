import { afterEach, describe, expect, it } from 'vitest';
import { NODES, PODS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { isOff, isReady, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

afterEach(async () => {
  for (const name of kubeVirt.nodeNames) await kubeVirt.recoverNode(name);
});

/** A running VM on a node that is then lost. */
async function stranded(name: string, strategy = 'Manual'): Promise<string> {
  const { status } = await vms.running(name, strategy);
  const node = status?.nodeName ?? '';
  await kubeVirt.loseNode(node);
  await vms.until(name, ({ vm }) => vm.status?.ready !== true);
  return node;
}

async function podsOf(name: string): Promise<{ name: string; leaving: boolean; ready: string | undefined }[]> {
  const labelSelector = `vm.kubevirt.io/name=${name}`;
  const { items } = await world.client.list(PODS, { namespace: vms.namespace, labelSelector });
  return items.map(({ metadata, status }) => ({
    name: metadata.name,
    leaving: metadata.deletionTimestamp !== undefined,
    ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  }));
}

describe('a lost node', () => {
  it('is not ready and tainted until it recovers', async () => {
    const [name = ''] = kubeVirt.nodeNames;
    await kubeVirt.loseNode(name);
    const lost = await world.client.get(NODES, { name });
    expect(lost.metadata.labels).toMatchObject({ 'kubevirt.io/schedulable': 'false' });
    expect(lost.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
    expect(lost.status?.conditions).toMatchObject([{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }]);
    await kubeVirt.recoverNode(name);
    const back = await world.client.get(NODES, { name });
    expect(back.spec?.taints).toBeUndefined();
    expect(back.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'KubeletReady' }]);
  });

  it('leaves its guests Running and not ready until it recovers', async () => {
    const node = await stranded('waiting', 'Always');
    const { vm, vmi } = await vms.see('waiting');
    expect(vm.status).toMatchObject({ printableStatus: 'Running' });
    expect(vm.status?.ready).toBeUndefined();
    expect(vmi?.status?.phase).toBe('Running');
    await eventually(async () => {
      expect(await podsOf('waiting')).toMatchObject([{ leaving: false, ready: 'False' }]);
    });
    await kubeVirt.recoverNode(node);
    await vms.until('waiting', isReady);
    expect((await vms.vmi('waiting'))?.metadata.uid).toBe(vmi?.metadata.uid);
  });

  it('does not answer virt-api', async () => {
    await stranded('mute');
    for (const verb of ['reset', 'pause', 'softreboot']) {
      const answer = await vms.put(`virtualmachineinstances/mute/${verb}`);
      const url = `https://<node>/v1/namespaces/${vms.namespace}/virtualmachineinstances/mute/${verb}`;
      // The address of virt-handler depends on the cluster.
      expect(answer.replaceAll(/127\.0\.0\.\d:\d+/g, '<node>')).toBe(
        `500 InternalError: Internal error occurred: Put "${url}": dial tcp <node>: connect: connection refused`,
      );
    }
  });

  it('completes a stop, forced or not, when it recovers', async () => {
    const node = await stranded('hanging');
    expect(await vms.put('virtualmachines/hanging/stop', { gracePeriod: 0 })).toBe('202');
    const { vmi } = await vms.until('hanging', ({ vm }) => vm.status?.printableStatus === 'Stopping');
    expect(vmi?.status?.phase).toBe('Running');
    await eventually(async () => {
      expect(await podsOf('hanging')).toMatchObject([{ leaving: true }]);
    });
    // A second request has no effect either.
    expect(await vms.put('virtualmachines/hanging/stop', { gracePeriod: 0 })).toBe('202');
    expect((await vms.vmi('hanging'))?.status?.phase).toBe('Running');
    await kubeVirt.recoverNode(node);
    await vms.until('hanging', isOff);
  });

  it('lets a guest start on another node after its pod was deleted by force', async () => {
    const node = await stranded('forced', 'Always');
    const uid = (await vms.vmi('forced'))?.metadata.uid;
    for (const { name } of await podsOf('forced')) {
      await world.client.delete(PODS, vms.ref(name), { gracePeriodSeconds: 0 });
    }
    const { vmi } = await vms.until('forced', (seen) => isReady(seen) && seen.vmi?.metadata.uid !== uid);
    expect(vmi?.status?.nodeName).not.toBe(node);
  });
});

describe('without any node', () => {
  it('a VM is unschedulable until a node recovers', async () => {
    await vms.stopped('nowhere');
    for (const name of kubeVirt.nodeNames) await kubeVirt.loseNode(name);
    expect(await vms.put('virtualmachines/nowhere/start')).toBe('202');
    const { vmi } = await vms.until('nowhere', ({ vm }) => vm.status?.printableStatus === 'ErrorUnschedulable');
    expect(vmi?.status).toMatchObject({ phase: 'Scheduling' });
    expect(vmi?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }),
    );
    await kubeVirt.recoverNode(kubeVirt.nodeNames[1] ?? '');
    expect((await vms.untilRunning('nowhere')).status?.nodeName).toBe(kubeVirt.nodeNames[1]);
  });
});

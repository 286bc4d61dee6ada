import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '../../../../api/index.ts';
import { EVENTS, PODS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { isOff, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '60000' } } };
const deaf = { metadata: { annotations: { 'sandbox.kubevirt.io/shutdown-time': '600000' } } };

/** `type=status/reason`, without LiveMigratable. */
function conditionsOf({ status }: VirtualMachine): string[] {
  return (status?.conditions ?? [])
    .filter(({ type }) => type !== 'LiveMigratable')
    .map((condition) => `${condition.type}=${condition.status}${condition.reason ? `/${condition.reason}` : ''}`);
}

describe('the status of a VM', () => {
  it('is Stopped without an instance', async () => {
    await vms.stopped('off');
    const { vm } = await vms.until('off', ({ vm }) => (vm.status?.conditions ?? []).length > 0);
    const { volumeSnapshotStatuses: _onlyInKubeVirt, ...status }: object & { volumeSnapshotStatuses?: unknown } =
      vm.status ?? {};
    // KubeVirt omits `created` and `ready` if they are false.
    expect(status).toEqual({
      printableStatus: 'Stopped',
      conditions: [
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          reason: 'VMINotExists',
          message: 'VMI does not exist',
        }),
      ],
    });
  });

  it('is Starting during the boot', async () => {
    await vms.create('starting', { runStrategy: 'Always' }, slow);
    await vms.until('starting', ({ vmi }) => vmi?.status?.phase === 'Scheduling');
    // The VM's status follows that of its instance.
    await eventually(async () => {
      const vm = await vms.vm('starting');
      expect(conditionsOf(vm)).toEqual(['Ready=False/GuestNotRunning']);
      expect(vm.status).toMatchObject({ printableStatus: 'Starting', created: true });
      expect(vm.status?.ready).toBeUndefined();
    });
  });

  it('is Running and ready with the conditions of its instance', async () => {
    await vms.running('on');
    const vm = await vms.vm('on');
    expect(vm.status).toMatchObject({
      printableStatus: 'Running',
      created: true,
      ready: true,
      runStrategy: 'Always',
      observedGeneration: vm.metadata.generation,
      desiredGeneration: vm.metadata.generation,
    });
    expect(vm.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Ready=True',
      'LiveMigratable=True',
    ]);
  });

  it('is Stopping before Paused, and Terminating before Stopping', async () => {
    await vms.running('leaving', 'Manual', deaf);
    expect(await vms.put('virtualmachineinstances/leaving/pause')).toBe('200');
    await vms.until('leaving', ({ vm }) => vm.status?.printableStatus === 'Paused');
    expect(await vms.put('virtualmachines/leaving/stop')).toBe('202');
    const { vm } = await vms.until('leaving', ({ vm }) => vm.status?.printableStatus === 'Stopping');
    expect(conditionsOf(vm)).toContain('Paused=True/PausedByUser');
    await eventually(async () => {
      expect(conditionsOf(await vms.vm('leaving'))).toContain('Ready=False/PodTerminating');
    });
    expect(await vms.delete('virtualmachines/leaving')).toBe('200');
    await vms.until('leaving', ({ vm }) => vm.status?.printableStatus === 'Terminating');
    expect(await vms.put('virtualmachines/leaving/stop', { gracePeriod: 0 })).toBe('202');
    await eventually(async () => {
      expect(await vms.vmi('leaving')).toBeUndefined();
      await expect(vms.vm('leaving')).rejects.toMatchObject({ status: 404 });
    });
  });
});

describe('the status of an instance', () => {
  it('has all fields of KubeVirt', async () => {
    const { metadata, status } = await vms.running('whole');
    // The simulator has no SELinux and no revisions of templates.
    const without = ['selinuxContext', 'virtualMachineRevisionName'];
    const keys = Object.keys(status ?? {}).filter((key) => !without.includes(key));
    expect(keys.toSorted()).toEqual([
      'activePods',
      'conditions',
      'currentCPUTopology',
      'guestOSInfo',
      'interfaces',
      'launcherContainerImageVersion',
      'memory',
      'migrationTransport',
      'nodeName',
      'phase',
      'phaseTransitionTimestamps',
      'qosClass',
      'runtimeUser',
      'volumeStatus',
    ]);
    expect(status).toMatchObject({
      nodeName: expect.stringMatching(/^node0[12]$/) as string,
      guestOSInfo: {},
      interfaces: [{ name: 'default', infoSource: 'domain', podInterfaceName: 'eth0' }],
      memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '1Gi' },
    });
    expect(metadata.labels).toMatchObject({ 'kubevirt.io/nodeName': status?.nodeName });
  });
});

describe('a deleted instance', () => {
  it.each([
    ['Always', 'again'],
    ['Once', 'again'],
    ['Manual', 'off'],
    ['RerunOnFailure', 'off'],
  ])('of a VM with %s: %s', async (strategy, then) => {
    const name = `deleted-${strategy.toLowerCase()}`;
    const first = await vms.running(name, strategy);
    expect(await vms.delete(`virtualmachineinstances/${name}`)).toBe('200');
    if (then === 'again') await vms.untilRunning(name, first);
    else await vms.until(name, isOff);
  });
});

describe('a virt-launcher pod', () => {
  it('belongs to its instance and has its labels', async () => {
    const vmi = await vms.running('pod', 'Manual', { metadata: { labels: { app: 'pod' } } });
    const pods = async () =>
      (await world.client.list(PODS, { namespace: vms.namespace, labelSelector: 'app=pod' })).items;
    const [pod] = await pods();
    const compute: unknown = expect.objectContaining({ name: 'compute', ready: true });
    expect(pod).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^virt-launcher-pod-[a-z0-9]{5}$/) as string,
        labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': vmi.metadata.uid, app: 'pod' },
        ownerReferences: [{ kind: 'VirtualMachineInstance', name: 'pod', uid: vmi.metadata.uid, controller: true }],
      },
      spec: { nodeName: vmi.status?.nodeName },
      status: { phase: 'Running', containerStatuses: expect.arrayContaining([compute]) as object[] },
    });
    expect(vmi.status).toMatchObject({ activePods: { [pod?.metadata.uid ?? '']: vmi.status?.nodeName } });
    expect(await vms.put('virtualmachines/pod/stop')).toBe('202');
    await vms.until('pod', isOff);
    expect(await pods()).toEqual([]);
  });

  it('ends its guest when it is deleted', async () => {
    const first = await vms.running('undermined');
    const labelSelector = 'vm.kubevirt.io/name=undermined';
    const { items } = await world.client.list(PODS, { namespace: vms.namespace, labelSelector });
    for (const { metadata } of items) await world.client.delete(PODS, metadata);
    await vms.untilRunning('undermined', first);
  });
});

describe('tables', () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  it.each([
    ['virtualmachines', ['Name', 'Age', 'Status', 'Ready'], ['on', 'Running', 'True']],
    [
      'virtualmachineinstances',
      ['Name', 'Age', 'Phase', 'IP', 'NodeName', 'Ready', 'Live-Migratable', 'Paused'],
      ['on', 'Running', 'True'],
    ],
  ])('of %s have the columns of KubeVirt', async (plural, columns, cells) => {
    const path = `/apis/kubevirt.io/v1/namespaces/${vms.namespace}/${plural}/on`;
    const { body } = await world.http('GET', path, { accept });
    const table = body as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(columns);
    expect(table.rows[0]?.cells).toEqual(expect.arrayContaining(cells));
  });
});

async function eventsOf(name: string): Promise<string[]> {
  const { items } = await world.client.list(EVENTS, {
    namespace: vms.namespace,
    fieldSelector: `involvedObject.name=${name}`,
  });
  return items.map(({ involvedObject, reason }) => `${involvedObject.kind ?? ''} ${reason ?? ''}`);
}

describe('a guest', () => {
  it('can power itself off or crash only while it runs', async () => {
    await vms.running('ends', 'Manual');
    expect(kubeVirt.powerOffGuest(vms.ref('ends'))).toBe(true);
    await vms.until('ends', ({ vmi }) => vmi?.status?.phase === 'Succeeded');
    expect(kubeVirt.powerOffGuest(vms.ref('ends'))).toBe(false);
    expect(kubeVirt.crashGuest(vms.ref('ends'))).toBe(false);
    expect(kubeVirt.crashGuest(vms.ref('nobody'))).toBe(false);
  });

  it('can crash during a pause', async () => {
    await vms.running('frozen', 'Manual');
    expect(await vms.put('virtualmachineinstances/frozen/pause')).toBe('200');
    kubeVirt.crashGuest(vms.ref('frozen'));
    await vms.until('frozen', ({ vmi }) => vmi?.status?.phase === 'Failed');
  });

  it('has events of VM and instance', async () => {
    await vms.running('told', 'Manual');
    expect(await vms.put('virtualmachines/told/stop')).toBe('202');
    await vms.until('told', isOff);
    await eventually(async () => {
      expect(await eventsOf('told')).toEqual(
        expect.arrayContaining([
          'VirtualMachine SuccessfulCreate',
          'VirtualMachineInstance SuccessfulCreate',
          'VirtualMachineInstance Started',
          'VirtualMachine SuccessfulDelete',
          'VirtualMachineInstance Stopped',
        ]),
      );
    });
  });
});

describe('annotations of a guest', () => {
  it('set the times of boot and shutdown', async () => {
    const times = { 'sandbox.kubevirt.io/boot-time': '1', 'sandbox.kubevirt.io/shutdown-time': '600000' };
    await vms.running('own', 'Manual', { metadata: { annotations: times } });
    expect(await vms.put('virtualmachines/own/stop')).toBe('202');
    const { vmi } = await vms.until('own', ({ vm }) => vm.status?.printableStatus === 'Stopping');
    expect(vmi?.status?.phase).toBe('Running');
    expect(await vms.put('virtualmachines/own/stop', { gracePeriod: 0 })).toBe('202');
    await vms.until('own', isOff);
  });
});

describe('a guest with an agent', () => {
  it('reports its operating system and the names of its interfaces', async () => {
    const agent = { metadata: { annotations: { 'sandbox.kubevirt.io/guest-agent': 'true' } } };
    const { status } = await vms.running('agent', 'Always', agent);
    expect(status).toMatchObject({
      guestOSInfo: { id: 'fedora', name: 'Fedora Linux' },
      interfaces: [{ name: 'default', interfaceName: 'eth0', infoSource: 'domain, guest-agent' }],
    });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'AgentConnected', status: 'True' }));
    const { vm } = await vms.until('agent', ({ vm }) =>
      (vm.status?.conditions ?? []).some(({ type }) => type === 'AgentConnected'),
    );
    expect(vm.status?.ready).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '../../../../api/index.ts';
import { PODS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { isOff, isReady, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '60000' } } };
const deaf = { metadata: { annotations: { 'sandbox.kubevirt.io/shutdown-time': '600000' } } };

/** `type=status/reason`, without those that say only that all is well. */
function conditionsOf({ status }: VirtualMachine): string[] {
  return (status?.conditions ?? [])
    .filter(({ type }) => type !== 'LiveMigratable')
    .map((condition) => `${condition.type}=${condition.status}${condition.reason ? `/${condition.reason}` : ''}`);
}

describe('the status of a VM', () => {
  it('is not there at first', async () => {
    const hold = kubeVirt.holdController();
    await vms.create('fresh', { runStrategy: 'Manual' });
    expect((await vms.vm('fresh')).status?.printableStatus).toBeUndefined();
    hold.resume();
    await vms.until('fresh', isOff);
  });

  it('of one that is off names no instance and no strategy that it had', async () => {
    await vms.stopped('off');
    const { vm } = await vms.until('off', ({ vm }) => (vm.status?.conditions ?? []).length > 0);
    const { volumeSnapshotStatuses: _onTheRealOneAlone, ...status }: object & { volumeSnapshotStatuses?: unknown } =
      vm.status ?? {};
    // Neither `created` nor `ready` is there where it is false.
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

  it('of one on its way up is Starting, its guest not running', async () => {
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

  it('of one that runs is Running and ready, with the conditions of its instance', async () => {
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

  it('is Stopping rather than Paused, and Terminating rather than either', async () => {
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

  it('keeps a Paused=True of a guest that is gone, until the next one', async () => {
    await vms.stopped('stale');
    expect(await vms.put('virtualmachines/stale/start', { paused: true })).toBe('202');
    await vms.until('stale', ({ vm }) => vm.status?.printableStatus === 'Paused');
    expect(await vms.put('virtualmachines/stale/stop', { gracePeriod: 0 })).toBe('202');
    const { vm } = await vms.until('stale', isOff);
    expect(conditionsOf(vm)).toEqual(['Ready=False/VMINotExists', 'Paused=True/PausedByUser']);
    expect(await vms.put('virtualmachines/stale/start')).toBe('202');
    await vms.untilRunning('stale');
    expect(conditionsOf(await vms.vm('stale'))).toEqual(['Ready=True']);
  });
});

describe('the status of an instance', () => {
  it('has all that KubeVirt tells of a guest', async () => {
    const { metadata, status } = await vms.running('whole');
    // What nodes with SELinux and the revision of the template bring, which the simulator does without.
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

  it('tells when each phase began', async () => {
    const { status } = await vms.running('phases');
    const times = status?.phaseTransitionTimestamps ?? [];
    expect(times.map(({ phase }) => phase)).toEqual(['Pending', 'Scheduling', 'Scheduled', 'Running']);
    const stamps = times.map(({ phaseTransitionTimestamp }) => phaseTransitionTimestamp);
    expect(stamps).toEqual(stamps.toSorted());
  });

  it('has the MAC address of the template, or one that the next instance has not', async () => {
    const mac = (vmi: { status?: { interfaces?: { mac?: string }[] } }): string | undefined =>
      vmi.status?.interfaces?.[0]?.mac;
    const fixed = await vms.running('fixed', 'Always', { interfaces: [{ macAddress: '02:00:00:00:00:0a' }] });
    expect(mac(fixed)).toBe('02:00:00:00:00:0a');
    const first = await vms.running('made-up');
    expect(mac(first)).toMatch(/^52:54:00:/);
    expect(await vms.put('virtualmachines/made-up/restart', { gracePeriodSeconds: 0 })).toBe('202');
    expect(mac(await vms.untilRunning('made-up', first))).not.toBe(mac(first));
    expect((await vms.vm('made-up')).spec.template.spec.domain.devices.interfaces).toEqual([
      { name: 'default', masquerade: {} },
    ]);
  });

  it('is no subresource, while that of a VM is one', async () => {
    await vms.running('plain');
    const path = `/apis/kubevirt.io/v1/namespaces/${vms.namespace}`;
    expect((await world.http('GET', `${path}/virtualmachines/plain/status`)).status).toBe(200);
    expect((await world.http('GET', `${path}/virtualmachineinstances/plain/status`)).status).toBe(404);
    expect(await vms.patch('virtualmachines/plain', 'merge', { status: { ready: false } })).toBe('200');
    expect((await vms.vm('plain')).status?.ready).toBe(true);
  });
});

describe('an instance that is deleted by hand', () => {
  it.each([
    ['Always', 'again'],
    ['Once', 'again'],
    ['Manual', 'off'],
    ['RerunOnFailure', 'off'],
  ])('under %s: the VM is %s', async (strategy, then) => {
    const name = `deleted-${strategy.toLowerCase()}`;
    const first = await vms.running(name, strategy);
    expect(await vms.delete(`virtualmachineinstances/${name}`)).toBe('200');
    if (then === 'again') await vms.untilRunning(name, first);
    else await vms.until(name, isOff);
  });
});

describe('a virt-launcher pod', () => {
  it('is there for each instance, with its labels, owned by it, and goes with it', async () => {
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

  it('that is deleted takes the guest down with it', async () => {
    const first = await vms.running('undermined');
    const labelSelector = 'vm.kubevirt.io/name=undermined';
    const { items } = await world.client.list(PODS, { namespace: vms.namespace, labelSelector });
    for (const { metadata } of items) await world.client.delete(PODS, metadata);
    await vms.untilRunning('undermined', first);
  });

  it('of a guest that has ended is completed, and stays as long as the instance', async () => {
    await vms.running('completed', 'Manual');
    kubeVirt.powerOffGuest(vms.ref('completed'));
    await vms.until('completed', ({ vmi }) => vmi?.status?.phase === 'Succeeded');
    await eventually(async () => {
      const labelSelector = 'vm.kubevirt.io/name=completed';
      const { items } = await world.client.list(PODS, { namespace: vms.namespace, labelSelector });
      expect(items.map(({ status }) => status?.phase)).toEqual(['Succeeded']);
    });
    expect(await vms.put('virtualmachines/completed/start')).toBe('202');
    await vms.until('completed', isReady);
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
  ])('of %s have KubeVirt’s columns', async (plural, columns, cells) => {
    const path = `/apis/kubevirt.io/v1/namespaces/${vms.namespace}/${plural}/on`;
    const { body } = await world.http('GET', path, { accept });
    const table = body as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(columns);
    expect(table.rows[0]?.cells).toEqual(expect.arrayContaining(cells));
  });
});

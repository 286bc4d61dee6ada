import { describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_INSTANCES, type VirtualMachineInstance } from '../../../../api/index.ts';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { DataVolumes } from '../../../../test/harness/scenes/data-volumes.ts';
import { startFileServer } from '../../../../test/harness/scenes/file-server.ts';
import { featureGates } from '../../../../test/harness/scenes/feature-gates.ts';
import { isReady, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({
  parts: ['kubevirt', 'cdi'],
  bootTime: 60,
  kubeVirt: { shutdownTime: 60 },
  cdi: { progressInterval: 25, times: { backOff: 100, maxBackOff: 200 } },
});
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const volumes = new DataVolumes(world.client, namespace);

const setGates = featureGates(world, namespace);
const GATE = 'DeclarativeHotplugVolumes';
const image = Buffer.alloc(10_000, 'groundcrew');
let release: () => void = () => undefined;
const held = new Promise<void>((resolve) => {
  release = resolve;
});
let isMissing = true;
const server = await startFileServer(image, {
  '/held.iso': (_request, response) => {
    void held.then(() => response.end(image));
  },
  '/broken.iso': (_request, response) => {
    if (isMissing) response.writeHead(404).end();
    else response.end(image);
  },
});
const source = { http: { url: `${server.url}/a.iso` } };

/** A running VM with an empty CD-ROM drive. */
async function withDrive(name: string): Promise<VirtualMachineInstance> {
  await setGates(GATE);
  const template = { disks: [{ bootOrder: 2 }, { name: 'cd', cdrom: { bus: 'sata' }, bootOrder: 1 }] };
  expect(await vms.create(name, { runStrategy: 'Always' }, template)).toBe('201');
  return await vms.untilRunning(name);
}

function insert(name: string, volume: object): Promise<string> {
  const value = { name: 'cd', ...volume };
  return vms.patch(`virtualmachines/${name}`, 'json', [{ op: 'add', path: '/spec/template/spec/volumes/-', value }]);
}

function eject(name: string): Promise<string> {
  return vms.patch(`virtualmachines/${name}`, 'json', [
    { op: 'test', path: '/spec/template/spec/volumes/1/name', value: 'cd' },
    { op: 'remove', path: '/spec/template/spec/volumes/1' },
  ]);
}

interface VolumeStatus {
  name: string;
  phase?: string;
  reason?: string;
  message?: string;
  target?: string;
}

function cdOf(vmi: VirtualMachineInstance | undefined): VolumeStatus | undefined {
  const { volumeStatus = [] } = (vmi?.status ?? {}) as { volumeStatus?: VolumeStatus[] };
  return volumeStatus.find((entry) => entry.name === 'cd');
}

async function statusOf(name: string): Promise<VolumeStatus | undefined> {
  return cdOf(await vms.vmi(name));
}

async function untilPhase(name: string, phase: string | undefined): Promise<VolumeStatus | undefined> {
  return await eventually(async () => {
    const status = await statusOf(name);
    expect(status?.phase).toBe(phase);
    return status;
  });
}

/**
 * Watches an instance during `act`, and returns the states of its CD-ROM in their order, each once. The watch may
 * deliver changes later than a GET, so it ends with the version of the instance that a GET returns after `act`.
 */
async function statesDuring(name: string, act: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const states: (string | undefined)[] = [];
  const { metadata } = await world.client.list(VIRTUAL_MACHINE_INSTANCES, { namespace });
  let version = Number(metadata.resourceVersion);
  const stop = new AbortController();
  const watching = (async () => {
    const changes = world.client.watch(VIRTUAL_MACHINE_INSTANCES, {
      namespace,
      resourceVersion: metadata.resourceVersion,
      timeoutSeconds: 60,
      signal: stop.signal,
    });
    for await (const change of changes) {
      if (change.type !== 'MODIFIED' || change.object.metadata.name !== name) continue;
      const state = stateOf(change.object);
      if (states.at(-1) !== state) states.push(state);
      version = Number(change.object.metadata.resourceVersion);
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await act();
  const last = Number((await vms.vmi(name))?.metadata.resourceVersion);
  await eventually(() => {
    expect(version).toBeGreaterThanOrEqual(last);
  });
  stop.abort();
  await watching;
  return states;
}

function stateOf(vmi: VirtualMachineInstance): string | undefined {
  const cd = cdOf(vmi);
  return cd === undefined ? undefined : `${cd.phase ?? ''}/${cd.reason ?? ''}`;
}

describe('a medium', () => {
  it('is inserted into a running VM and ejected without a restart', async () => {
    const vmi = await withDrive('insert');
    await volumes.import('iso', source);
    await volumes.until('iso', ({ status }) => status?.phase === 'Succeeded');
    const inserting = await statesDuring('insert', async () => {
      expect(await insert('insert', { persistentVolumeClaim: { claimName: 'iso', hotpluggable: true } })).toBe('200');
      await untilPhase('insert', 'Ready');
    });
    // virt-controller may not have the claim in its cache yet, and may create the pod before it writes a status.
    const waiting = ['Pending/FailedPvcNotFound', 'Bound/PVCNotReady'];
    expect(inserting.filter((state) => state !== undefined && !waiting.includes(state))).toEqual([
      'AttachedToNode/SuccessfulCreate',
      'MountedToPod/VolumeMountedToPod',
      'Ready/VolumeReady',
    ]);
    expect(await statusOf('insert')).toMatchObject({
      message: 'Successfully attach hotplugged volume cd to VM',
      target: 'sda',
      persistentVolumeClaimInfo: { claimName: 'iso', volumeMode: 'Filesystem' },
    });
    const ejecting = await statesDuring('insert', async () => {
      expect(await eject('insert')).toBe('200');
      await untilPhase('insert', undefined);
    });
    // While virt-controller still sees the pod that it deletes, the phase is Detaching.
    const passed = ejecting.filter((state) => state?.startsWith('Detaching/') !== true);
    expect(passed).toEqual(['Ready/VolumeReady', 'UnMountedFromPod/VolumeUnMountedFromPod', undefined]);
    const { vm, vmi: after } = await vms.see('insert');
    expect(after?.metadata.uid).toBe(vmi.metadata.uid);
    expect(after?.spec.domain.devices.disks?.map(({ name }) => name)).toEqual(['root', 'cd']);
    expect(vm.status?.conditions?.map(({ type }) => type)).not.toContain('RestartRequired');
  });

  it('is inserted after its import', async () => {
    await withDrive('early');
    expect(await insert('early', { dataVolume: { name: 'later', hotpluggable: true } })).toBe('200');
    expect(await untilPhase('early', 'Pending')).toMatchObject({
      reason: 'FailedPvcNotFound',
      message: 'PVC later not found',
    });
    await volumes.import('later', { http: { url: `${server.url}/held.iso` } });
    expect(await untilPhase('early', 'Bound')).toMatchObject({
      reason: 'PVCNotReady',
      message: 'PVC is in phase Bound',
    });
    const ready = async (): Promise<string | undefined> => {
      const { conditions = [] } = (await vms.vm('early')).status ?? {};
      return conditions.find(({ type }) => type === 'DataVolumesReady')?.status;
    };
    await eventually(async () => {
      expect(await ready()).toBe('False');
    });
    release();
    await untilPhase('early', 'Ready');
    await eventually(async () => {
      expect(await ready()).toBe('True');
    });
  });

  it('is ejected before another is inserted', async () => {
    await withDrive('swap');
    for (const name of ['one', 'two']) {
      await volumes.import(name, source);
      await volumes.until(name, ({ status }) => status?.phase === 'Succeeded');
    }
    expect(await insert('swap', { dataVolume: { name: 'one', hotpluggable: true } })).toBe('200');
    await untilPhase('swap', 'Ready');
    const states = await statesDuring('swap', async () => {
      const value = { name: 'cd', dataVolume: { name: 'two', hotpluggable: true } };
      const patch = [{ op: 'replace', path: '/spec/template/spec/volumes/1', value }];
      expect(await vms.patch('virtualmachines/swap', 'json', patch)).toBe('200');
      await eventually(async () => {
        expect(await statusOf('swap')).toMatchObject({
          phase: 'Ready',
          persistentVolumeClaimInfo: { claimName: 'two' },
        });
      });
    });
    expect(states).toContain('UnMountedFromPod/VolumeUnMountedFromPod');
    expect(states.at(-1)).toBe('Ready/VolumeReady');
  });
});

describe('a VM whose disk is a DataVolume', () => {
  const template = (name: string) => ({ spec: { volumes: [{ name: 'root', dataVolume: { name } }] } });

  it('starts after the import', async () => {
    expect(await vms.create('patient', { runStrategy: 'Always' }, template('disk'))).toBe('201');
    await vms.until('patient', ({ vm }) => vm.status?.printableStatus === 'ErrorPvcNotFound');
    const { vmi } = await vms.see('patient');
    expect(vmi?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Synchronized',
        status: 'False',
        reason: 'FailedPvcNotFound',
        message: `PVC ${namespace}/disk does not exist, waiting for it to appear`,
      }),
    );
    await volumes.import('disk', { http: { url: `${server.url}/broken.iso` } });
    await vms.until('patient', ({ vm }) => vm.status?.printableStatus === 'DataVolumeError');
    isMissing = false;
    await vms.until('patient', isReady);
  });

  it('creates its DataVolume templates and waits for them', async () => {
    const dataVolumeTemplates = [
      {
        metadata: { name: 'brought' },
        spec: { source, storage: { resources: { requests: { storage: '1Mi' } } } },
      },
    ];
    const spec = { runStrategy: 'Always', dataVolumeTemplates };
    expect(await vms.create('bringer', spec)).toContain("must be referenced in the VMI template's 'volumes' list");
    expect(await vms.create('bringer', spec, template('brought'))).toBe('201');
    const vmi = await vms.untilRunning('bringer');
    const dataVolume = await volumes.get('brought');
    const { vm } = await vms.see('bringer');
    expect(dataVolume.status?.phase).toBe('Succeeded');
    expect(dataVolume.metadata).toMatchObject({
      labels: { 'kubevirt.io/created-by': vm.metadata.uid },
      ownerReferences: [{ kind: 'VirtualMachine', name: 'bringer', uid: vm.metadata.uid }],
    });
    expect(Date.parse(vmi.metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(
      Date.parse(dataVolume.metadata.creationTimestamp ?? ''),
    );
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { PODS, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({
  parts: ['kubevirt'],
  bootTime: 60,
  kubeVirt: { shutdownTime: 60, migrationTime: 400 },
});
const vms = new VirtualMachines(world, await world.namespace());

interface Migration extends KubeObject {
  spec: { vmiName: string };
  status?: { phase?: string; phaseTransitionTimestamps?: { phase: string }[]; migrationState?: object };
}

const MIGRATIONS: Kind<Migration> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  namespaced: true,
};

afterEach(async () => {
  for (const name of kubeVirt.nodeNames) await kubeVirt.recoverNode(name);
});

async function migrationOf(name: string): Promise<Migration> {
  const { items } = await world.client.list(MIGRATIONS, {
    namespace: vms.namespace,
    labelSelector: `kubevirt.io/vmi-name=${name}`,
  });
  const [migration] = items;
  if (migration === undefined) throw new Error(`there is no migration of ${name}`);
  return migration;
}

async function untilPhase(name: string, phase: string): Promise<Migration> {
  return await eventually(async () => {
    const migration = await migrationOf(name);
    expect(migration.status?.phase).toBe(phase);
    return migration;
  });
}

function create(name: string, vmiName = name): Promise<string> {
  return vms.post('virtualmachineinstancemigrations', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: `${name}-job` },
    spec: { vmiName },
  });
}

const REFUSED = 'admission webhook "migration-create-validator.kubevirt.io" denied the request: ';

async function podsOf(name: string): Promise<string[]> {
  const labelSelector = `vm.kubevirt.io/name=${name}`;
  const { items } = await world.client.list(PODS, { namespace: vms.namespace, labelSelector });
  return items.map(({ spec, status }) => `${spec?.nodeName ?? ''} ${status?.phase ?? ''}`).toSorted();
}

describe('a migration', () => {
  it('by virtualmachines/migrate moves the guest to another node, in the same instance', async () => {
    const before = await vms.running('moved', 'Manual');
    const from = before.status?.nodeName ?? '';
    expect(await vms.put('virtualmachines/moved/migrate')).toBe('202');
    const { vm } = await vms.until('moved', ({ vm }) => vm.status?.printableStatus === 'Migrating');
    expect(vm.status?.ready).toBe(true);
    expect(await vms.put('virtualmachines/moved/start')).toMatch(/VM is already running$/);

    const after = await vms.untilRunning('moved');
    const to = after.status?.nodeName ?? '';
    expect([after.metadata.uid, [from, to].toSorted()]).toEqual([before.metadata.uid, [...kubeVirt.nodeNames]]);
    expect(after.metadata.labels).toMatchObject({ 'kubevirt.io/nodeName': to });
    const { metadata, status } = await untilPhase('moved', 'Succeeded');
    expect(metadata.name).toMatch(/^kubevirt-migrate-vm-/);
    expect(after.status).toMatchObject({
      migrationState: {
        migrationUid: metadata.uid,
        sourceNode: from,
        targetNode: to,
        completed: true,
        startTimestamp: expect.any(String) as string,
        endTimestamp: expect.any(String) as string,
      },
    });
    expect(status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual([
      'Pending',
      'Scheduling',
      'Scheduled',
      'PreparingTarget',
      'TargetReady',
      'Running',
      'Succeeded',
    ]);
    expect(status?.migrationState).toMatchObject({ completed: true });
    await eventually(async () => {
      expect(await podsOf('moved')).toEqual([`${from} Succeeded`, `${to} Running`].toSorted());
    });
  });

  it('leaves a guest that can be paused and restarted', async () => {
    const before = await vms.running('useful', 'Manual');
    expect(await create('useful')).toBe('201');
    await untilPhase('useful', 'Succeeded');
    expect(await vms.put('virtualmachineinstances/useful/pause')).toBe('200');
    expect(await vms.put('virtualmachineinstances/useful/unpause')).toBe('200');
    expect(await vms.put('virtualmachines/useful/restart', { gracePeriodSeconds: 0 })).toBe('202');
    await vms.untilRunning('useful', before);
    await eventually(async () => {
      expect(await podsOf('useful')).toEqual([expect.stringMatching(/ Running$/)]);
    });
  });

  it('has a label and a finalizer, and its spec cannot be changed', async () => {
    await vms.running('marked');
    expect(await create('marked')).toBe('201');
    const { metadata } = await migrationOf('marked');
    expect(metadata.labels).toEqual({ 'kubevirt.io/vmi-name': 'marked' });
    expect(metadata.finalizers).toEqual(['kubevirt.io/migrationJobFinalize']);
    const change = { spec: { vmiName: 'other' } };
    expect(await vms.patch('virtualmachineinstancemigrations/marked-job', 'merge', change)).toBe(
      '422 Invalid: admission webhook "migration-update-validator.kubevirt.io" denied the request: ' +
        "update of Migration object's spec is restricted",
    );
    await eventually(async () => {
      expect((await migrationOf('marked')).metadata.finalizers).toBeUndefined();
    });
  });
});

describe('a migration is refused', () => {
  it('during another migration', async () => {
    await vms.running('busy');
    const [, other = ''] = kubeVirt.nodeNames;
    // Without a target node the first migration does not end.
    await kubeVirt.loseNode(
      (await vms.vmi('busy'))?.status?.nodeName === other ? (kubeVirt.nodeNames[0] ?? '') : other,
    );
    expect(await create('busy')).toBe('201');
    const { metadata } = await migrationOf('busy');
    const why =
      `in-flight migration detected. Active migration job (${metadata.uid ?? ''}) ` +
      'is currently already in progress for VMI busy.';
    expect(await create('busy-too', 'busy')).toBe(`400 ${REFUSED}${why}`);
    expect(await vms.put('virtualmachines/busy/migrate')).toBe(
      `500 InternalError: Internal error occurred: ${REFUSED}${why}`,
    );
  });

  it('of a guest on a bridge to the pod network', async () => {
    await vms.running('bridged', 'Always', { interfaces: [{ masquerade: undefined, bridge: {} }] });
    expect(await create('bridged')).toMatch(
      `400 ${REFUSED}Cannot migrate VMI, Reason: InterfaceNotLiveMigratable, Message: cannot migrate VMI`,
    );
  });
});

describe('a migration without a free node', () => {
  it('waits for a node, and then succeeds', async () => {
    const { status } = await vms.running('patient');
    const other = kubeVirt.nodeNames.find((name) => name !== status?.nodeName) ?? '';
    await kubeVirt.loseNode(other);
    expect(await create('patient')).toBe('201');
    await untilPhase('patient', 'Pending');
    await kubeVirt.recoverNode(other);
    await untilPhase('patient', 'Succeeded');
    expect((await vms.vmi('patient'))?.status?.nodeName).toBe(other);
  });
});

import { describe, expect, it } from 'vitest';
import {
  type DataVolume,
  type DataVolumeStatus,
  MEDIA_ANNOTATIONS,
  type MediaStatus,
  noteOfMedia,
  patchedVm,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../../api/index.ts';
import { aBmc, aGuest, aVm, aVmi } from '../../testing/builders.ts';
import { INSERTION_ANNOTATION, mediaDriveOf, type MediaView } from './media-drive.ts';
import { dataVolumeOf, loginSecretOf, roomFor } from './media-volume.ts';
import { nextStep } from './next-step.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 0, 9);

function anEntry(phase: MediaStatus['phase'], parts: Partial<MediaStatus> = {}): MediaStatus {
  return {
    slot: 'Cd',
    image: 'http://images.example/a.iso',
    id: 'i1',
    phase,
    vmUID: 'vm-1',
    volume: 'a-bmc-cd',
    drive: 'cd',
    driveAdded: false,
    hotpluggable: true,
    startedAt: '2026-01-01T00:00:05.500Z',
    ...parts,
  };
}

function aVolume(status: DataVolumeStatus = {}, metadata: Partial<DataVolume['metadata']> = {}): DataVolume {
  const annotations = { [INSERTION_ANNOTATION]: 'i1' };
  const ownerReferences = [
    { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', name: 'a-bmc', uid: 'bmc-1' },
  ];
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'a-bmc-cd', annotations, ownerReferences, ...metadata },
    spec: {},
    status,
  };
}

/** The guest with the image in its drive. */
function full(hotpluggable = true) {
  const guest = aGuest();
  const dataVolume = { name: 'a-bmc-cd', ...(hotpluggable ? { hotpluggable } : {}) };
  return { ...guest, volumes: [{ name: 'root' }, { name: 'cd', dataVolume }] };
}

/** By default the VM has the image, and its note. */
function aView(phase: MediaStatus['phase'], parts: Partial<MediaView> = {}): MediaView {
  const entry = parts.entry ?? anEntry(phase);
  const bmc = parts.bmc ?? aBmc();
  bmc.status = { virtualMedia: [entry] };
  const view = { vm: noted(aVm({ guest: full() })), vmi: undefined, volume: aVolume(), now: NOW };
  return { slot: 'Cd', ...view, ...parts, bmc, entry };
}

function noted(vm: VirtualMachine): VirtualMachine {
  const annotations = { [MEDIA_ANNOTATIONS.Cd]: JSON.stringify(noteOfMedia(anEntry('Inserted'))) };
  return { ...vm, metadata: { ...vm.metadata, annotations } };
}

const DONE: DataVolumeStatus = { phase: 'Succeeded', progress: '100.0%' };

describe('an image that is taken out', () => {
  const vm = aVm();
  const waiting = (phase: VmiPhase) => ({ ...aVmi({ guest: full() }), status: phase === undefined ? {} : { phase } });

  it.each([undefined, 'Pending', 'Scheduling'] as const)(
    'makes the machine start without it before its volume is deleted, if the machine is %s',
    (phase) => {
      for (const state of ['Ejecting', 'Failing'] as const) {
        expect(nextStep(aView(state, { vm, vmi: waiting(phase) }))).toEqual({ do: 'power cycle' });
        expect(nextStep(aView(state, { vm, vmi: waiting(phase), volume: undefined }))).toEqual({ do: 'power cycle' });
      }
    },
  );

  it.each<[string, Partial<MediaView>]>([
    ['runs', { vmi: waiting('Running') }],
    ['is about to run', { vmi: waiting('Scheduled') }],
    ['waits for another volume', { vmi: { ...aVmi(), status: { phase: 'Pending' } } }],
    ['is powering off', { vmi: { ...waiting('Pending'), metadata: aVmi({ deleted: true }).metadata } }],
    ['is off', { vmi: undefined }],
  ])('leaves a machine alone that %s', (_what, parts) => {
    expect(nextStep(aView('Ejecting', { vm, ...parts }))).toEqual({ do: 'delete volume' });
  });
});

type VmiPhase = NonNullable<VirtualMachineInstance['status']>['phase'];

describe('an insertion', () => {
  it('starts with the volume, then changes the machine', () => {
    const empty = aVm();
    expect(nextStep(aView('Preparing', { volume: undefined, vm: empty }))).toEqual({ do: 'make volume' });
    expect(nextStep(aView('Preparing', { vm: empty }))).toMatchObject({ do: 'patch machine' });
    expect(nextStep(aView('Preparing'))).toMatchObject({ do: 'note', change: { phase: 'Importing' } });
  });

  it('waits until the previous volume is gone', () => {
    const annotations = { [INSERTION_ANNOTATION]: 'i0' };
    expect(nextStep(aView('Preparing', { volume: aVolume({}, { annotations }) }))).toEqual({ do: 'delete volume' });
    const volume = aVolume({}, { annotations, deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(nextStep(aView('Preparing', { volume }))).toEqual({ do: 'rest' });
  });

  it('fails if another object is in its way', () => {
    const theirs = aView('Preparing', { volume: aVolume({}, { ownerReferences: [] }) });
    expect(nextStep(theirs)).toMatchObject({ change: { phase: 'Failing' } });
    const changed = aView('Preparing', { vm: aVm({ guest: { ...aGuest(), volumes: [{ name: 'cd' }] } }) });
    expect(nextStep(changed)).toMatchObject({ change: { phase: 'Failing' } });
    for (const volume of [
      undefined,
      aVolume({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      aVolume({ phase: 'Failed' }),
    ]) {
      expect(nextStep(aView('Importing', { volume }))).toMatchObject({ change: { phase: 'Failing' } });
    }
  });

  it('reports the progress of the import in whole percents', () => {
    const volume = aVolume({ phase: 'ImportInProgress', progress: '42.37%' });
    const message = 'the image is being imported';
    expect(nextStep(aView('Importing', { volume }))).toEqual({ do: 'note', change: { message, progress: '42.0%' } });
    const entry = anEntry('Importing', { message, progress: '42.0%' });
    for (const same of [volume, aVolume({ progress: 'N/A' })])
      expect(nextStep(aView('Importing', { volume: same, entry }))).toEqual({ do: 'rest' });
  });

  it.each<[string, DataVolumeStatus, string]>([
    ['no volume', { conditions: [{ type: 'Bound', status: 'False', message: 'PVC a Pending' }] }, 'PVC a Pending'],
    [
      'no pod, whose text is masked and long',
      { conditions: [{ type: 'Running', status: 'False', message: `no image http://a/b?key=${'x'.repeat(5000)}` }] },
      'no image http://a/b?***',
    ],
  ])('reports why the import does not begin, once: %s', (_what, status, why) => {
    const volume = aVolume(status);
    const step = nextStep(aView('Importing', { volume }));
    expect(step).toEqual({ do: 'note', change: { message: `the import waits: ${why}` } });
    if (step.do !== 'note') throw new Error(step.do);
    expect(nextStep(aView('Importing', { volume, entry: anEntry('Importing', step.change) }))).toEqual({ do: 'rest' });
  });

  it('is done when the machine has it, or will have it at power-on', () => {
    const volume = aVolume(DONE);
    expect(nextStep(aView('Importing', { volume }))).toMatchObject({ change: { phase: 'Inserted', inserted: true } });
    const vmi = aVmi({ guest: full() });
    const plugging = aView('Importing', { volume, vmi });
    const told = nextStep(plugging);
    if (told.do !== 'note') throw new Error(told.do);
    expect(told.change.progress).toBe('99.0%');
    expect(nextStep({ ...plugging, entry: anEntry('Importing', told.change) })).toEqual({ do: 'rest' });
    vmi.status = { ...vmi.status, volumeStatus: [{ name: 'cd', phase: 'Ready' }] };
    expect(nextStep(plugging)).toMatchObject({ change: { phase: 'Inserted' } });
    expect(nextStep(aView('Inserted', { volume, vmi }))).toEqual({ do: 'rest' });
  });

  it('waits for the next boot if hot-plug is not possible', () => {
    const volume = aVolume(DONE);
    const entry = anEntry('Importing', { hotpluggable: false });
    const running = aView('Importing', { volume, entry, vmi: aVmi() });
    expect(nextStep(running)).toMatchObject({ change: { phase: 'Waiting', inserted: true, progress: '99.0%' } });
    const waiting = { ...running, entry: anEntry('Waiting', { hotpluggable: false }) };
    expect(nextStep(waiting)).toEqual({ do: 'rest' });
    // The guest has the previous image, whose volume had the same name.
    const old = aVmi({ guest: full(false) });
    old.metadata.creationTimestamp = '2026-01-01T00:00:04Z';
    expect(nextStep({ ...waiting, vmi: old })).toEqual({ do: 'rest' });
    old.metadata.creationTimestamp = '2026-01-01T00:00:05Z';
    expect(nextStep({ ...waiting, vmi: old })).toMatchObject({ change: { phase: 'Inserted' } });
  });

  it('is done without the machine if the client does not attach it', () => {
    const entry = anEntry('Preparing', { detached: true });
    expect(nextStep(aView('Preparing', { entry, vm: aVm() }))).toMatchObject({ change: { phase: 'Importing' } });
    const importing = aView('Importing', { entry: { ...entry, phase: 'Importing' }, vm: aVm(), volume: aVolume(DONE) });
    expect(nextStep(importing)).toMatchObject({ change: { phase: 'Inserted', inserted: false } });
  });

  it('ends if the owner removes the image or recreates the VM', () => {
    expect(nextStep(aView('Inserted', { vm: aVm() }))).toMatchObject({ change: { phase: 'Ejecting' } });
    for (const phase of ['Preparing', 'Waiting'] as const) {
      expect(nextStep(aView(phase, { vm: aVm({ uid: 'vm-2' }) }))).toMatchObject({ change: { phase: 'Ejecting' } });
      expect(nextStep(aView(phase, { vm: undefined }))).toEqual({ do: 'rest' });
    }
  });
});

describe('an ejection', () => {
  it.each(['Ejecting', 'Failing'] as const)("restores the machine's drive, then deletes the volume: %s", (phase) => {
    expect(nextStep(aView(phase))).toMatchObject({ do: 'patch machine' });
    expect(nextStep(aView(phase, { vm: aVm() }))).toEqual({ do: 'delete volume' });
    const change = { phase: phase === 'Ejecting' ? 'Ejected' : 'Failed', endedAt: '2026-01-01T00:00:09.000Z' };
    for (const volume of [undefined, aVolume({}, { ownerReferences: [] })]) {
      expect(nextStep(aView(phase, { vm: aVm(), volume }))).toMatchObject({ do: 'note', change });
    }
    expect(nextStep(aView(phase, { vm: aVm({ uid: 'vm-2', guest: full() }), volume: undefined }))).toMatchObject({
      change,
    });
  });

  it('removes an image of which the status says nothing, also from a recreated VM', () => {
    const aBmcWithout = { ...aView('Inserted'), bmc: aBmc(), entry: undefined };
    const others = [
      aView('Ejected'),
      aView('Failed'),
      aView('Preparing', { entry: anEntry('Preparing', { id: 'i2' }) }),
    ];
    for (const view of [aBmcWithout, ...others]) {
      for (const uid of ['vm-1', 'vm-2']) {
        const vm = noted(aVm({ uid, guest: full() }));
        const step = nextStep({ ...view, vm });
        if (step.do !== 'patch machine') throw new Error(step.do);
        expect(patchedVm(vm, step.patch)).toEqual(aVm({ uid }));
      }
    }
  });

  it('writes the note of an image that an earlier version inserted', () => {
    const vm = aVm({ guest: full() });
    const step = nextStep(aView('Inserted', { vm }));
    if (step.do !== 'patch machine') throw new Error(step.do);
    expect(patchedVm(vm, step.patch)).toEqual(noted(vm));
  });

  it('is left to the manager if the BMC is being deleted, and the agent adds nothing more', () => {
    const bmc = aBmc();
    bmc.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(nextStep(aView('Preparing', { bmc, vm: aVm() }))).toEqual({ do: 'rest' });
    expect(nextStep(aView('Importing', { bmc }))).toMatchObject({ do: 'patch machine' });
  });

  it('has no more steps when it is done', () => {
    for (const phase of ['Ejected', 'Failed', undefined] as const)
      expect(nextStep(aView(phase, { vm: aVm() }))).toEqual({ do: 'rest' });
  });
});

describe('the drive as clients see it', () => {
  it('is empty, full, or was full', () => {
    expect(mediaDriveOf('Cd', undefined, true)).toEqual({
      id: 'Cd',
      mediaTypes: ['CD', 'DVD'],
      isInserted: false,
      isWriteProtected: true,
      verifiesCertificate: true,
    });
    const entry = anEntry('Inserted', {
      inserted: true,
      userName: 'maker',
      progress: '100.0%',
      message: 'it is there',
    });
    expect(mediaDriveOf('Cd', entry, false)).toMatchObject({
      image: entry.image,
      userName: 'maker',
      isInserted: true,
      verifiesCertificate: false,
      insertion: { id: 'i1', state: 'Done', progress: 100, message: 'it is there' },
    });
    const endedAt = '2026-01-01T00:00:09Z';
    const ejected = mediaDriveOf('Cd', { ...entry, phase: 'Ejected', endedAt }, true);
    expect(ejected).toMatchObject({ isInserted: false, insertion: { state: 'Done', endedAt: Date.parse(endedAt) } });
    expect(ejected).not.toHaveProperty('image');
    expect(mediaDriveOf('Cd', anEntry('Ejected', { progress: '42.0%' }), true).insertion?.state).toBe('Failed');
    const failed = mediaDriveOf('Cd', anEntry('Failing', { message: 'CDI could not. Insert the image again' }), true);
    expect(failed.insertion).toMatchObject({ message: 'CDI could not', resolution: 'Insert the image again.' });
  });
});

describe('the query of a pre-signed URL', () => {
  const url = 'https://images.example/a.iso?X-Amz-Signature=hush';
  const image = 'https://images.example/a.iso?***';

  it('is not shown, but tells whether a client asks for the same image', () => {
    const volume = { ...aVolume(), spec: { source: { http: { url } } } };
    const drive = mediaDriveOf('Cd', anEntry('Importing', { image }), true, volume);
    expect(drive).toMatchObject({ image, source: url });
    expect(mediaDriveOf('Cd', anEntry('Importing', { image, id: 'i2' }), true, volume)).not.toHaveProperty('source');
    expect(mediaDriveOf('Cd', anEntry('Ejected', { image }), true, volume)).not.toHaveProperty('source');
    expect(mediaDriveOf('Cd', anEntry('Importing', { image: url }), true).image).toBe(image);
  });

  it('is masked in a status from before, once the volume has the URL', () => {
    expect(nextStep(aView('Preparing', { entry: anEntry('Preparing', { image: url }), volume: undefined }))).toEqual({
      do: 'make volume',
    });
    for (const phase of ['Importing', 'Inserted'] as const)
      expect(nextStep(aView(phase, { entry: anEntry(phase, { image: url }) }))).toEqual({
        do: 'note',
        change: { image },
      });
  });
});

describe('the volume of an image', () => {
  it('has room for the image in whole MiB', () => {
    expect([1, 1024 * 1024, 1024 * 1024 + 1].map(roomFor)).toEqual(['1Mi', '1Mi', '2Mi']);
  });

  it('follows the settings of the BMC', () => {
    const bmc = aBmc();
    const entry = anEntry('Preparing', { userName: 'maker', size: '7Mi' });
    bmc.spec.redfish = {
      virtualMedia: {
        storage: { storageClassName: 'fast', volumeMode: 'Block' },
        tls: { insecureSkipVerify: true, caBundleConfigMapRef: { name: 'ca' } },
      },
    };
    expect(dataVolumeOf(bmc, 'Cd', entry)).toMatchObject({
      metadata: { name: 'a-bmc-cd', ownerReferences: [{ uid: 'bmc-1', controller: true }] },
      spec: {
        source: {
          http: { url: entry.image, secretRef: 'a-bmc-cd-login', certConfigMap: 'ca', insecureSkipVerify: true },
        },
        storage: { storageClassName: 'fast', volumeMode: 'Block', resources: { requests: { storage: '7Mi' } } },
      },
    });
    expect(dataVolumeOf(aBmc(), 'Cd', anEntry('Preparing')).spec.source?.http).toEqual({ url: entry.image });
    expect(
      loginSecretOf(bmc, 'Cd', {
        url: new URL('http://images.example/a'),
        login: { userName: 'maker', password: 'word' },
      }).data,
    ).toEqual({ accessKeyId: 'bWFrZXI=', secretKey: 'd29yZA==' });
  });
});

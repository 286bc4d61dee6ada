import { beforeAll, describe, expect, it } from 'vitest';
import { dataVolumeOf } from '../../../agent/bmc/kubevirt/media/media-volume.ts';
import {
  BOOT_OVERRIDE_ANNOTATION,
  bootOrderPatch,
  DATA_VOLUMES,
  ejectPatch,
  insertPatch,
  type JsonPatchOp,
  type MediaPlace,
  mediaPlaceIn,
  type MediaStatus,
  restorePatch,
  savedBootOf,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  vmNotePatch,
} from '../../../api/index.ts';
import {
  type Draft,
  type Event,
  EVENTS,
  type KubeClient,
  type KubeObject,
  SECRETS,
} from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { needs } from '../../tools/index.ts';
import { permit } from '../power/test-agent.ts';
import { TestMachine } from '../power/test-machine.ts';

/** What an agent's token can write, with the Role of the manager and the admission policies of the chart. */
const world = await cluster();
await world.standIns({ parts: ['kubevirt', 'cdi'] });
const { client } = world;
const namespace = await world.namespace();

const SPEC = '/spec/template/spec';
const DISKS = `${SPEC}/domain/devices/disks`;
const TEMPLATE = {
  domain: {
    memory: { guest: '64Mi' },
    devices: {
      disks: [
        { name: 'root', disk: { bus: 'virtio' } },
        { name: 'cd', cdrom: { bus: 'sata' } },
      ],
      interfaces: [{ name: 'default', masquerade: {} }],
    },
  },
  networks: [{ name: 'default', pod: {} }],
  volumes: [
    { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
    { name: 'cd', persistentVolumeClaim: { claimName: 'tools' } },
  ],
};

const machine = await TestMachine.create(world, namespace, 'web', 'Halted', TEMPLATE);
const bmc = await machine.bmcObject();
let agent: KubeClient;

beforeAll(async () => {
  agent = await world.clientFor(await permit(world, bmc));
});

const patch = (operations: readonly JsonPatchOp[]) => agent.patch(VIRTUAL_MACHINES, machine.ref, 'json', operations);
/** Repeated if KubeVirt has changed the VM since it was read. */
const change = (patchOf: (vm: VirtualMachine) => readonly JsonPatchOp[] | undefined) =>
  eventually(async () => patch(patchOf(await machine.vm()) ?? expect.fail('there is nothing to patch')));
const add = (path: string, value: unknown): JsonPatchOp => ({ op: 'add', path, value });

const REFUSED = expect.objectContaining({
  status: 403,
  serverMessage: expect.stringContaining('ValidatingAdmissionPolicy') as string,
}) as unknown;

describe('an agent is refused', needs('helm'), () => {
  it.each<[string, readonly JsonPatchOp[]]>([
    ['a volume with a Secret', [add(`${SPEC}/volumes/-`, { name: 's', secret: { secretName: 'web-creds' } })]],
    [
      'a CD-ROM drive with a Secret',
      [
        add(`${DISKS}/-`, { name: 's', cdrom: { bus: 'sata' } }),
        add(`${SPEC}/volumes/-`, { name: 's', secret: { secretName: 'web-creds' } }),
      ],
    ],
    ['a Secret in the owner’s CD-ROM drive', [add(`${SPEC}/volumes/1`, { name: 'cd', secret: { secretName: 'x' } })]],
    [
      'a claim that the owner did not put there',
      [{ op: 'replace', path: `${SPEC}/volumes/1`, value: { name: 'cd', persistentVolumeClaim: { claimName: 'db' } } }],
    ],
    [
      'a DataVolume that is not its own',
      [{ op: 'replace', path: `${SPEC}/volumes/1`, value: { name: 'cd', dataVolume: { name: 'db' } } }],
    ],
    [
      'its own DataVolume as a plain disk',
      [{ op: 'replace', path: `${SPEC}/volumes/0`, value: { name: 'root', dataVolume: { name: 'web-bmc-cd' } } }],
    ],
    [
      'a forged note of a volume to put back',
      [add('/metadata/annotations/bmc.kubevirt.io~1original-volume', 'cd persistentVolumeClaim db')],
    ],
    ['the removal of a disk', [{ op: 'remove', path: `${DISKS}/0` }]],
    ['a USB disk by another name', [add(`${DISKS}/-`, { name: 'spare', disk: { bus: 'usb', readonly: true } })]],
    [
      'another volume in a USB stick',
      [
        add(`${DISKS}/-`, { name: 'bmc-usb', disk: { bus: 'usb', readonly: true } }),
        add(`${SPEC}/volumes/-`, { name: 'bmc-usb', persistentVolumeClaim: { claimName: 'db' } }),
      ],
    ],
    ['another type of disk', [{ op: 'replace', path: `${DISKS}/0/disk/bus`, value: 'sata' }]],
    [
      'credentials from a Secret',
      [
        add(`${SPEC}/accessCredentials`, [
          { userPassword: { source: { secret: { secretName: 'x' } }, propagationMethod: { qemuGuestAgent: {} } } },
        ]),
      ],
    ],
    ['a sidecar', [add('/spec/template/metadata/annotations', { 'hooks.kubevirt.io/hookSidecars': '[]' })]],
    ['another network', [add(`${SPEC}/networks/0`, { name: 'default', multus: { networkName: 'other/lan' } })]],
    ['a MAC address', [add(`${SPEC}/domain/devices/interfaces/0/macAddress`, '02:00:00:00:00:09')]],
    ['a node', [add(`${SPEC}/nodeSelector`, { zone: 'b' })]],
    ['more processors', [add(`${SPEC}/domain/cpu`, { cores: 8 })]],
    [
      'a kernel',
      [add(`${SPEC}/domain/firmware/kernelBoot`, { container: { image: 'x', kernelPath: '/k' }, kernelArgs: 'a' })],
    ],
    ['a host device', [add(`${SPEC}/domain/devices/hostDevices`, [{ name: 'd', deviceName: 'example.com/d' }])]],
    [
      'a template of a volume',
      [
        add('/spec/dataVolumeTemplates', [
          { metadata: { name: 'd' }, spec: { source: { pvc: { name: 'db', namespace } } } },
        ]),
      ],
    ],
    ['a label', [add('/metadata/labels', { owner: 'me' })]],
    [
      'an annotation that is not the BMC’s',
      [add('/metadata/annotations', { 'static-ip.harvesterhci.io/a': '10.0.0.1' })],
    ],
    [
      'the annotation that decides whether there is a BMC',
      [add('/metadata/annotations', { 'bmc.kubevirt.io/enabled': 'false' })],
    ],
  ])('%s', async (_what, operations) => {
    const before = await machine.vm();
    if (before.metadata.annotations === undefined) {
      await client.patch(VIRTUAL_MACHINES, machine.ref, 'merge', { metadata: { annotations: { owner: 'me' } } });
    }
    await expect(patch(operations)).rejects.toEqual(REFUSED);
  });

  it.each<[string, object]>([
    ['another Secret as its credentials', { spec: { authSecretRef: { name: 'other' } } }],
    ['another Secret as its certificate', { spec: { redfish: { tls: { secretRef: { name: 'x' } } } } }],
    ['other hosts of images', { spec: { redfish: { virtualMedia: { allowedHosts: ['10.0.0.1'] } } } }],
    ['another image for its pod', { spec: { agent: { image: 'example.invalid/x' } } }],
    ['a label of its BMC', { metadata: { labels: { owner: 'me' } } }],
  ])('%s', async (_what, change) => {
    await expect(agent.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', change)).rejects.toEqual(REFUSED);
  });

  const imported = (): KubeObject & { spec: { source: object; storage: object } } => {
    const entry = { volume: 'web-bmc-cd', image: 'https://example.invalid/a.iso', size: '1Mi', id: '1' };
    return dataVolumeOf(bmc, 'Cd', entry as MediaStatus) as never; // of an insertion
  };
  const http = { url: 'https://example.invalid/a.iso' };

  it.each<[string, object, object?]>([
    ['a copy of another volume', { source: { pvc: { namespace, name: 'db' } } }],
    ['a copy of a snapshot', { source: { snapshot: { namespace, name: 'db' } } }],
    ['an image of a registry', { source: { registry: { url: 'docker://example.invalid/x', secretRef: 'x' } } }],
    ['an image with the login in another Secret', { source: { http: { ...http, secretRef: 'web-creds' } } }],
    ['an image with headers from a Secret', { source: { http: { ...http, secretExtraHeaders: ['web-creds'] } } }],
    ['an image with other certificates', { source: { http: { ...http, certConfigMap: 'others' } } }],
    ['a chosen volume of the cluster', { storage: { volumeName: 'pv-of-another' } }],
    ['a claim with a source', { storage: { dataSource: { kind: 'PersistentVolumeClaim', name: 'db' } } }],
    ['an annotation for CDI’s pods', {}, { 'k8s.v1.cni.cncf.io/networks': 'other/lan' }],
  ])('%s', async (_what, spec, annotations = {}) => {
    const good = imported();
    const draft = {
      ...good,
      metadata: { ...good.metadata, annotations: { ...good.metadata.annotations, ...annotations } },
      spec: {
        ...good.spec,
        ...spec,
        storage: { ...good.spec.storage, ...('storage' in spec ? (spec.storage as object) : {}) },
      },
    };
    await expect(agent.apply(DATA_VOLUMES, draft as never)).rejects.toEqual(REFUSED);
  });

  it.each(['console', 'vnc', 'vnc/screenshot'])('the %s of another VM', async (subresource) => {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances`;
    const open = (name: string) => agent.request({ method: 'GET', path: `${path}/${name}/${subresource}` });
    await expect(open('other')).rejects.toMatchObject({ status: 403 });
    // Its own VM is off, and the request is no WebSocket.
    const own: unknown = await open('web').catch((error: unknown) => error);
    expect(own).not.toMatchObject({ status: 403 });
  });

  it('a Secret that Kubernetes would fill with the token of another service account', async () => {
    const metadata = {
      ...{ namespace, name: 'web-bmc-state' },
      annotations: { 'kubernetes.io/service-account.name': 'default' },
    };
    const token = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token', metadata };
    await expect(agent.apply(SECRETS, token)).rejects.toEqual(REFUSED);
  });

  it.each<[string, Partial<Event>]>([
    ['a Secret', { involvedObject: { apiVersion: 'v1', kind: 'Secret', namespace, name: 'web-bmc' } }],
    ['another BMC', { involvedObject: { ...aboutBmc().involvedObject, name: 'other-bmc' } }],
    ['its BMC in the name of the manager', { source: { component: 'groundcrew-manager' } }],
    ['its BMC reported by the manager', { reportingComponent: 'groundcrew-manager' }],
  ])('an Event about %s', async (_what, fields) => {
    await expect(agent.create(EVENTS, { ...aboutBmc(), ...fields })).rejects.toEqual(REFUSED);
  });

  it('a change of another’s Event', async () => {
    const fields = { source: { component: 'kubelet' }, reportingComponent: 'kubelet' };
    const other = await client.create(EVENTS, { ...aboutBmc('theirs'), ...fields });
    await expect(
      agent.patch(EVENTS, { namespace, name: other.metadata.name }, 'merge', { ...aboutBmc('theirs') }),
    ).rejects.toEqual(REFUSED);
  });

  const aboutBmcCreated = (): Draft<Event> => aboutBmc('ours');

  it('nothing that it needs', async () => {
    const vm = await machine.vm();
    const saved = savedBootOf(vm, 'Pxe', 'UEFI');
    const note = { mode: 'Oneshot', ...saved };
    await change((now) => [...bootOrderPatch(now, 'Pxe', 'UEFI'), ...vmNotePatch(now, BOOT_OVERRIDE_ANNOTATION, note)]);
    await change((now) => restorePatch(now, saved));
    expect((await machine.vm()).spec.template.spec).toEqual(vm.spec.template.spec);
    const services = { ipmi: { enabled: false }, redfish: { http: { enabled: true } } };
    await agent.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: services });
    await agent.apply(DATA_VOLUMES, imported() as never);
    await agent.create(EVENTS, aboutBmcCreated());
    await agent.patch(EVENTS, { namespace, name: 'ours' }, 'merge', { count: 2 });
    const place: MediaPlace = mediaPlaceIn(vm, 'Cd', 'web-bmc-cd', false);
    expect(place).toMatchObject({ drive: 'cd', originalVolume: TEMPLATE.volumes[1] });
    await change((now) => insertPatch(now, place, { slot: 'Cd', id: 'i1' }));
    await expect(
      patch([
        { op: 'replace', path: `${SPEC}/volumes/1`, value: { name: 'cd', persistentVolumeClaim: { claimName: 'db' } } },
      ]),
    ).rejects.toEqual(REFUSED);
    const stick = mediaPlaceIn(vm, 'Usb', 'web-bmc-usb', false);
    await change((now) => insertPatch(now, stick, { slot: 'Usb', id: 'i2' }));
    await change((now) => ejectPatch(now, place));
    await change((now) => ejectPatch(now, stick));
    expect((await machine.vm()).spec.template.spec).toEqual(vm.spec.template.spec);
  });
});

it('the policies limit no other account', needs('helm'), async () => {
  await client.patch(VIRTUAL_MACHINES, machine.ref, 'merge', { metadata: { labels: { owner: 'me' } } });
});

function aboutBmc(name = 'about'): Draft<Event> & Pick<Event, 'involvedObject'> {
  return {
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { namespace, name } },
    involvedObject: { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', namespace, name: 'web-bmc' },
    ...{ type: 'Normal', reason: 'PowerOn', message: 'by admin', count: 1 },
    source: { component: 'groundcrew-agent-bmc' },
    reportingComponent: 'groundcrew-agent-bmc',
    reportingInstance: 'agent-1',
  };
}

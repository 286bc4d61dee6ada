import { isDeepStrictEqual } from 'node:util';
import { isHotpluggable } from '../hotplug/index.ts';
import { withDefaultDevices } from '../kubevirt/defaults.ts';
import type { Disk, InstanceSpec, VirtualMachine, VirtualMachineInstance } from '../kubevirt/objects.ts';

/**
 * Whether the VM's template differs from its instance in a field that KubeVirt cannot change live
 * (`syncRestartRequired`; rollout strategy LiveUpdate, the default).
 */
export function isRestartRequired(vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  if (vm.spec.template === undefined) return false;
  const isMasquerade = vmi.spec.domain.devices?.interfaces?.some((nic) => nic['masquerade'] !== undefined) === true;
  // Defaults that KubeVirt adds are not a change of the template.
  const filledIn = (spec: InstanceSpec): InstanceSpec =>
    withDefaultDevices(spec, isMasquerade ? 'masquerade' : 'bridge');
  const { spec } = vm.spec.template;
  const { cpu, memory } = vmi.spec.domain;
  const resources = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
  // The instance type is already applied to the instance.
  const resolved = vm.spec.instancetype === undefined ? spec : { ...spec, domain: { ...spec.domain, ...resources } };
  const [wanted, present] = [filledIn(resolved), filledIn(vmi.spec)];
  return (
    !isDeepStrictEqual(comparable(wanted), comparable(present)) ||
    // Sockets change live in a CPU that the template has had from the start.
    (wanted.domain.cpu === undefined) !== (present.domain.cpu === undefined) ||
    // KubeVirt compares with a revision of the template; here a paused start may be in the instance only.
    (wanted.startStrategy !== undefined && wanted.startStrategy !== present.startStrategy) ||
    haveVolumesChanged(wanted, present) ||
    haveDisksChanged(wanted, present)
  );
}

/** The spec without fields that can change live, and without those that a start or stop changes. */
function comparable(spec: InstanceSpec): unknown {
  const {
    nodeSelector: _nodeSelector,
    affinity: _affinity,
    tolerations: _tolerations,
    startStrategy: _startStrategy,
    terminationGracePeriodSeconds: _gracePeriod,
    volumes: _volumes,
    ...rest
  } = spec;
  const { sockets: _sockets, ...cpu } = spec.domain.cpu ?? {};
  const { guest: _guest, ...memory } = spec.domain.memory ?? {};
  const { disks: _disks, interfaces, ...devices } = spec.domain.devices ?? {};
  // The link of an interface is set while the guest runs.
  const links = interfaces?.map(({ state: _state, ...link }) => link);
  return plain({ ...rest, domain: { ...spec.domain, cpu, memory, devices: { ...devices, interfaces: links } } });
}

/** Only hot-pluggable volumes can change (`validLiveUpdateVolumes`). */
function haveVolumesChanged(wanted: InstanceSpec, present: InstanceSpec): boolean {
  const fixed = ({ volumes = [] }: InstanceSpec): unknown =>
    plain(
      Object.fromEntries(volumes.filter((volume) => !isHotpluggable(volume)).map((volume) => [volume.name, volume])),
    );
  return !isDeepStrictEqual(fixed(wanted), fixed(present));
}

/** A disk may change with such a volume, but the drive of a CD-ROM stays (`validLiveUpdateDisks`). */
function haveDisksChanged(wanted: InstanceSpec, present: InstanceSpec): boolean {
  const [next, old] = [disksOf(wanted), disksOf(present)];
  const changed = [...next.values()].some(
    (disk) => !hasHotpluggable(wanted, disk) && !isDeepStrictEqual(plain(disk), plain(old.get(disk.name) ?? null)),
  );
  const removed = [...old.values()].some(
    (disk) => !next.has(disk.name) && (!hasHotpluggable(present, disk) || disk['cdrom'] !== undefined),
  );
  return changed || removed;
}

function disksOf({ domain }: InstanceSpec): Map<string, Disk> {
  return new Map((domain.devices?.disks ?? []).map((disk) => [disk.name, disk]));
}

function hasHotpluggable({ volumes = [] }: InstanceSpec, { name }: Disk): boolean {
  return volumes.some((volume) => volume.name === name && isHotpluggable(volume));
}

/** Through JSON, which drops undefined fields. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

import { isDeepStrictEqual } from 'node:util';
import {
  type BootChoice,
  type BootOrders,
  bootOrdersOf,
  type BootOverrideStatus,
  carriesOrder,
  firmwareOf,
  firmwareSetupOf,
  type HttpBoot,
  httpBootOf,
  type PodBinding,
  savedBootOf,
  type SavedOverride,
  savedOverrideOf,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../../../api/index.ts';
import type { BootOverride } from '../../../../protocols/machine/index.ts';

type Firmware = BootOverride['firmware'];

/**
 * The data of a VM saved before an override changes it.
 *
 * @param binding of the interface that KubeVirt adds
 * @throws NoBootDeviceError of the api
 */
export function saveOverride(
  override: BootOverride,
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  binding?: PodBinding,
): BootOverrideStatus {
  const { device, persistence, firmware, instance, uri } = override;
  const boot = savedBootOf(vm, choiceOf(override), firmware, binding);
  return {
    mode: persistence === 'Once' ? 'Oneshot' : 'Persistent',
    ...(device === 'Usb'
      ? { target: 'Hdd' as const, instance: firstDiskOf(boot.overrideOrders), usb: instance ?? 0 }
      : { target: device, ...(instance === undefined ? {} : { instance }) }),
    ...(firmware === undefined ? {} : { firmware }),
    ...(uri === undefined ? {} : { uri }),
    vmUID: vm.metadata.uid ?? '',
    vmiUID: vmi?.metadata.uid ?? '',
    ...boot,
  };
}

/** The number of the disk that is booted from first: earlier versions know no USB disks, but disks. */
function firstDiskOf(orders: BootOrders = {}): number {
  return (
    Object.keys(orders)
      .filter((key) => key.startsWith('disk:'))
      .findIndex((key) => orders[key] === 1) + 1
  );
}

/** The change that the override makes to the VM's template. */
export function choiceOf({ device: target, persistence, instance, uri }: BootOverride): BootChoice {
  if (target === 'BiosSetup') return { target, setup: persistence };
  const http = target === 'UefiHttp' ? { persistence, ...(uri === undefined ? {} : { uri }) } : undefined;
  return { target, instance, http };
}

/** The requested override; undefined for one saved by KubeVirtBMC, which has no target. */
export function overrideOf(saved: BootOverrideStatus): BootOverride | undefined {
  if (saved.target === undefined) return undefined;
  const number = saved.usb ?? saved.instance;
  const instance = number === 0 ? undefined : number;
  return {
    device: saved.usb === undefined ? saved.target : 'Usb',
    persistence: persistenceOf(saved),
    ...(saved.firmware === undefined ? {} : { firmware: saved.firmware }),
    ...(instance === undefined ? {} : { instance }),
    ...(saved.uri === undefined ? {} : { uri: saved.uri }),
  };
}

/** Whether the override is in the VM's template; devices added or removed since are ignored. */
export function isOverridden(vm: VirtualMachine, saved: BootOverrideStatus): boolean {
  const { metadata } = vm.spec.template;
  if (!isDeepStrictEqual(httpBootOf(metadata), httpBootIn(saved))) return false;
  if (firmwareSetupOf(metadata) !== (isOfSetup(saved) ? persistenceOf(saved) : undefined)) return false;
  if (isOfSetup(saved) && vm.spec.template.spec.startStrategy !== 'Paused') return false;
  return agrees(vm, saved.overrideOrders) && hasFirmware(vm, saved.originalFirmware && saved.firmware);
}

/** Whether the override stops the machine in its firmware and leaves the boot order unchanged. */
export function isOfSetup({ target }: BootOverrideStatus): boolean {
  return target === 'BiosSetup';
}

/** Whether the VM's template has its content from before the override. */
function isOriginal(vm: VirtualMachine, saved: BootOverrideStatus): boolean {
  if (isOfSetup(saved) && (vm.spec.template.spec.startStrategy ?? 'None') !== saved.originalStartStrategy) return false;
  return agrees(vm, saved.bootOrders) && hasFirmware(vm, saved.originalFirmware);
}

/** The VM with the template that a VMI was created from, as far as it concerns booting. */
export function templateOf(vmi: VirtualMachineInstance, vm: VirtualMachine): VirtualMachine {
  const { annotations = {} } = vmi.metadata;
  return { ...vm, spec: { ...vm.spec, template: { metadata: { annotations }, spec: vmi.spec } } };
}

function httpBootIn(saved: BootOverrideStatus): HttpBoot | undefined {
  if (saved.target !== 'UefiHttp') return undefined;
  return { persistence: persistenceOf(saved), ...(saved.uri === undefined ? {} : { uri: saved.uri }) };
}

function persistenceOf({ mode }: BootOverrideStatus): BootOverride['persistence'] {
  return mode === 'Oneshot' ? 'Once' : 'Continuous';
}

function agrees(vm: VirtualMachine, orders: BootOrders = {}): boolean {
  return Object.entries(bootOrdersOf(vm)).every(([key, order]) => (orders[key] ?? order) === order);
}

function hasFirmware(vm: VirtualMachine, firmware: Firmware): boolean {
  return firmware === undefined || firmwareOf(vm.spec.template.spec.domain) === firmware;
}

export interface OverrideView {
  bmc: VirtualMachineBMC;
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
  /** ms since 1970. */
  now: number;
}

/**
 * What the override requires.
 *
 * - `none`: there is no override. - `pending`: it is in the VM's template, or others have changed the template since;
 * wait for the next boot. - `write`: others have removed it from the template; written again before a client's boot. -
 * `restore`: it was for one boot, which has started. - `lapse`: no boot was requested in time. - `adopt`: it is
 * persistent, and the VM was recreated. - `drop`: it was for one boot of a VM that is gone. - `forget`: it was undone,
 * but the BMC's status still shows it, or the other way round.
 */
export type OverrideVerdict = 'none' | 'pending' | 'write' | 'restore' | 'lapse' | 'adopt' | 'drop' | 'forget';

/** Evaluates an override from the API objects alone, so that a new agent continues after a crash at any point. */
export function evaluateOverride({ bmc, vm, vmi, now }: OverrideView): OverrideVerdict {
  const found = savedOverrideOf(bmc, vm);
  if (found === undefined) return 'none';
  const { saved, from } = found;
  // From its deletion on, the manager restores the VM.
  if (bmc.metadata.deletionTimestamp !== undefined) return 'pending';
  if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) return 'pending';
  if (from === 'copy' && saved.vmUID !== vm.metadata.uid) {
    return saved.mode === 'Persistent' && saved.target !== undefined ? 'adopt' : 'drop';
  }
  if (saved.mode === 'Oneshot' && vmi !== undefined && isConsumed(found, vm, vmi)) return 'restore';
  if (saved.expires !== undefined && Date.parse(saved.expires) <= now) return 'lapse';
  if (from === 'copy') return 'forget';
  if (!isOriginal(vm, saved) || isOverridden(vm, saved)) return 'pending';
  // An earlier version, which does not know the annotation, ran for a while and undid the override.
  return bmc.status?.bootOverride === undefined ? 'forget' : 'write';
}

/** The VMI was created after the override and boots from it. */
function isConsumed({ saved, from }: SavedOverride, vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  if (vmi.metadata.uid === (saved.vmiUID ?? '')) return false;
  if (isOverridden(templateOf(vmi, vm), saved)) return true;
  // The owner changed the template during the override; this VMI boots from the combined result.
  if (carriesOrder(vmi, vm) && !isOriginal(vm, saved)) return true;
  // The agent was killed when it had undone it in the VM, and not yet in the BMC's status, where an earlier version saved it.
  return from === 'earlier' && isOriginal(vm, saved) && !isOverridden(vm, saved);
}

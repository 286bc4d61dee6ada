import { isDeepStrictEqual } from 'node:util';
import {
  bootOrdersOf,
  firmwareOf,
  httpBootOf,
  savedBootOf,
  type BootOrders,
  type BootOverrideStatus,
  type HttpBoot,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { MachineError, type BootOverride } from '../../../protocols/machine/index.ts';

type Firmware = BootOverride['firmware'];

/**
 * What is kept of a VM before an override changes it.
 *
 * @throws MachineError `NotSupported` where KubeVirt has no such thing
 * @throws NoBootDeviceError of the api
 */
export function saveOverride(
  override: BootOverride,
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
): BootOverrideStatus {
  const { device, persistence, firmware, instance, uri } = override;
  if (device === 'BiosSetup') {
    throw new MachineError(
      'NotSupported',
      'KubeVirt cannot be told to enter the firmware setup: open the console (virtctl vnc) and press the key while it boots',
    );
  }
  return {
    mode: persistence === 'Once' ? 'Oneshot' : 'Persistent',
    target: device,
    ...(instance === undefined ? {} : { instance }),
    ...(firmware === undefined ? {} : { firmware }),
    ...(uri === undefined ? {} : { uri }),
    vmUID: vm.metadata.uid ?? '',
    vmiUID: vmi?.metadata.uid ?? '',
    ...savedBootOf(vm, { target: device, instance }, firmware),
  };
}

/** The override as it was asked for; undefined for one that KubeVirtBMC saved, which knows no target. */
export function overrideOf(saved: BootOverrideStatus): BootOverride | undefined {
  if (saved.target === undefined) return undefined;
  return {
    device: saved.target,
    persistence: saved.mode === 'Oneshot' ? 'Once' : 'Continuous',
    ...(saved.firmware === undefined ? {} : { firmware: saved.firmware }),
    ...(saved.instance === undefined ? {} : { instance: saved.instance }),
    ...(saved.uri === undefined ? {} : { uri: saved.uri }),
  };
}

/** Whether a VM's template is as the override writes it; devices that came or went since do not count. */
export function isOverridden(vm: VirtualMachine, saved: BootOverrideStatus): boolean {
  if (!isDeepStrictEqual(httpBootOf(vm.spec.template.metadata), httpBootIn(saved))) return false;
  return agrees(vm, saved.overrideOrders) && hasFirmware(vm, saved.originalFirmware && saved.firmware);
}

/** What is noted on the template beside the boot order; undefined: nothing. */
export function httpBootIn({ target, mode, uri }: BootOverrideStatus): HttpBoot | undefined {
  if (target !== 'UefiHttp') return undefined;
  return { persistence: mode === 'Oneshot' ? 'Once' : 'Continuous', ...(uri === undefined ? {} : { uri }) };
}

/** Whether a VM's template is as it was before the override. */
export function isOriginal(vm: VirtualMachine, saved: BootOverrideStatus): boolean {
  return agrees(vm, saved.bootOrders) && hasFirmware(vm, saved.originalFirmware);
}

/** A VM whose template is what a VMI was made from, as far as booting goes. */
export function templateOf(vmi: VirtualMachineInstance, vm: VirtualMachine): VirtualMachine {
  const { annotations = {} } = vmi.metadata;
  return { ...vm, spec: { ...vm.spec, template: { metadata: { annotations }, spec: vmi.spec } } };
}

function agrees(vm: VirtualMachine, orders: BootOrders = {}): boolean {
  return Object.entries(bootOrdersOf(vm)).every(([key, order]) => (orders[key] ?? order) === order);
}

function hasFirmware(vm: VirtualMachine, firmware: Firmware): boolean {
  return firmware === undefined || firmwareOf(vm.spec.template.spec.domain) === firmware;
}

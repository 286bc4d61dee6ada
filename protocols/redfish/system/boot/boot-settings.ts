import type { BootDevice, BootOption, BootOverride, Machine } from '../../../machine/index.ts';
import type { StoredBoot } from '../../state.ts';
import { bootOptionNamed, devicePathOf, referenceOf } from '../boot-options/index.ts';

/** The boot override as Redfish has it: each property is set by itself, and together they say what the next boot is from. */
export type BootSettings = StoredBoot;

export const TARGETS = ['None', 'Pxe', 'Hdd', 'Cd', 'BiosSetup', 'UefiHttp', 'UefiTarget', 'UefiBootNext'] as const;
export const ENABLED = ['Disabled', 'Once', 'Continuous'] as const;
export const MODES = ['UEFI', 'Legacy'] as const;

const DEVICES: readonly BootDevice[] = ['Pxe', 'Hdd', 'Cd', 'UefiHttp', 'BiosSetup'];

/** What clients wrote last, as long as it is what the machine has; what the machine has otherwise: a boot has used it up, or IPMI has set it. */
export function bootSettingsOf(machine: Machine, stored: BootSettings | undefined): BootSettings {
  const override = machine.bootOverride();
  const holds =
    stored !== undefined &&
    asksForOverride(stored) === (override !== undefined) &&
    isSame(overrideOf(stored, machine), override);
  return holds ? stored : settingsOf(override, machine);
}

/** What it asks for may be gone, so that it comes to none. */
function asksForOverride({ enabled, target }: BootSettings): boolean {
  return enabled !== 'Disabled' && target !== 'None';
}

/** The machine's override that the settings come to; undefined: none. */
export function overrideOf(settings: BootSettings, machine: Machine): BootOverride | undefined {
  const { enabled, target, mode: firmware, httpBootUri: uri } = settings;
  if (enabled === 'Disabled') return undefined;
  const persistence = enabled;
  const option = optionOf(settings, machine);
  if (option !== undefined) {
    const { device, instance } = option;
    return { device, instance, persistence, ...(firmware && { firmware }) };
  }
  const device = DEVICES.find((known) => known === target);
  if (device === undefined) return undefined;
  const image = device === 'UefiHttp' ? uri : undefined;
  return { device, persistence, ...(firmware && { firmware }), ...(image !== undefined && { uri: image }) };
}

/** How an override reads that nobody described otherwise. */
export function settingsOf(override: BootOverride | undefined, machine: Machine): BootSettings {
  if (override === undefined) return { enabled: 'Disabled', target: 'None' };
  const { device, instance, persistence: enabled, firmware: mode, uri: httpBootUri } = override;
  const common = { enabled, ...(mode && { mode }), ...(httpBootUri !== undefined && { httpBootUri }) };
  const option = machine.bootOptions().find((other) => other.device === device && other.instance === instance);
  if (option === undefined) return { ...common, target: device };
  return {
    ...common,
    target: 'UefiTarget',
    uefiTarget: devicePathOf(option, machine.hardware()) ?? referenceOf(option),
  };
}

export function isSame(a: BootOverride | undefined, b: BootOverride | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (['device', 'persistence', 'firmware', 'instance', 'uri'] as const).every((field) => a[field] === b[field]);
}

/** The one device that the target names. */
function optionOf({ target, uefiTarget, bootNext }: BootSettings, machine: Machine): BootOption | undefined {
  const name = target === 'UefiTarget' ? uefiTarget : target === 'UefiBootNext' ? bootNext : undefined;
  return name === undefined ? undefined : bootOptionNamed(name, machine);
}

import type { BootDevice, BootOption, BootOverride, Machine } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import type { ObjectRule } from '../rules.ts';
import type { StoredBoot } from '../state.ts';
import { link } from '../uris.ts';
import { bootOptionNamed, devicePathOf, referenceOf } from './boot-option.ts';
import { BOOT_OPTIONS } from './part.ts';

/** A System's `Boot`. */
export function describeBoot(machine: Machine, stored: StoredBoot | undefined): JsonObject {
  const { enabled, target, mode, httpBootUri, uefiTarget, bootNext } = bootSettingsOf(machine, stored);
  const options = machine.bootOptions();
  const hardware = machine.hardware();
  return {
    BootSourceOverrideEnabled: enabled,
    'BootSourceOverrideEnabled@Redfish.AllowableValues': ENABLED,
    BootSourceOverrideTarget: target,
    'BootSourceOverrideTarget@Redfish.AllowableValues': TARGETS,
    BootSourceOverrideMode: mode ?? machine.bootMode() ?? null,
    'BootSourceOverrideMode@Redfish.AllowableValues': MODES,
    HttpBootUri: httpBootUri ?? null,
    UefiTargetBootSourceOverride: uefiTarget ?? null,
    'UefiTargetBootSourceOverride@Redfish.AllowableValues': options.map(
      (option) => devicePathOf(option, hardware) ?? referenceOf(option),
    ),
    BootNext: bootNext ?? null,
    BootOptions: link(BOOT_OPTIONS),
    BootOrder: inOrder(options).map(referenceOf),
  };
}

/** The options in the machine's own boot order. */
export function inOrder(options: readonly BootOption[]): BootOption[] {
  return options.filter(({ order }) => order !== undefined).toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
}

/** The boot override as Redfish properties, which can be set one by one. */
export type BootSettings = StoredBoot;

const TARGETS = ['None', 'Pxe', 'Hdd', 'Cd', 'Usb', 'BiosSetup', 'UefiHttp', 'UefiTarget', 'UefiBootNext'] as const;
export const ENABLED = ['Disabled', 'Once', 'Continuous'] as const;
export const MODES = ['UEFI', 'Legacy'] as const;

const DEVICES: readonly BootDevice[] = ['Pxe', 'Hdd', 'Cd', 'Usb', 'UefiHttp', 'BiosSetup'];

/**
 * The settings that clients wrote last, while they match the machine's override; otherwise the machine's: the override was used by
 * a boot or set by IPMI.
 */
export function bootSettingsOf(machine: Machine, stored: BootSettings | undefined): BootSettings {
  const override = machine.bootOverride();
  const holds =
    stored !== undefined &&
    asksForOverride(stored) === (override !== undefined) &&
    isSame(overrideOf(stored, machine), override);
  return holds ? withoutIdleMode(stored) : settingsOf(override, machine);
}

/** Without an override, the mode is the machine's own and not part of the settings. Earlier versions stored it. */
export function withoutIdleMode(settings: BootSettings): BootSettings {
  const { mode: _idle, ...rest } = settings;
  return asksForOverride(settings) ? settings : rest;
}

/** Whether an override is requested. `overrideOf` can still be undefined: the requested device may no longer exist. */
export function asksForOverride({ enabled, target }: BootSettings): boolean {
  return enabled !== 'Disabled' && target !== 'None';
}

/** The machine's override for the settings; undefined: none. */
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

/** The settings for an override that was not set through Redfish. */
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

/** The single device that the target names. */
function optionOf({ target, uefiTarget, bootNext }: BootSettings, machine: Machine): BootOption | undefined {
  const name = target === 'UefiTarget' ? uefiTarget : target === 'UefiBootNext' ? bootNext : undefined;
  return name === undefined ? undefined : bootOptionNamed(name, machine);
}

/** The writable properties of a System's `Boot`. */
export const BOOT_RULES: ObjectRule = {
  kind: 'object',
  properties: {
    BootSourceOverrideEnabled: { kind: 'word', words: ENABLED },
    BootSourceOverrideTarget: { kind: 'word', words: TARGETS },
    BootSourceOverrideMode: { kind: 'word', words: MODES },
    // An empty URI clears it, as null does.
    HttpBootUri: { kind: 'text', maxLength: 1024, pattern: /^(https?:\/\/\S+)?$/i, isNullable: true },
    UefiTargetBootSourceOverride: { kind: 'text', maxLength: 256, isNullable: true },
    BootNext: { kind: 'text', maxLength: 256, isNullable: true },
    BootOrder: { kind: 'list', maxItems: 256, items: { kind: 'text', maxLength: 256 } },
  },
};

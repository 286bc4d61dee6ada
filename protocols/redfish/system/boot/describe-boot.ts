import type { BootOption, Machine } from '../../../machine/index.ts';
import type { JsonObject } from '../../json.ts';
import type { StoredBoot } from '../../state.ts';
import { link } from '../../uris.ts';
import { devicePathOf, referenceOf } from '../boot-options/index.ts';
import { BOOT_OPTIONS } from '../paths.ts';
import { bootSettingsOf, ENABLED, MODES, TARGETS } from './boot-settings.ts';

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
    BootSourceOverrideMode: mode ?? hardware.firmware ?? null,
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

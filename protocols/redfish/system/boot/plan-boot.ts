import type { BootOverride, Machine } from '../../../machine/index.ts';
import type { Json, JsonObject } from '../../json.ts';
import { base, RedfishError } from '../../messages/index.ts';
import type { StoredBoot } from '../../state.ts';
import { bootOptionNamed } from '../boot-options/index.ts';
import { type BootSettings, bootSettingsOf, ENABLED, isSame, MODES, overrideOf, settingsOf } from './boot-settings.ts';
import { inOrder } from './describe-boot.ts';

/** What a PATCH of `Boot` comes to. */
export interface BootPlan {
  readonly settings: BootSettings;
  /** Undefined: it stays as it is. */
  readonly override?: { readonly to: BootOverride | undefined };
  /** The machine's boot order that is to be, as its own IDs of options; undefined: it stays as it is. */
  readonly order?: readonly string[];
  /** What is to be stored so that the settings are read back as they were written; undefined: the machine tells all. */
  readonly stored?: StoredBoot;
}

/**
 * What is left out stays as it is, with two exceptions, as clients mean them: a target while none is enabled is for one boot, and the
 * override is disabled by target `None` as well as by `Disabled`.
 *
 * @throws RedfishError 400 where the settings contradict each other, or name something that there is none of
 */
export function planBoot(changes: JsonObject, machine: Machine, stored: StoredBoot | undefined): BootPlan {
  const settings = settingsAfter(changes, bootSettingsOf(machine, stored));
  checkSettings(settings, changes, machine);
  const order = orderOf(changes['BootOrder'], machine);
  const override = overrideOf(settings, machine);
  const current = machine.bootOverride();
  // The same once more is told to the machine, too: it ends the time after which another protocol's override lapses.
  const isAsked = override !== undefined && changes['BootSourceOverrideTarget'] !== undefined;
  return {
    settings,
    ...((isAsked || !isSame(override, current)) && { override: { to: override } }),
    ...(order && { order }),
    ...(isPlain(settings, override, machine) ? {} : { stored: settings }),
  };
}

function settingsAfter(changes: JsonObject, before: BootSettings): BootSettings {
  const wantedTarget = changes['BootSourceOverrideTarget'];
  const wantedEnabled = ENABLED.find((word) => word === changes['BootSourceOverrideEnabled']);
  const target =
    typeof wantedTarget === 'string' ? wantedTarget : wantedEnabled === 'Disabled' ? 'None' : before.target;
  const mode = MODES.find((word) => word === changes['BootSourceOverrideMode']) ?? inheritedMode(target, before);
  return {
    enabled: wantedEnabled ?? enabledBy(wantedTarget, before),
    target,
    ...(mode && { mode }),
    ...text('httpBootUri', changes['HttpBootUri'], before),
    ...text('uefiTarget', changes['UefiTargetBootSourceOverride'], before),
    ...text('bootNext', changes['BootNext'], before),
  };
}

function enabledBy(target: Json | undefined, { enabled }: BootSettings): BootSettings['enabled'] {
  if (target === undefined) return enabled;
  if (target === 'None') return 'Disabled';
  // UEFI's BootNext is for one boot by its nature.
  return enabled === 'Disabled' || target === 'UefiBootNext' ? 'Once' : enabled;
}

/** Nothing but UEFI boots by HTTP, whatever mode another target was meant to boot in. */
function inheritedMode(target: string, { mode }: BootSettings): BootSettings['mode'] {
  return target === 'UefiHttp' ? 'UEFI' : mode;
}

type TextName = 'httpBootUri' | 'uefiTarget' | 'bootNext';

function text(name: TextName, change: Json | undefined, before: BootSettings): { readonly [key in TextName]?: string } {
  const value = change === undefined ? before[name] : change;
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}

function checkSettings(
  { enabled, target, mode, uefiTarget, bootNext }: BootSettings,
  changes: JsonObject,
  machine: Machine,
): void {
  checkOption('UefiTargetBootSourceOverride', uefiTarget, changes, machine);
  checkOption('BootNext', bootNext, changes, machine);
  if (enabled === 'Disabled') return;
  if (target === 'UefiTarget') checkNamed('UefiTargetBootSourceOverride', uefiTarget, machine);
  if (target === 'UefiBootNext') checkNamed('BootNext', bootNext, machine);
  if (target === 'UefiBootNext' && enabled === 'Continuous')
    throw conflict('BootSourceOverrideEnabled', 'BootSourceOverrideTarget');
  if (target === 'UefiHttp' && mode === 'Legacy') throw conflict('BootSourceOverrideMode', 'BootSourceOverrideTarget');
}

/** One that the client names has to exist. */
function checkOption(property: string, value: string | undefined, changes: JsonObject, machine: Machine): void {
  if (value === undefined || changes[property] !== value || bootOptionNamed(value, machine) !== undefined) return;
  throw notInList(value, property, property);
}

/** A target that refers to an option needs one that exists. */
function checkNamed(property: string, value: string | undefined, machine: Machine): void {
  if (value === undefined || bootOptionNamed(value, machine) === undefined)
    throw conflict('BootSourceOverrideTarget', property);
}

function orderOf(order: Json | undefined, machine: Machine): string[] | undefined {
  if (!Array.isArray(order)) return undefined;
  const names = order.map(String);
  const wanted = names.map((name, index) => {
    const option = bootOptionNamed(name, machine);
    if (option === undefined || names.indexOf(name) !== index) throw notInList(name, 'BootOrder', `BootOrder/${index}`);
    return option.id;
  });
  // bmclib sends all of Boot back with what it changes.
  const current = inOrder(machine.bootOptions());
  return wanted.length > 0 && wanted.join() === current.map(({ id }) => id).join() ? undefined : wanted;
}

/** Whether the machine's override alone reads as the settings do. */
function isPlain(settings: BootSettings, override: BootOverride | undefined, machine: Machine): boolean {
  const plain = settingsOf(override, machine);
  const names = ['enabled', 'target', 'mode', 'httpBootUri', 'uefiTarget', 'bootNext'] as const;
  return names.every((name) => settings[name] === plain[name]);
}

function conflict(property: string, other: string): RedfishError {
  return new RedfishError(400, [base('PropertyValueConflict', [property, other], [`#/Boot/${property}`])]);
}

function notInList(value: string, property: string, pointer: string): RedfishError {
  return new RedfishError(400, [base('PropertyValueNotInList', [value, property], [`#/Boot/${pointer}`])]);
}

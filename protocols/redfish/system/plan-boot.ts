import type { BootOverride, Machine } from '../../machine/index.ts';
import type { Json, JsonObject } from '../json.ts';
import { base, type Message, RedfishError } from '../messages.ts';
import type { StoredBoot } from '../state.ts';
import { bootOptionNamed } from './boot-option.ts';
import {
  asksForOverride,
  type BootSettings,
  bootSettingsOf,
  ENABLED,
  inOrder,
  isSame,
  MODES,
  overrideOf,
  settingsOf,
  withoutIdleMode,
} from './boot.ts';

/** The effects of a PATCH of `Boot`. */
export interface BootPlan {
  readonly settings: BootSettings;
  /** Undefined: unchanged. */
  readonly override?: { readonly to: BootOverride | undefined };
  /** The new boot order as the machine's option IDs; undefined: unchanged. */
  readonly order?: readonly string[];
  /** The machine's own boot mode; undefined: unchanged. */
  readonly mode?: 'UEFI' | 'Legacy';
  /** What the client should know. */
  readonly messages: readonly Message[];
  /** Settings to store, to be read back as written; undefined: the machine's override shows all. */
  readonly stored?: StoredBoot;
}

/**
 * Missing properties are unchanged, with two exceptions: a target while the override is disabled is set for one boot, and target
 * `None` disables the override like `Disabled`. A mode that is not the override's is the machine's own, from the next boot on.
 *
 * @throws RedfishError 400 if the settings contradict each other or name something that does not exist
 */
export function planBoot(changes: JsonObject, machine: Machine, stored: StoredBoot | undefined): BootPlan {
  const before = bootSettingsOf(machine, stored);
  const settings = settingsAfter(changes, before);
  checkSettings(settings, changes, machine);
  const order = orderOf(changes['BootOrder'], machine);
  const override = overrideOf(settings, machine);
  const current = machine.bootOverride();
  // An unchanged target is set again, to end the expiry of another protocol's override.
  const isAsked = override !== undefined && changes['BootSourceOverrideTarget'] !== undefined;
  return {
    settings,
    ...((isAsked || !isSame(override, current)) && { override: { to: override } }),
    ...(order && { order }),
    ...ownModeIn(changes, settings, before, machine),
    ...(isPlain(settings, override, machine) ? {} : { stored: settings }),
  };
}

function settingsAfter(changes: JsonObject, before: BootSettings): BootSettings {
  const wantedTarget = changes['BootSourceOverrideTarget'];
  const wantedEnabled = ENABLED.find((word) => word === changes['BootSourceOverrideEnabled']);
  const target =
    typeof wantedTarget === 'string' ? wantedTarget : wantedEnabled === 'Disabled' ? 'None' : before.target;
  const mode = (isModeOfOverride(changes, before) ? modeIn(changes) : undefined) ?? inheritedMode(target, before);
  return withoutIdleMode({
    enabled: wantedEnabled ?? enabledBy(wantedTarget, before),
    target,
    ...(mode && { mode }),
    ...text('httpBootUri', changes['HttpBootUri'], before),
    ...text('uefiTarget', changes['UefiTargetBootSourceOverride'], before),
    ...text('bootNext', changes['BootNext'], before),
  });
}

function modeIn(changes: JsonObject): BootSettings['mode'] {
  return MODES.find((word) => word === changes['BootSourceOverrideMode']);
}

/**
 * Whether a mode in the changes is the override's: target or duration are written with it, or the override in force has
 * chosen a mode. Ironic writes the mode alone, beside an override that an earlier deployment has left.
 */
function isModeOfOverride(changes: JsonObject, before: BootSettings): boolean {
  const { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled } = changes;
  return before.mode !== undefined || target !== undefined || enabled !== undefined;
}

/** bmclib sends all of Boot back: the unchanged mode of an override that ends is not meant for the machine itself. */
function ownModeIn(
  changes: JsonObject,
  after: BootSettings,
  before: BootSettings,
  machine: Machine,
): Pick<BootPlan, 'mode' | 'messages'> {
  const property = 'BootSourceOverrideMode';
  const wanted = modeIn(changes);
  const own = machine.bootMode();
  const isOverrides = asksForOverride(after) && isModeOfOverride(changes, before);
  if (wanted === undefined || wanted === own || isOverrides) return { messages: [] };
  if (wanted !== before.mode) return { mode: wanted, messages: [] };
  return { messages: [base('PropertyValueModified', [property, own ?? 'null'], [`#/Boot/${property}`])] };
}

function enabledBy(target: Json | undefined, { enabled }: BootSettings): BootSettings['enabled'] {
  if (target === undefined) return enabled;
  if (target === 'None') return 'Disabled';
  // UEFI's BootNext is always for one boot.
  return enabled === 'Disabled' || target === 'UefiBootNext' ? 'Once' : enabled;
}

/** UefiHttp always uses UEFI, whatever mode was set for another target, and leaves it to no other target. */
function inheritedMode(target: string, before: BootSettings): BootSettings['mode'] {
  if (target === 'UefiHttp') return 'UEFI';
  return before.target === 'UefiHttp' ? undefined : before.mode;
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

/** An option named by the client must exist. */
function checkOption(property: string, value: string | undefined, changes: JsonObject, machine: Machine): void {
  if (value === undefined || changes[property] !== value || bootOptionNamed(value, machine) !== undefined) return;
  throw notInList(value, property, property);
}

/** A target that refers to an option requires an existing option. */
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
  // bmclib sends all of Boot back with its changes.
  const current = inOrder(machine.bootOptions());
  return wanted.length > 0 && wanted.join() === current.map(({ id }) => id).join() ? undefined : wanted;
}

/** Whether the machine's override alone expresses the settings. */
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

import type { Machine } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';
import type { RedfishOptions } from '../options.ts';
import type { Action, Patch, Resource, Route } from '../resource.ts';
import { link, REGISTRIES } from '../uris.ts';
import { BIOS } from './part.ts';

const TYPE = 'Bios.v1_2_3.Bios';
const SETTINGS = `${BIOS}/Settings`;

/** Bios, its Settings and its attribute registry. */
export function biosRoutes(machine: Machine): Route[] {
  return [
    { path: BIOS, find: () => bios(machine) },
    { path: SETTINGS, entity: 'Bios', find: () => settings(machine) },
    { path: `${REGISTRIES}/BiosAttributeRegistry.json`, find: () => registry },
  ];
}

function bios(machine: Machine): Resource {
  return {
    type: TYPE,
    read: () => ({
      Id: 'Bios',
      Name: 'BIOS configuration',
      AttributeRegistry: REGISTRY_ID,
      Attributes: attributesOf(machine),
      '@Redfish.Settings': {
        '@odata.type': '#Settings.v1_4_0.Settings',
        SettingsObject: link(SETTINGS),
        SupportedApplyTimes: ['OnReset'],
        Messages: [],
      },
    }),
    actions: [resetBios],
  };
}

/** Attributes that change at the next boot. Clients set them in Boot and SecureBoot. */
function settings(machine: Machine): Resource {
  return {
    type: TYPE,
    read: () => ({
      Id: 'Settings',
      Name: 'BIOS configuration from the next boot on',
      AttributeRegistry: REGISTRY_ID,
      Attributes: pendingOf(machine),
    }),
    patch: refusal(machine),
  };
}

/** A PATCH that gives the reason for each attribute; a missing PATCH would give none. */
function refusal(machine: Machine): Patch {
  return {
    rules: { kind: 'object', properties: { Attributes: { kind: 'object', properties: {}, isOpen: true } } },
    apply: ({ Attributes: wanted }) => {
      const known = attributesOf(machine);
      const messages = Object.keys(wanted ?? {}).map((name) =>
        base(Object.hasOwn(known, name) ? 'PropertyNotWritable' : 'PropertyUnknown', [name], [`#/Attributes/${name}`]),
      );
      return messages.length === 0 ? Promise.resolve(undefined) : Promise.reject(new RedfishError(400, messages));
    },
  };
}

/** No effect: the owner's settings are the defaults. */
const resetBios: Action = {
  name: 'Bios.ResetBios',
  rules: { kind: 'object', properties: {} },
  run: () => undefined,
};

const registry: Resource = {
  type: 'AttributeRegistry.v1_4_0.AttributeRegistry',
  read: () => ({
    Id: REGISTRY_ID,
    Name: 'BIOS attributes',
    Language: 'en',
    OwningEntity: 'Groundcrew',
    RegistryVersion: '1.0.0',
    RegistryEntries: { Attributes: DEFINITIONS },
  }),
};

/** ID of the registry that describes the attributes. */
const REGISTRY_ID = 'BiosAttributeRegistry.v1_0_0';

/** The known settings of the running machine, or of its next boot while it is off. */
function attributesOf(machine: Machine): JsonObject {
  const { firmware, secureBoot } = machine.hardware();
  return {
    ...(firmware && { BootMode: firmware }),
    ...(secureBoot !== undefined && { SecureBoot: secureBoot }),
  };
}

function pendingOf(machine: Machine): JsonObject {
  const current = attributesOf(machine);
  const next = { BootMode: machine.bootMode(), SecureBoot: machine.secureBoot() };
  return Object.fromEntries(
    Object.entries(next).flatMap(([name, value]) =>
      value === undefined || value === current[name] ? [] : [[name, value]],
    ),
  );
}

/** Definitions of the attributes for AttributeRegistry; all are read-only. */
const DEFINITIONS: readonly JsonObject[] = [
  {
    AttributeName: 'BootMode',
    DisplayName: 'Boot mode',
    HelpText:
      'The firmware of the running machine. Boot.BootSourceOverrideMode of the system, without an override, sets it from the next boot on.',
    Type: 'Enumeration',
    ReadOnly: true,
    Value: [
      { ValueName: 'UEFI', ValueDisplayName: 'UEFI' },
      { ValueName: 'Legacy', ValueDisplayName: 'BIOS' },
    ],
  },
  {
    AttributeName: 'SecureBoot',
    DisplayName: 'Secure Boot',
    HelpText: 'Whether the machine boots only signed systems.',
    Type: 'Boolean',
    ReadOnly: true,
  },
];

/** Secure Boot: the current state, and the state from the next boot, which clients can change. */
export function secureBoot({ machine, observer }: RedfishOptions): Resource {
  return {
    type: 'SecureBoot.v1_1_2.SecureBoot',
    read: () => {
      const { secureBoot: isOn, firmware } = machine.hardware();
      // BIOS firmware does not support Secure Boot.
      const isOff = firmware === 'Legacy' ? false : undefined;
      return {
        Id: 'SecureBoot',
        Name: 'Secure Boot',
        SecureBootEnable: machine.secureBoot() ?? isOff ?? null,
        SecureBootCurrentBoot: currentBoot(isOn ?? isOff),
        // The keys in the firmware's variables are not known.
        SecureBootMode: null,
        // Without the object, sushy fails where it looks for an action.
        Actions: {},
      };
    },
    patch: {
      rules: { kind: 'object', properties: { SecureBootEnable: { kind: 'flag' } } },
      apply: async ({ SecureBootEnable: wanted }, { requester }) => {
        const isOn = wanted === true;
        const was = machine.secureBoot();
        await machine.setSecureBoot(isOn, requester);
        // Clients may write back what they have read.
        if (was !== isOn)
          observer.audited(requester, `Secure Boot was switched ${isOn ? 'on' : 'off'} from the next boot on`);
        return undefined;
      },
    },
  };
}

function currentBoot(isOn: boolean | undefined): string | null {
  if (isOn === undefined) return null;
  return isOn ? 'Enabled' : 'Disabled';
}

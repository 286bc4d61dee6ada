import type { Hardware } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';
import type { RedfishOptions } from '../options.ts';
import type { Action, Patch, Resource, Route } from '../resource.ts';
import { link, REGISTRIES } from '../uris.ts';
import { BIOS } from './part.ts';

const TYPE = 'Bios.v1_2_3.Bios';
const SETTINGS = `${BIOS}/Settings`;

/** Bios, its Settings and its attribute registry. */
export function biosRoutes(hardware: () => Hardware): Route[] {
  return [
    { path: BIOS, find: () => bios(hardware) },
    { path: SETTINGS, entity: 'Bios', find: () => settings(hardware) },
    { path: `${REGISTRIES}/BiosAttributeRegistry.json`, find: () => registry },
  ];
}

function bios(hardware: () => Hardware): Resource {
  return {
    type: TYPE,
    read: () => ({
      Id: 'Bios',
      Name: 'BIOS configuration',
      AttributeRegistry: REGISTRY_ID,
      Attributes: attributesOf(hardware()),
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

/** Attributes pending for the next boot: always empty. */
function settings(hardware: () => Hardware): Resource {
  return {
    type: TYPE,
    read: () => ({
      Id: 'Settings',
      Name: 'BIOS configuration from the next boot on',
      AttributeRegistry: REGISTRY_ID,
      Attributes: {},
    }),
    patch: refusal(hardware),
  };
}

/** A PATCH that gives the reason for each attribute; a missing PATCH would give none. */
function refusal(hardware: () => Hardware): Patch {
  return {
    rules: { kind: 'object', properties: { Attributes: { kind: 'object', properties: {}, isOpen: true } } },
    apply: ({ Attributes: wanted }) => {
      const known = attributesOf(hardware());
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

/** Known firmware settings. They belong to the owner, in the machine's configuration. */
function attributesOf({ firmware, secureBoot }: Hardware): JsonObject {
  return {
    ...(firmware && { BootMode: firmware }),
    ...(secureBoot !== undefined && { SecureBoot: secureBoot }),
  };
}

/** Definitions of the attributes for AttributeRegistry; all are read-only. */
const DEFINITIONS: readonly JsonObject[] = [
  {
    AttributeName: 'BootMode',
    DisplayName: 'Boot mode',
    HelpText: 'The firmware that the machine boots with unless a boot override sets another one.',
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

import type { Hardware } from '../../../machine/index.ts';
import { base, RedfishError } from '../../messages/index.ts';
import type { Action, Patch, Resource, Route } from '../../resource.ts';
import { link, REGISTRIES } from '../../uris.ts';
import { BIOS } from '../paths.ts';
import { attributesOf, DEFINITIONS, REGISTRY_ID } from './attributes.ts';

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
  run: () => Promise.resolve(undefined),
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

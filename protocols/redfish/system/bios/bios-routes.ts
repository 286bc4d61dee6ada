import type { Hardware } from '../../../machine/index.ts';
import { base, RedfishError } from '../../messages/index.ts';
import type { Action, Patch, Resource, Route } from '../../resource.ts';
import { link, REGISTRIES } from '../../uris.ts';
import { BIOS } from '../paths.ts';
import { attributesOf, DEFINITIONS, REGISTRY_ID } from './attributes.ts';

const TYPE = 'Bios.v1_2_3.Bios';
const SETTINGS = `${BIOS}/Settings`;

/** The firmware's attributes, where they would be changed, and what describes them. */
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

/** Attributes that wait for the next boot: none ever does. */
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

/** Says of each attribute why it stays as it is, where a missing PATCH would say no more than that there is none. */
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

/** The attributes are the owner's, whose word is the default: there is nothing to do. */
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

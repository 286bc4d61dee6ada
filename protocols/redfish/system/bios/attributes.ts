import type { Hardware } from '../../../machine/index.ts';
import type { JsonObject } from '../../json.ts';

/** ID of the registry that describes the attributes. */
export const REGISTRY_ID = 'BiosAttributeRegistry.v1_0_0';

/** Known firmware settings. They belong to the owner, in the machine's configuration. */
export function attributesOf({ firmware, secureBoot }: Hardware): JsonObject {
  return {
    ...(firmware && { BootMode: firmware }),
    ...(secureBoot !== undefined && { SecureBoot: secureBoot }),
  };
}

/** Definitions of the attributes for AttributeRegistry; all are read-only. */
export const DEFINITIONS: readonly JsonObject[] = [
  {
    AttributeName: 'BootMode',
    DisplayName: 'Boot mode',
    HelpText: 'The firmware that the machine boots with where no boot override says otherwise.',
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
    HelpText: 'Whether the machine boots signed systems alone.',
    Type: 'Boolean',
    ReadOnly: true,
  },
];

import type { Hardware } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { link, SYSTEM } from '../uris.ts';
import { type Part, WELL } from './part.ts';

/** The TPM. Its keys and measurements are only in the guest. */
export function trustedComponentsOf({ hasTpm }: Pick<Hardware, 'hasTpm'>): Part[] {
  if (hasTpm !== true) return [];
  return [
    {
      id: 'TPM',
      resource: {
        type: 'TrustedComponent.v1_4_0.TrustedComponent',
        read: () => ({
          Id: 'TPM',
          Name: 'TPM 2.0',
          TrustedComponentType: 'Integrated',
          Model: 'TPM 2.0',
          Status: WELL,
          Links: { ComponentsProtected: [link(SYSTEM)] },
        }),
      },
    },
  ];
}

/** The deprecated predecessor of the System's link to the TPM. */
export function trustedModulesOf({ hasTpm }: Pick<Hardware, 'hasTpm'>): JsonObject {
  return hasTpm === true ? { TrustedModules: [{ InterfaceType: 'TPM2_0', Status: WELL }] } : {};
}

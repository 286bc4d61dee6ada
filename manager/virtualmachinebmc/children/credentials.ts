import { credentialsSecretName, type VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, Secret } from '@groundcrew/controller-runtime';
import { ownerReference } from '../../bmc-agent/index.ts';
import { childLabels } from './identity.ts';

/** Returns `size` cryptographically secure random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

/** Letters and digits without the ambiguous 0, O, 1, I and l. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** 16 characters, 93 bits; the maximum that all IPMI versions store (1.5: 16 bytes, 2.0: 20). */
const PASSWORD_LENGTH = 16;

/** The Secret for a BMC that names none. It is only created, never applied: an existing one is kept. */
export function credentials(bmc: VirtualMachineBMC, randomBytes: RandomBytes): Draft<Secret> {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: credentialsSecretName(bmc.metadata.name),
      namespace: bmc.metadata.namespace ?? '',
      labels: childLabels(bmc),
      ownerReferences: [ownerReference(bmc)],
    },
    type: 'Opaque',
    data: { username: base64('admin'), password: base64(password(randomBytes)) },
  };
}

function password(randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < PASSWORD_LENGTH) {
    // A byte modulo 57 would favor the first characters, so bytes above the last multiple of 57 are dropped.
    for (const byte of randomBytes(PASSWORD_LENGTH - text.length))
      if (byte < 256 - (256 % ALPHABET.length)) text += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return text;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

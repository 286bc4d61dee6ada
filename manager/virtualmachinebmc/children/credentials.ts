import { credentialsSecretName, type VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, Secret } from '@groundcrew/controller-runtime';
import { childLabels } from './labels.ts';
import { ownerReference } from './owner-reference.ts';

/** Fills and returns so many random bytes, fit for secrets. */
export type RandomBytes = (size: number) => Uint8Array;

/** Letters and digits that nobody mistakes for one another when read from a screen: no 0 O 1 I l. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** 16 characters, 93 bits: what every IPMI version stores whole (1.5: 16 bytes, 2.0: 20). */
const PASSWORD_LENGTH = 16;

/** The Secret that is made when the BMC names none. To be created, never applied: what is there stays. */
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
    // A byte modulo 57 alone would favour the first characters: bytes over the last whole multiple are dropped.
    for (const byte of randomBytes(PASSWORD_LENGTH - text.length))
      if (byte < 256 - (256 % ALPHABET.length)) text += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return text;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

import type { KeyPair } from '@groundcrew/controller-runtime/certificates';

export type { KeyPair };

/** The signing authority and the certificates to trust. */
export interface Issuer extends KeyPair {
  /** Certificates, PEM: its own first, then those of its successor and its predecessor. */
  bundle: string;
}

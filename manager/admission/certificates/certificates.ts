import type { Clock, KubeClient, Logger } from '@groundcrew/controller-runtime';
import { KeptSecret } from '../../authority/index.ts';
import { keyringIn, secretDataOf } from './keyring-secret.ts';
import { maintained, type Keyring } from './keyring.ts';

/** Secret of the manager's namespace in which all its replicas find the same keyring. */
export const CERTIFICATES_SECRET = 'groundcrew-webhook-certificates';

export interface CertificatesOptions {
  client: KubeClient;
  /** The manager's own. */
  namespace: string;
  /** Of the server: DNS names and addresses. */
  names: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** Keeps the keyring in its Secret, and tells of what is there. */
export function keptCertificates({ names, ...options }: CertificatesOptions): KeptSecret<Keyring> {
  return new KeptSecret<Keyring>({
    ...options,
    name: CERTIFICATES_SECRET,
    what: 'certificates of the admission server',
    read: keyringIn,
    dataOf: secretDataOf,
    maintained: (known, now) => maintained(known, names, now),
    // Clients go on trusting it.
    comesBack: true,
  });
}

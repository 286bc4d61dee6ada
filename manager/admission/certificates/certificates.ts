import type { Clock, KubeClient, Logger } from '@groundcrew/controller-runtime';
import { KeptSecret } from '../../authority/index.ts';
import { keyringIn, secretDataOf } from './keyring-secret.ts';
import { maintained, type Keyring } from './keyring.ts';

/** Secret in the manager's namespace with the keyring of all replicas. */
export const CERTIFICATES_SECRET = 'groundcrew-webhook-certificates';

export interface CertificatesOptions {
  client: KubeClient;
  /** The manager's namespace. */
  namespace: string;
  /** DNS names and addresses of the server. */
  names: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** Keeps the keyring in its Secret and reports its current value. */
export function keptCertificates({ names, ...options }: CertificatesOptions): KeptSecret<Keyring> {
  return new KeptSecret<Keyring>({
    ...options,
    name: CERTIFICATES_SECRET,
    what: 'certificates of the admission server',
    read: keyringIn,
    dataOf: secretDataOf,
    maintained: (known, now) => maintained(known, names, now),
    // Clients continue to trust the restored keyring.
    comesBack: true,
  });
}

import { rootCertificates } from 'node:tls';
import { CONFIG_MAPS, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from './client-error.ts';

/**
 * Trusted certificates (PEM): those of a ConfigMap, in the format of CDI, and those of Node.
 *
 * @param field of the VirtualMachineBMC that names the ConfigMap
 * @throws MachineError
 */
export async function caBundle(client: KubeClient, ref: ObjectRef, field: string): Promise<string[]> {
  let pem: string | undefined;
  try {
    pem = (await client.find(CONFIG_MAPS, ref))?.data?.['ca.pem'];
  } catch (error) {
    throw unavailable(error);
  }
  if (pem !== undefined) return [...rootCertificates, pem];
  throw new MachineError('Unavailable', `ConfigMap ${ref.name} of ${field} has no key ca.pem`);
}

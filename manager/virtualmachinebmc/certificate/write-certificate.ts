import { CERTIFICATE_KEYS, certificateSecretName, type VirtualMachineBMC } from '../../../api/index.ts';
import { SECRETS, type Draft, type KubeClient, type Secret } from '@groundcrew/controller-runtime';
import { CERTIFICATE_LIFETIME, makeServerCertificate } from '../../authority/index.ts';
import { certificateLabels, ownerReference } from '../children/identity.ts';
import type { CertificateFact } from '../inputs.ts';
import type { CertificatePlan } from './evaluate-certificate.ts';

/**
 * Executes the action for a BMC's certificate.
 *
 * @param now milliseconds since 1970
 * @throws ApiError, TransportError
 */
export async function writeCertificate(
  plan: CertificatePlan,
  {
    bmc,
    held,
    client,
    now,
  }: { bmc: VirtualMachineBMC; held: CertificateFact['held']; client: KubeClient; now: number },
): Promise<void> {
  if (plan.act === 'keep') return;
  const data = plan.act === 'copy' ? plan.data : await issued(plan, now);
  const { namespace = '', name } = bmc.metadata;
  const uid = held.standing === 'Ours' || held.standing === 'Left' ? held.uid : undefined;
  const draft: Draft<Secret> = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: {
      name: certificateSecretName(name),
      namespace,
      labels: certificateLabels(bmc),
      ownerReferences: [ownerReference(bmc)],
      ...(uid === undefined ? {} : { uid }),
    },
    data: { ...data },
  };
  // Do not force-overwrite an object that another client has created since.
  await client.apply(SECRETS, draft, { force: uid !== undefined });
}

async function issued(
  { authority, names }: Extract<CertificatePlan, { act: 'issue' }>,
  now: number,
): Promise<Record<string, string>> {
  const pair = await makeServerCertificate(authority, { names, lifetime: CERTIFICATE_LIFETIME, now });
  const { certificate, key, authority: signer } = CERTIFICATE_KEYS;
  return { [certificate]: base64(pair.cert), [key]: base64(pair.key), [signer]: base64(authority.bundle) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

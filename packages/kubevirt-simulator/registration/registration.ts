import {
  API_SERVICES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  isAlreadyExists,
  NAMESPACES,
  SERVICES,
  type KubeClient,
} from '@groundcrew/controller-runtime';
import { INSTANCETYPE_CRDS } from '../kubevirt/instancetypes.ts';
import { MIGRATION_CRD, VIRTUAL_MACHINE_CRD, VIRTUAL_MACHINE_INSTANCE_CRD } from './crds.ts';
import { SUBRESOURCE_VERSIONS } from './discovery.ts';
import { deregisterWebhooks, registerWebhooks } from './webhook-configurations.ts';

export interface Registration {
  client: KubeClient;
  /** Where virt-api listens, on this machine. */
  port: number;
  /** PEM of the authority that signed its certificate. */
  ca: string;
}

/** The name that virt-api's certificate has to carry: the API server verifies it against the Service. */
export const VIRT_API_NAME = 'virt-api.kubevirt.svc';

/** Makes KubeVirt's resources known to the API server; what an earlier simulator left there is replaced. */
export async function registerKinds({ client }: Pick<Registration, 'client'>): Promise<void> {
  await Promise.all(
    [VIRTUAL_MACHINE_CRD, VIRTUAL_MACHINE_INSTANCE_CRD, MIGRATION_CRD, ...INSTANCETYPE_CRDS].map((crd) =>
      client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true }),
    ),
  );
}

/** Makes virt-api known to the API server: as the server of `subresources.kubevirt.io` and as webhooks. */
export async function registerVirtApi({ client, port, ca }: Registration): Promise<void> {
  await client
    .create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubevirt' } })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  const caBundle = Buffer.from(ca).toString('base64');
  await client.apply(
    SERVICES,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'kubevirt', name: 'virt-api' },
      // An API server without cluster network reaches its extension on its own machine.
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ name: 'https', port, protocol: 'TCP' }] },
    },
    { force: true },
  );
  await Promise.all([
    ...SUBRESOURCE_VERSIONS.map((version) =>
      client.apply(
        API_SERVICES,
        {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: { name: `${version}.subresources.kubevirt.io` },
          spec: {
            group: 'subresources.kubevirt.io',
            version,
            service: { namespace: 'kubevirt', name: 'virt-api', port },
            caBundle,
            groupPriorityMinimum: 1000,
            versionPriority: 15,
          },
        },
        { force: true },
      ),
    ),
    registerWebhooks(client, port, caBundle),
  ]);
}

/** Who may speak for others to an aggregated server: the API server's own proxy. */
export interface AggregatorIdentity {
  /** PEM of the authority that signs its client certificate. */
  ca: string;
  /** Common names that it may carry; empty: any. */
  names: readonly string[];
}

/** How the API server's proxy is known, as it publishes it; undefined where it does not. */
export async function findAggregator(client: KubeClient): Promise<AggregatorIdentity | undefined> {
  const published = await client.find(CONFIG_MAPS, {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication',
  });
  const ca = published?.data?.['requestheader-client-ca-file'];
  if (ca === undefined) return undefined;
  const names = JSON.parse(published?.data?.['requestheader-allowed-names'] ?? '[]') as string[];
  return { ca, names };
}

/** Takes virt-api off the API server, so that no write waits for a webhook that is gone. */
export async function deregisterVirtApi({ client }: Pick<Registration, 'client'>): Promise<void> {
  await Promise.all([
    deregisterWebhooks(client),
    ...SUBRESOURCE_VERSIONS.map((version) =>
      client.delete(API_SERVICES, { name: `${version}.subresources.kubevirt.io` }),
    ),
  ]);
}

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
import { deregisterWebhooks, registerWebhooks } from './webhook-configurations.ts';

export interface Registration {
  client: KubeClient;
  /** Port of virt-api on this machine. */
  port: number;
  /** PEM of the CA of its certificate. */
  ca: string;
}

const API_SERVICE = 'v1.subresources.kubevirt.io';

/** DNS name in virt-api's certificate, which the API server verifies. */
export const VIRT_API_NAME = 'virt-api.kubevirt.svc';

/** Registers KubeVirt's kinds; those of an earlier simulator are replaced. */
export async function registerKinds({ client }: Pick<Registration, 'client'>): Promise<void> {
  await Promise.all(
    [VIRTUAL_MACHINE_CRD, VIRTUAL_MACHINE_INSTANCE_CRD, MIGRATION_CRD, ...INSTANCETYPE_CRDS].map((crd) =>
      client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true }),
    ),
  );
}

/** Registers virt-api as the server of `subresources.kubevirt.io` and as admission webhooks. */
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
      // The API server has no cluster network; virt-api is on its machine.
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ name: 'https', port, protocol: 'TCP' }] },
    },
    { force: true },
  );
  await Promise.all([
    client.apply(
      API_SERVICES,
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: API_SERVICE },
        spec: {
          group: 'subresources.kubevirt.io',
          version: 'v1',
          service: { namespace: 'kubevirt', name: 'virt-api', port },
          caBundle,
          groupPriorityMinimum: 1000,
          versionPriority: 15,
        },
      },
      { force: true },
    ),
    registerWebhooks(client, port, caBundle),
  ]);
}

/** The client certificate of the API server's proxy, which may act for other users. */
export interface AggregatorIdentity {
  /** PEM of its CA. */
  ca: string;
  /** Permitted common names; empty: any. */
  names: readonly string[];
}

/** The identity that the API server publishes for its proxy, if any. */
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

/** Removes virt-api from the API server, so that no write waits for its webhooks. */
export async function deregisterVirtApi({ client }: Pick<Registration, 'client'>): Promise<void> {
  await Promise.all([deregisterWebhooks(client), client.delete(API_SERVICES, { name: API_SERVICE })]);
}

import {
  API_SERVICES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  isAlreadyExists,
  NAMESPACES,
  SERVICES,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '../../kube/index.ts';
import { VIRTUAL_MACHINE_CRD, VIRTUAL_MACHINE_INSTANCE_CRD } from './crds.ts';

export interface Registration {
  client: KubeClient;
  /** Where virt-api listens, on this machine. */
  port: number;
  /** PEM of the authority that signed its certificate. */
  ca: string;
}

/** The name that virt-api's certificate has to carry: the API server verifies it against the Service. */
export const VIRT_API_NAME = 'virt-api.kubevirt.svc';

type WebhookConfiguration = KubeObject & { webhooks: WebhookEntry[] };

interface WebhookEntry {
  name: string;
  clientConfig: { url: string; caBundle: string };
  rules: { apiGroups: string[]; apiVersions: string[]; operations: string[]; resources: string[] }[];
  failurePolicy: 'Fail';
  sideEffects: 'None';
  admissionReviewVersions: string[];
  timeoutSeconds: number;
}

const MUTATING: Kind<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
const VALIDATING: Kind<WebhookConfiguration> = {
  ...MUTATING,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
};

/** Makes KubeVirt's resources known to the API server; what an earlier stand-in left there is replaced. */
export async function registerKinds({ client }: Pick<Registration, 'client'>): Promise<void> {
  await Promise.all(
    [VIRTUAL_MACHINE_CRD, VIRTUAL_MACHINE_INSTANCE_CRD].map((crd) =>
      client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true }),
    ),
  );
}

/** Makes virt-api known to the API server: as the server of `subresources.kubevirt.io/v1` and as webhooks. */
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
    client.apply(
      API_SERVICES,
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.subresources.kubevirt.io' },
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
    client.apply(MUTATING, mutating(port, caBundle), { force: true }),
    client.apply(VALIDATING, validating(port, caBundle), { force: true }),
  ]);
}

function mutating(port: number, caBundle: string): WebhookConfiguration {
  return configuration('MutatingWebhookConfiguration', 'virt-api-mutator', [
    webhook('virtualmachines-mutator', '/virtualmachines-mutate', 'virtualmachines', ['CREATE'], port, caBundle),
  ]);
}

function validating(port: number, caBundle: string): WebhookConfiguration {
  const instances = 'virtualmachineinstances';
  return configuration('ValidatingWebhookConfiguration', 'virt-api-validator', [
    webhook(
      'virtualmachine-validator',
      '/virtualmachines-validate',
      'virtualmachines',
      ['CREATE', 'UPDATE'],
      port,
      caBundle,
    ),
    webhook(`${instances}-create-validator`, `/${instances}-validate-create`, instances, ['CREATE'], port, caBundle),
    webhook(`${instances}-update-validator`, `/${instances}-validate-update`, instances, ['UPDATE'], port, caBundle),
  ]);
}

function configuration(kind: string, name: string, webhooks: WebhookEntry[]): WebhookConfiguration {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
}

function webhook(
  name: string,
  path: string,
  resource: string,
  operations: string[],
  port: number,
  caBundle: string,
): WebhookEntry {
  return {
    name: `${name}.kubevirt.io`,
    clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
    rules: [{ apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations, resources: [resource] }],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 10,
  };
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
    client.delete(MUTATING, { name: 'virt-api-mutator' }),
    client.delete(VALIDATING, { name: 'virt-api-validator' }),
    client.delete(API_SERVICES, { name: 'v1.subresources.kubevirt.io' }),
  ]);
}

import {
  API_SERVICES,
  apiVersionOf,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  isAlreadyExists,
  NAMESPACES,
  SERVICES,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { MIGRATION_CRD, VIRTUAL_MACHINE_CRD, VIRTUAL_MACHINE_INSTANCE_CRD } from './crds.ts';
import { INSTANCETYPE_CRDS } from './instancetypes.ts';

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

const MUTATING_WEBHOOKS: Kind<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
const VALIDATING_WEBHOOKS: Kind<WebhookConfiguration> = {
  ...MUTATING_WEBHOOKS,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
};

/** Name, path on virt-api, resource and operations. */
type Hook = [name: string, path: string, resource: string, operations: ('CREATE' | 'UPDATE')[]];

const MUTATORS: Hook[] = [
  ['virtualmachines-mutator', '/virtualmachines-mutate', 'virtualmachines', ['CREATE', 'UPDATE']],
  ['migrations-mutator', '/migration-mutate-create', 'virtualmachineinstancemigrations', ['CREATE']],
];

const VALIDATORS: Hook[] = [
  ['virtualmachine-validator', '/virtualmachines-validate', 'virtualmachines', ['CREATE', 'UPDATE']],
  [
    'virtualmachineinstances-create-validator',
    '/virtualmachineinstances-validate-create',
    'virtualmachineinstances',
    ['CREATE'],
  ],
  [
    'virtualmachineinstances-update-validator',
    '/virtualmachineinstances-validate-update',
    'virtualmachineinstances',
    ['UPDATE'],
  ],
  ['migration-create-validator', '/migration-validate-create', 'virtualmachineinstancemigrations', ['CREATE']],
  ['migration-update-validator', '/migration-validate-update', 'virtualmachineinstancemigrations', ['UPDATE']],
];

/** Registers the webhooks of virt-api on `port` of this machine. */
async function registerWebhooks(client: KubeClient, port: number, caBundle: string): Promise<void> {
  const webhooks = (hooks: readonly Hook[]): WebhookEntry[] =>
    hooks.map(([hook, path, resource, operations]) => ({
      name: `${hook}.kubevirt.io`,
      clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
      rules: [{ apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations, resources: [resource] }],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 10,
    }));
  await Promise.all(
    CONFIGURATIONS.map(([kind, name, hooks]) =>
      client.apply(
        kind,
        { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name }, webhooks: webhooks(hooks) },
        { force: true },
      ),
    ),
  );
}

async function deregisterWebhooks(client: KubeClient): Promise<void> {
  await Promise.all(CONFIGURATIONS.map(([kind, name]) => client.delete(kind, { name })));
}

const CONFIGURATIONS = [
  [MUTATING_WEBHOOKS, 'virt-api-mutator', MUTATORS],
  [VALIDATING_WEBHOOKS, 'virt-api-validator', VALIDATORS],
] as const;

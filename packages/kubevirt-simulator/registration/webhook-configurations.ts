import { apiVersionOf, type Kind, type KubeClient, type KubeObject } from '@groundcrew/controller-runtime';

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

/** What virt-api fills in, and what it refuses, served on `port` of this machine with a certificate of the authority given. */
export async function registerWebhooks(client: KubeClient, port: number, caBundle: string): Promise<void> {
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

export async function deregisterWebhooks(client: KubeClient): Promise<void> {
  await Promise.all(CONFIGURATIONS.map(([kind, name]) => client.delete(kind, { name })));
}

const CONFIGURATIONS = [
  [MUTATING_WEBHOOKS, 'virt-api-mutator', MUTATORS],
  [VALIDATING_WEBHOOKS, 'virt-api-validator', VALIDATORS],
] as const;

import type { Kind, KubeObject } from '@groundcrew/controller-runtime';

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

export const MUTATING_WEBHOOKS: Kind<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
export const VALIDATING_WEBHOOKS: Kind<WebhookConfiguration> = {
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

/** What virt-api fills in, served on `port` of this machine with a certificate of the authority given. */
export function mutatingWebhooks(port: number, caBundle: string): WebhookConfiguration {
  return configuration('MutatingWebhookConfiguration', 'virt-api-mutator', MUTATORS, port, caBundle);
}

/** What virt-api refuses. */
export function validatingWebhooks(port: number, caBundle: string): WebhookConfiguration {
  return configuration('ValidatingWebhookConfiguration', 'virt-api-validator', VALIDATORS, port, caBundle);
}

function configuration(
  kind: string,
  name: string,
  hooks: readonly Hook[],
  port: number,
  caBundle: string,
): WebhookConfiguration {
  const webhooks = hooks.map(([hook, path, resource, operations]): WebhookEntry => ({
    name: `${hook}.kubevirt.io`,
    clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
    rules: [{ apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations, resources: [resource] }],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 10,
  }));
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
}

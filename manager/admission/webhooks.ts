import { IP_POOLS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS, VIRTUAL_MACHINES } from '../../api/index.ts';
import type { Kind, KubeObject } from '@groundcrew/controller-runtime';

export interface WebhookSettings {
  /** The client configuration for a path of the server. */
  clientConfig: (path: string) => { url: string } | { service: object };
  /** PEM. */
  caBundle: string;
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  /** The manager's username, if known. */
  username: string | undefined;
  assignMACs: boolean;
}

interface Scope {
  kind: Kind<KubeObject>;
  operations: string[];
  conditions: readonly MatchCondition[];
  failurePolicy: Webhook['failurePolicy'];
}

/** Seconds before an API server gives up. */
const TIMEOUT = 5;

/** Webhooks that set defaults, and the finalizer of BMCs. Controllers do later what is missing. */
export function mutatingWebhooks(settings: WebhookSettings): Webhook[] {
  const operations = ['CREATE', 'UPDATE'];
  const conditions = [NOT_GOING, SPEC_CHANGES];
  const failurePolicy = 'Ignore';
  const onVirtualMachines: Scope = {
    kind: VIRTUAL_MACHINES,
    operations: ['CREATE'],
    conditions: [LACKS_MAC],
    failurePolicy,
  };
  const scopes: Scope[] = [
    { kind: IP_POOLS, operations, conditions, failurePolicy },
    { kind: VIRTUAL_MACHINE_NETWORK_CONFIGS, operations, conditions, failurePolicy },
    { kind: VIRTUAL_MACHINE_BMCS, operations: ['CREATE'], conditions: [], failurePolicy },
    ...(settings.assignMACs ? [onVirtualMachines] : []),
  ];
  return scopes.map((scope) => webhook('mutation', scope, settings));
}

/**
 * Webhooks that validate objects. Deletion is validated for IPPools only. Nothing but the webhook keeps a pool in use from
 * being deleted, so it fails closed. What the others refuse, reconcilers do not carry out either.
 */
export function validatingWebhooks(settings: WebhookSettings): Webhook[] {
  const written = ['CREATE', 'UPDATE'];
  const conditions = [NOT_GOING, SPEC_CHANGES];
  const scopes: Scope[] = [
    { kind: IP_POOLS, operations: [...written, 'DELETE'], conditions, failurePolicy: 'Fail' },
    { kind: VIRTUAL_MACHINE_NETWORK_CONFIGS, operations: written, conditions, failurePolicy: 'Ignore' },
    { kind: VIRTUAL_MACHINE_BMCS, operations: written, conditions, failurePolicy: 'Ignore' },
  ];
  return scopes.map((scope) => webhook('validation', scope, settings));
}

function webhook(
  what: 'mutation' | 'validation',
  { kind, operations, conditions, failurePolicy }: Scope,
  { clientConfig, caBundle, namespaces, username }: WebhookSettings,
): Webhook {
  return {
    name: `${kind.plural}.${what}.groundcrew.io`,
    clientConfig: {
      ...clientConfig(what === 'mutation' ? '/mutate' : '/validate'),
      caBundle: Buffer.from(caBundle).toString('base64'),
    },
    // Subresources are excluded: writes of the status are not validated.
    rules: [
      {
        operations,
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        resources: [kind.plural],
        scope: 'Namespaced',
      },
    ],
    failurePolicy,
    matchPolicy: 'Equivalent',
    ...(namespaces.length === 0 ? {} : { namespaceSelector: selectorOf(namespaces) }),
    matchConditions: [notOurs(username), ...conditions],
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT,
    admissionReviewVersions: ['v1'],
  };
}

function selectorOf(namespaces: readonly string[]): object {
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...namespaces] }] };
}

/** A CEL expression that must be true for the webhook to be called. */
interface MatchCondition {
  name: string;
  expression: string;
}

/** Controllers that clean up objects. If an unreachable webhook blocked them, no namespace could be deleted. */
const CLUSTERS_OWN = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
];

/** Excludes the cluster's own controllers, and the manager if it has its own account. */
function notOurs(username: string | undefined): MatchCondition {
  const names = [...CLUSTERS_OWN, ...(username?.startsWith('system:serviceaccount:') === true ? [username] : [])];
  return { name: 'not-by-controllers', expression: `!(request.userInfo.username in ${JSON.stringify(names)})` };
}

/** Excludes objects that are being deleted. */
const NOT_GOING: MatchCondition = {
  name: 'not-going',
  expression:
    'request.operation == "DELETE" ? !has(oldObject.metadata.deletionTimestamp) : !has(object.metadata.deletionTimestamp)',
};

/** Excludes changes of labels, annotations, finalizers and owners only. */
const SPEC_CHANGES: MatchCondition = {
  name: 'spec-changes',
  expression: 'request.operation != "UPDATE" || object.spec != oldObject.spec',
};

/** Matches VMs with a Multus interface that has no MAC address. */
const LACKS_MAC: MatchCondition = {
  name: 'lacks-mac',
  expression:
    'has(object.spec.template.spec.networks) && object.spec.template.spec.networks.exists(n, has(n.multus)) && ' +
    'has(object.spec.template.spec.domain.devices.interfaces) && ' +
    'object.spec.template.spec.domain.devices.interfaces.exists(i, !has(i.macAddress) || i.macAddress == "")',
};

/** The fields of MutatingWebhookConfiguration and ValidatingWebhookConfiguration that are written here. */
export interface WebhookConfiguration extends KubeObject {
  webhooks: Webhook[];
}

export interface Webhook {
  name: string;
  clientConfig: { url?: string; service?: object; caBundle: string };
  rules: { operations: string[]; apiGroups: string[]; apiVersions: string[]; resources: string[]; scope: string }[];
  failurePolicy: 'Fail' | 'Ignore';
  matchPolicy: 'Equivalent';
  namespaceSelector?: object;
  matchConditions: { name: string; expression: string }[];
  sideEffects: 'None';
  timeoutSeconds: number;
  admissionReviewVersions: string[];
}

const admissionRegistration = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;

export const MUTATING: Kind<WebhookConfiguration> = {
  ...admissionRegistration,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
};

export const VALIDATING: Kind<WebhookConfiguration> = {
  ...admissionRegistration,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
};

import {
  IP_POOLS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import type { Kind, KubeObject } from '@groundcrew/controller-runtime';
import type { Webhook } from './kinds.ts';
import { LACKS_MAC, NOT_GOING, notOurs, SPEC_CHANGES, type MatchCondition } from './match-conditions.ts';

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
}

/** Seconds before an API server gives up. */
const TIMEOUT = 5;

/** Webhooks that set defaults. Their failure policy is Ignore: later checks catch a missing default. */
export function mutatingWebhooks(settings: WebhookSettings): Webhook[] {
  const operations = ['CREATE', 'UPDATE'];
  const conditions = [NOT_GOING, SPEC_CHANGES];
  const scopes: Scope[] = [
    { kind: IP_POOLS, operations, conditions },
    { kind: VIRTUAL_MACHINE_NETWORK_CONFIGS, operations, conditions },
    ...(settings.assignMACs ? [{ kind: VIRTUAL_MACHINES, operations: ['CREATE'], conditions: [LACKS_MAC] }] : []),
  ];
  return scopes.map((scope) => webhook('mutation', scope, 'Ignore', settings));
}

/** Webhooks that validate objects. Deletion is validated for IPPools only. */
export function validatingWebhooks(settings: WebhookSettings): Webhook[] {
  const written = ['CREATE', 'UPDATE'];
  const conditions = [NOT_GOING, SPEC_CHANGES];
  const scopes: Scope[] = [
    { kind: IP_POOLS, operations: [...written, 'DELETE'], conditions },
    { kind: VIRTUAL_MACHINE_NETWORK_CONFIGS, operations: written, conditions },
    { kind: VIRTUAL_MACHINE_BMCS, operations: written, conditions },
  ];
  return scopes.map((scope) => webhook('validation', scope, 'Fail', settings));
}

function webhook(
  what: 'mutation' | 'validation',
  { kind, operations, conditions }: Scope,
  failurePolicy: Webhook['failurePolicy'],
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

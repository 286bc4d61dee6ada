import type { Kind, KubeObject } from '@groundcrew/controller-runtime';

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

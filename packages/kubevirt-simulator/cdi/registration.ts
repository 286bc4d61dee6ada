import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Draft,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { CLASS_NAME, PROVISIONER } from './claims/binding.ts';
import { cdiDefinitions } from './crds.ts';
import { STORAGE_CLASSES, type StorageClass } from './objects.ts';
import type { CdiVersion } from './version.ts';
import { VALIDATE_PATH } from './webhook/webhook-server.ts';

/** The name that the webhook's certificate has to carry. */
export const WEBHOOK_HOST = 'cdi-api.cdi.svc';

type WebhookConfiguration = KubeObject & { webhooks: Record<string, unknown>[] };

const VALIDATING: Kind<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
const WEBHOOK_NAME = 'cdi-api-datavolume-validate';

/** Makes CDI's kinds known to the API server, and a StorageClass for claims that name none. */
export async function registerKinds(client: KubeClient, version: CdiVersion): Promise<void> {
  await Promise.all([
    ...cdiDefinitions(version).map((crd) => client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true })),
    client.apply(STORAGE_CLASSES, STORAGE_CLASS, { force: true }),
  ]);
}

const STORAGE_CLASS: Draft<StorageClass> = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: CLASS_NAME, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
};

/** Has every DataVolume shown to the webhook before it is stored. */
export async function registerWebhook(client: KubeClient, port: number, ca: string): Promise<void> {
  const configuration: WebhookConfiguration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: WEBHOOK_NAME },
    webhooks: [
      {
        name: 'datavolume-validate.cdi.kubevirt.io',
        clientConfig: {
          url: `https://127.0.0.1:${port}${VALIDATE_PATH}`,
          caBundle: Buffer.from(ca).toString('base64'),
        },
        rules: [
          {
            apiGroups: ['cdi.kubevirt.io'],
            apiVersions: ['v1beta1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['datavolumes'],
          },
        ],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 30,
      },
    ],
  };
  await client.apply(VALIDATING, configuration, { force: true });
}

/** So that no write waits for a webhook that is gone. */
export async function deregisterWebhook(client: KubeClient): Promise<void> {
  await client.delete(VALIDATING, { name: WEBHOOK_NAME });
}

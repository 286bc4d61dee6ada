import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  isNotFound,
  NAMESPACES,
  SERVICES,
  type Draft,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { registerCdi, STORAGE_CLASS } from '@groundcrew/kubevirt-simulator/cdi';
import { registerNetworks } from '@groundcrew/kubevirt-simulator/networks';
import { findTool, howToInstall } from '../../tools/index.ts';
import { eventually } from '../eventually.ts';

/** Namespace of KubeVirt's own objects, and the service accounts of its processes. */
export const KUBEVIRT_NAMESPACE = 'kubevirt';
export const VIRT_API_ACCOUNT = { namespace: KUBEVIRT_NAMESPACE, name: 'kubevirt-apiserver' };
export const VIRT_CONTROLLER_ACCOUNT = { namespace: KUBEVIRT_NAMESPACE, name: 'kubevirt-controller' };

const KUBEVIRT_PATH = `/apis/kubevirt.io/v1/namespaces/${KUBEVIRT_NAMESPACE}/kubevirts`;

/** Plural names of the kinds that virt-operator installs. */
const PLURALS: Record<string, string> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ServiceAccount: 'serviceaccounts',
  APIService: 'apiservices',
  PriorityClass: 'priorityclasses',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
};

/** CDI's kinds that virt-controller watches and the CDI simulator does not have. */
const OTHER_CDI_KINDS = [
  { kind: 'CDI', plural: 'cdis', scope: 'Cluster' },
  { kind: 'CDIConfig', plural: 'cdiconfigs', scope: 'Cluster' },
  { kind: 'StorageProfile', plural: 'storageprofiles', scope: 'Cluster' },
  { kind: 'DataSource', plural: 'datasources', scope: 'Namespaced' },
] as const;

export interface InstallationOptions {
  client: KubeClient;
  /** Port of virt-api on 127.0.0.1. */
  port: number;
  /** PEM of the authority that signs the certificates of KubeVirt's processes. */
  ca: string;
}

/**
 * Installs what virt-operator installs, from its own functions (`test/tools/kubevirt/main.go`), and waits until the
 * API server serves it. virt-api runs beside the API server, so its Service is an ExternalName and its webhooks are URLs.
 */
export async function installKubeVirt({ client, port, ca }: InstallationOptions): Promise<void> {
  const manifests = await kubeVirtManifests();
  const definitions = manifests.filter(({ kind }) => kind === 'CustomResourceDefinition') as Draft<
    NonNullable<(typeof CUSTOM_RESOURCE_DEFINITIONS)['object']>
  >[];
  await client.apply(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: KUBEVIRT_NAMESPACE } });
  // Both processes end when CDI's kinds appear or vanish, and virt-controller reads net-attach-defs.
  await Promise.all([
    registerCdi(client),
    registerNetworks(client),
    ...OTHER_CDI_KINDS.map((kind) => client.apply(CUSTOM_RESOURCE_DEFINITIONS, openDefinition(kind), { force: true })),
    ...definitions.map((crd) => client.create(CUSTOM_RESOURCE_DEFINITIONS, withoutStatus(crd))),
  ]);
  const caBundle = Buffer.from(ca).toString('base64');
  for (const object of manifests) {
    if (object.kind === 'CustomResourceDefinition' || object.kind.endsWith('WebhookConfiguration')) continue;
    if (object.kind === 'ConfigMap') {
      await client.create(CONFIG_MAPS, { ...object, data: { 'ca-bundle': ca } } as Draft<KubeObject>);
    } else if (object.kind === 'Service') {
      // The aggregator verifies the certificate against the Service's name and connects to the external one.
      const spec = { type: 'ExternalName', externalName: 'localhost' };
      await client.create(SERVICES, { ...object, spec } as Draft<KubeObject>);
    } else {
      await post(client, object.kind === 'APIService' ? servedAt(object, port, caBundle) : object);
    }
  }
  await eventually(() => createKubeVirt(client), { timeout: 30_000 });
}

/** Registers virt-api's webhooks; to be called when it answers, since every write waits for them from then on. */
export async function registerWebhooks({ client, port, ca }: InstallationOptions): Promise<void> {
  const caBundle = Buffer.from(ca).toString('base64');
  for (const object of await kubeVirtManifests()) {
    if (!object.kind.endsWith('WebhookConfiguration')) continue;
    const { webhooks } = object as KubeObject & { webhooks: { clientConfig: { service?: { path?: string } } }[] };
    const local = webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service?.path ?? ''}`, caBundle },
    }));
    await post(client, { ...object, webhooks: local } as KubeObject);
  }
}

async function kubeVirtManifests(): Promise<KubeObject[]> {
  const program = findTool('kubevirt-manifests');
  if (program === undefined) throw new Error(`kubevirt-manifests is not here; ${howToInstall('kubevirt-manifests')}`);
  const { stdout } = await promisify(execFile)(program, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as KubeObject[]; // The API server validates them.
}

/** The KubeVirt object. Its status is virt-operator's; without a phase virt-api and virt-controller ignore the spec. */
async function createKubeVirt(client: KubeClient): Promise<void> {
  const name = 'kubevirt';
  const found = await client.request({ method: 'GET', path: `${KUBEVIRT_PATH}/${name}` }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (found === undefined) {
    await client.request({
      method: 'POST',
      path: KUBEVIRT_PATH,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'kubevirt.io/v1',
        kind: 'KubeVirt',
        metadata: { name },
        spec: { configuration: { vmRolloutStrategy: 'LiveUpdate', vmStateStorageClass: STORAGE_CLASS } },
      }),
    });
  }
  const status = {
    phase: 'Deployed',
    observedKubeVirtVersion: 'v1.8.4',
    targetKubeVirtVersion: 'v1.8.4',
    operatorVersion: 'v1.8.4',
    // Without it every VMI is refused with "unsupported architecture".
    defaultArchitecture: 'amd64',
  };
  await client.request({
    method: 'PATCH',
    path: `${KUBEVIRT_PATH}/${name}/status`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ status }),
  });
}

async function post(client: KubeClient, object: KubeObject): Promise<void> {
  const plural = PLURALS[object.kind];
  if (plural === undefined) throw new Error(`virt-operator installs a ${object.kind}, which the tests do not know`);
  const [group = '', version = ''] = object.apiVersion.includes('/')
    ? object.apiVersion.split('/')
    : ['', object.apiVersion];
  const namespaced = object.metadata.namespace !== undefined;
  const kind: Kind<KubeObject> = { group, version, kind: object.kind, plural, namespaced };
  await client.create(kind, object);
}

function servedAt(object: KubeObject, port: number, caBundle: string): KubeObject {
  const { spec } = object as KubeObject & { spec: { service: object } };
  const served = { ...object, spec: { ...spec, caBundle, service: { ...spec.service, port } } };
  return withoutStatus(served);
}

function withoutStatus<T extends object>(object: T): T {
  const { status: _status, ...rest } = object as T & { status?: unknown };
  return rest as T;
}

function openDefinition({ kind, plural, scope }: (typeof OTHER_CDI_KINDS)[number]): Draft<KubeObject> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.cdi.kubevirt.io` },
    spec: {
      group: 'cdi.kubevirt.io',
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1beta1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  } as Draft<KubeObject>;
}

import { ApiError, isNotFound, type KubeClient, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import { IP_POOLS, type IPPool } from '../../api/index.ts';

/** Whether the API server reaches the webhook of one manager. */
export interface WebhookFact {
  /** Name of the webhook configuration. */
  configuration: string;
  /** Namespace of the manager. */
  namespace: string;
  /** `untried`: the user may not create pools. `unasked`: the API server stored the pool without asking. */
  answer: 'answers' | 'fails' | 'unasked' | 'untried';
  message: string;
}

interface Configuration extends KubeObject {
  webhooks?: { namespaceSelector?: { matchExpressions?: { values?: string[] }[] } }[];
}

/** The configurations that managers write. */
export const WEBHOOK_CONFIGURATIONS: Kind<Configuration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
const PREFIX = 'webhook-groundcrew-';

/**
 * Asks the API server for a dry run that only the webhook refuses: an IPPool with a network that is too small. Nothing
 * is stored. It proves the whole way: Service, endpoint, certificate and manager.
 */
export async function probeWebhook(client: KubeClient, configuration: Configuration): Promise<WebhookFact> {
  const { name } = configuration.metadata;
  const home = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  const fact = { configuration: name, namespace: home };
  const [first] = configuration.webhooks ?? [];
  const namespace = first?.namespaceSelector?.matchExpressions?.[0]?.values?.[0] ?? home;
  try {
    await client.create<IPPool>(IP_POOLS, poolThatIsRefused(namespace), { dryRun: true });
    return { ...fact, answer: 'unasked', message: `a wrong IPPool in namespace ${namespace} was not refused` };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = error.serverMessage;
    if (/denied the request/.test(message)) return { ...fact, answer: 'answers', message };
    if (error.status === 403 || isNotFound(error)) return { ...fact, answer: 'untried', message };
    return { ...fact, answer: 'fails', message };
  }
}

function poolThatIsRefused(namespace: string): IPPool {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { namespace, name: 'groundcrew-status-probe' },
    spec: {
      networkName: 'groundcrew-status-probe',
      ipv4Config: {
        cidr: '192.0.2.0/31',
        serverIP: '192.0.2.0',
        pool: { start: '192.0.2.1', end: '192.0.2.1' },
      },
    },
  };
}

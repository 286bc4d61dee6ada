import type { IPPoolSpec } from '../../../api/index.ts';
import type { Cluster, HttpAnswer } from '../../harness/index.ts';

/** A namespace with the writes of users and the raw responses. */
export class Scene {
  readonly namespace: string;
  readonly #cluster: Cluster;

  private constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  static async in(cluster: Cluster): Promise<Scene> {
    return new Scene(cluster, await cluster.namespace());
  }

  ref(name: string) {
    return { namespace: this.namespace, name };
  }

  path(plural: string, name?: string): string {
    const group = plural === 'virtualmachines' ? 'kubevirt.io/v1' : 'network.harvesterhci.io/v1alpha1';
    return `/apis/${group}/namespaces/${this.namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
  }

  async pool(name: string, config: object = {}, query = ''): Promise<HttpAnswer> {
    return await this.#cluster.http('POST', `${this.path('ippools')}${query}`, {
      body: this.#object('IPPool', name, { networkName: 'lan', ipv4Config: { ...POOL, ...config } }),
    });
  }

  async patchPool(name: string, config: object): Promise<HttpAnswer> {
    return await this.#cluster.http('PATCH', this.path('ippools', name), {
      body: { spec: { ipv4Config: config } },
      contentType: 'application/merge-patch+json',
    });
  }

  async config(name: string, ...networkConfigs: object[]): Promise<HttpAnswer> {
    return await this.#cluster.http('POST', this.path('virtualmachinenetworkconfigs'), {
      body: this.#object('VirtualMachineNetworkConfig', name, { vmName: name, networkConfigs }),
    });
  }

  /** Creates a lease of an address in the pool `lan` for a VM. */
  async lease(address: string, vm: string, labels: object = {}): Promise<HttpAnswer> {
    const ref = { namespace: this.namespace, name: vm };
    return await this.#cluster.http('POST', this.path('ipleases'), {
      body: {
        apiVersion: 'network.harvesterhci.io/v1alpha1',
        kind: 'IPLease',
        metadata: { name: `lan.${address}`, labels: { 'network.harvesterhci.io/ippool': 'lan', ...labels } },
        spec: {
          ipAddress: address,
          macAddress: '02:00:00:00:00:99',
          vmNetworkConfigRef: { ...ref, uid: 'config-1' },
          vmRef: ref,
        },
      },
    });
  }

  #object(kind: string, name: string, spec: object): object {
    return { apiVersion: 'network.harvesterhci.io/v1alpha1', kind, metadata: { name }, spec };
  }
}

/** 10.9.0.10 to 10.9.0.99 of 10.9.0.0/24. */
const POOL = {
  cidr: '10.9.0.0/24',
  serverIP: '10.9.0.2',
  router: '10.9.0.1',
  pool: { start: '10.9.0.10', end: '10.9.0.99' },
} satisfies IPPoolSpec['ipv4Config'];

/** The webhook's message in the response to a rejected request. */
export function refusalIn({ status, body }: HttpAnswer): { status: number; message: string } {
  const { message = '' } = body as { message?: string };
  return { status, message: message.replace(/^admission webhook "[^"]+" denied the request: /, '') };
}

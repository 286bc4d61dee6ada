import { ApiError, NAMESPACES, type KubeClient } from '@groundcrew/controller-runtime';

/** Identifies the cluster by the uid of its namespace kube-system, which never changes. */
export class ClusterIdentity {
  readonly #client: KubeClient;
  #uid: Promise<string | undefined> | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * Reads the uid once; retried after a failure.
   *
   * @returns undefined if the manager may not read it
   * @throws TransportError, ApiError
   */
  async uid(): Promise<string | undefined> {
    this.#uid ??= this.#read().catch((error: unknown) => {
      this.#uid = undefined;
      throw error;
    });
    return await this.#uid;
  }

  async #read(): Promise<string | undefined> {
    try {
      return (await this.#client.get(NAMESPACES, { name: 'kube-system' })).metadata.uid;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return undefined;
      throw error;
    }
  }
}

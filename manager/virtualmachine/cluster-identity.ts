import { ApiError, NAMESPACES, type KubeClient } from '@groundcrew/controller-runtime';

/** What sets this cluster apart from all others: the uid of its namespace kube-system, which lives as long as it does. */
export class ClusterIdentity {
  readonly #client: KubeClient;
  #uid: Promise<string | undefined> | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * Asks once; a failure is asked again.
   *
   * @returns undefined where the manager may not read it
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

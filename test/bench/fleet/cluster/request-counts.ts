/** A request as the API server saw it. */
export interface SeenRequest {
  user: string;
  /** As in HTTP. */
  method: string;
  /** Without the query. */
  path: string;
  status: number;
}

export interface RequestTotals {
  /** Requests by user. */
  users: Record<string, number>;
  /** Number of VirtualMachineInstances that were created: each is a start of a VM. */
  starts: number;
}

const INSTANCES = /^\/apis\/kubevirt\.io\/[^/]+\/namespaces\/[^/]+\/virtualmachineinstances$/;

/** Counts the requests of each user, and the starts of VMs. */
export class RequestCounts {
  readonly #users = new Map<string, number>();
  #starts = 0;

  add({ user, method, path, status }: SeenRequest): void {
    this.#users.set(user, (this.#users.get(user) ?? 0) + 1);
    if (method === 'POST' && status === 201 && INSTANCES.test(path)) this.#starts += 1;
  }

  get totals(): RequestTotals {
    return { users: Object.fromEntries(this.#users), starts: this.#starts };
  }
}

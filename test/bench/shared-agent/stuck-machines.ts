import type { AskedRequest } from '@groundcrew/apiserver';

const OF_MACHINE = /\/virtualmachine(?:instance)?s\/([^/]+)/;
const TO_NODE = /^\/apis\/subresources\.kubevirt\.io\/.*\/virtualmachineinstances\//;

/**
 * Machines whose backend leaves the requests of agents without an answer for a while: every other one those to its node, which are
 * subresources of its instance, the rest all that name it.
 */
export class StuckMachines {
  /** With whether only its node is stuck. */
  readonly #machines: ReadonlyMap<string, boolean>;
  #end: PromiseWithResolvers<undefined> | undefined;
  #count = 0;

  /** @param machines names */
  constructor(machines: readonly string[]) {
    this.#machines = new Map(machines.map((name, index) => [name, index % 2 === 0]));
  }

  begin(): void {
    this.#count = 0;
    this.#end = Promise.withResolvers();
  }

  /** Passes on what still waits. @returns the number of requests since `begin` that got no answer until now */
  end(): number {
    this.#end?.resolve(undefined);
    this.#end = undefined;
    return this.#count;
  }

  /** For the API server. */
  readonly holds = ({ user, path }: AskedRequest): Promise<void> | undefined => {
    const isNode = this.#machines.get(OF_MACHINE.exec(path)?.[1] ?? '');
    if (this.#end === undefined || isNode === undefined || !user.startsWith('system:serviceaccount:')) return undefined;
    if (isNode && !TO_NODE.test(path)) return undefined;
    this.#count += 1;
    return this.#end.promise;
  };
}

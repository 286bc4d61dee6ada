import { setTimeout as sleep } from 'node:timers/promises';
import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../../../api/index.ts';
import type { Kind, KubeClient, KubeObject } from '@groundcrew/controller-runtime';
import type { State } from './parse-recording.ts';

/** The part of a recorded state that stands in the VM. */
export type VmState = Omit<State, 'kind' | 'time' | 'instance' | 'uid'>;

export interface InstanceState {
  /** `404` when it has gone. */
  instance: string;
  uid: string;
}

/** The types of condition that the recorder wrote down. */
const TYPES = ['Ready', 'Paused', 'RestartRequired'];

/** Follows one VM and its instances through two watches, and keeps each state that they pass through. */
export class Observer {
  readonly vmStates: VmState[] = [];
  readonly instanceStates: InstanceState[] = [{ instance: '404', uid: '' }];
  readonly #stop = new AbortController();
  readonly #watches: Promise<void>[] = [];
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  /** To be called before the VM is created, so that nothing of it is missed. */
  static async start(client: KubeClient, namespace: string, name: string): Promise<Observer> {
    const observer = new Observer(name);
    await observer.#follow(client, VIRTUAL_MACHINES, namespace, (type, vm) => {
      if (type !== 'DELETED') observer.vmStates.push(vmStateOf(vm));
    });
    await observer.#follow(client, VIRTUAL_MACHINE_INSTANCES, namespace, (type, vmi) => {
      observer.instanceStates.push(instanceStateOf(vmi, type === 'DELETED'));
    });
    return observer;
  }

  async #follow<T extends KubeObject>(
    client: KubeClient,
    kind: Kind<T>,
    namespace: string,
    tell: (type: string, object: T) => void,
  ): Promise<void> {
    const { resourceVersion } = (await client.list(kind, { namespace })).metadata;
    const events = client.watch(kind, { namespace, resourceVersion, timeoutSeconds: 300, signal: this.#stop.signal });
    const run = async (): Promise<void> => {
      for await (const event of events) {
        if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
        if (event.object.metadata.name === this.#name) tell(event.type, event.object);
      }
    };
    this.#watches.push(
      run().catch((error: unknown) => {
        if (!this.#stop.signal.aborted) throw error;
      }),
    );
  }

  /** Looks until `found` finds something, for as long as a loaded machine may need. */
  async until<T>(found: () => T | undefined, what: () => string): Promise<T> {
    for (let polls = 0; polls < 1000; polls += 1) {
      const result = found();
      if (result !== undefined) return result;
      await sleep(20);
    }
    throw new Error(`${what()}; it went through\n${this.toString()}`);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#watches);
  }

  toString(): string {
    return [...this.vmStates, ...this.instanceStates].map((state) => JSON.stringify(state)).join('\n');
  }
}

function vmStateOf({ spec, status }: VirtualMachine): VmState {
  return {
    runStrategy: spec.runStrategy ?? String(spec.running),
    printableStatus: status?.printableStatus ?? 'undefined',
    created: status?.created ?? false,
    ready: status?.ready ?? false,
    requests: (status?.stateChangeRequests ?? []).map(({ action }) => action).join(','),
    conditions: (status?.conditions ?? [])
      .filter(({ type }) => TYPES.includes(type))
      .map(({ type, status: value, reason = '' }) => `${type}=${value}${reason === '' ? '' : `/${reason}`}`),
  };
}

function instanceStateOf({ metadata, status }: VirtualMachineInstance, deleted: boolean): InstanceState {
  return { instance: deleted ? '404' : (status?.phase ?? ''), uid: metadata.uid ?? '' };
}

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { KubeVirt } from '../../../kubevirt/index.ts';
import type { Cluster, HttpAnswer } from '../../../../../test/harness/index.ts';
import {
  templateOf,
  VirtualMachines,
  type TemplateChange,
} from '../../../../../test/harness/scenes/virtual-machines.ts';
import { Observer, type InstanceState, type VmState } from './observer.ts';
import type { Call, State } from './parse-recording.ts';

/**
 * Plays a scenario's calls against the stand-in and holds what it sees against what was recorded. The recorder looked
 * at VM and instance one after the other every 0.1 s; the observer sees each state that either passes through. So:
 *
 * - A *settled* state is one that can last until something is asked again. It must be reached, whole, before the next
 *   line is played: strategy, printableStatus, created, ready, queue, conditions with reasons, phase, and whether the
 *   instance is the one that it was.
 * - Of a state that is passed, the instance's phase, the VM's printableStatus and its queue must be passed too, each in
 *   the recorded order; how fast, and which two of them were there at once, is chance. So is whether a VM reads
 *   Stopped in passing.
 * - Nothing may be passed that was never recorded: see `pairs`.
 */
export class Player {
  readonly vms: VirtualMachines;
  /** Each combination of printableStatus and Ready condition that was seen. */
  readonly pairs = new Set<string>();
  readonly #cluster: Cluster;
  readonly #kubeVirt: KubeVirt;
  readonly #template: TemplateChange;
  readonly #uids = new Map<string, string>();
  #observer: Observer | undefined;
  /** How far each track has been matched. */
  #cursors = { printableStatus: 0, requests: 0, instance: 0 };

  constructor(cluster: Cluster, kubeVirt: KubeVirt, namespace: string, template: TemplateChange) {
    this.#cluster = cluster;
    this.#kubeVirt = kubeVirt;
    this.#template = template;
    this.vms = new VirtualMachines(cluster, namespace);
  }

  async play(call: Call): Promise<void> {
    if (call.verb === 'GUEST') {
      const ref = this.vms.ref(call.target);
      const done = call.body === 'crash' ? this.#kubeVirt.crashGuest(ref) : this.#kubeVirt.powerOffGuest(ref);
      expect(done).toBe(true);
      return;
    }
    const answer = await this.#send(call);
    // The recorder printed the reason of a subresource's answer alone, and a length in place of a screenshot.
    const hasReason = call.verb !== 'CREATE' && call.verb !== 'PATCH';
    const expected = call.status < 300 ? String(call.status) : `${call.status} ${call.answer}`.trimEnd();
    expect(lineOf(answer, hasReason)).toBe(expected);
  }

  async #send({ verb, target, body }: Call): Promise<HttpAnswer> {
    if (verb === 'CREATE') return await this.#create(target, body);
    if (verb !== 'PATCH' && verb !== 'GUEST')
      return await this.vms.answer(verb, target, body === '' ? undefined : body);
    return await this.#cluster.http('PATCH', this.#path(`/${target}`), {
      body,
      contentType: `application/${body.startsWith('[') ? 'json' : 'merge'}-patch+json`,
    });
  }

  async #create(name: string, settings: string): Promise<HttpAnswer> {
    await this.#observer?.close();
    this.#observer = await Observer.start(this.#cluster.client, this.vms.namespace, name);
    this.#cursors = { printableStatus: 0, requests: 0, instance: 0 };
    return await this.#cluster.http('POST', this.#path(''), { body: this.#vm(name, settings) });
  }

  /** Whether KubeVirt would take the scenario's VM. */
  async accepts(name: string): Promise<boolean> {
    const body = this.#vm(name, 'runStrategy=Manual');
    return (await this.#cluster.http('POST', this.#path('?dryRun=All'), { body })).status === 201;
  }

  #vm(name: string, settings: string): object {
    const runStrategy = settings.slice('runStrategy='.length);
    const spec = {
      ...(runStrategy === 'undefined' ? {} : { runStrategy }),
      // The recorder named the scenario's VM after what it set beside the strategy.
      ...(name === 'both' ? { running: true } : {}),
      template: templateOf(this.#template),
    };
    return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name }, spec };
  }

  #path(rest: string): string {
    return `/apis/kubevirt.io/v1/namespaces/${this.vms.namespace}/virtualmachines${rest}`;
  }

  /** Resolves when the state has been reached, or passed, as it is one or the other. */
  async pass(state: State): Promise<void> {
    const observer = this.#observer;
    if (observer === undefined) throw new Error(`a state before the first VM, at ${state.time}`);
    if (isSettled(state)) await this.#settle(state, observer);
    else await this.#passBy(state, observer);
    for (const vm of observer.vmStates) this.pairs.add(pairOf(vm));
  }

  async #settle(state: State, observer: Observer): Promise<void> {
    const { kind: _kind, time, instance, uid, ...wanted } = state;
    const { vmStates } = observer;
    const missing = () => `it does not get to what was seen at ${time}: ${JSON.stringify(state)}`;
    const from = Math.max(this.#cursors.printableStatus, this.#cursors.requests);
    const reached = await observer.until(
      () => indexFrom(vmStates, from, (vm) => isDeepStrictEqual(vm, wanted)),
      missing,
    );
    this.#cursors = { ...this.#cursors, printableStatus: reached, requests: reached };
    await this.#passInstance(instance, uid, observer, missing);
  }

  async #passBy(state: State, observer: Observer): Promise<void> {
    const { time } = state;
    const { vmStates } = observer;
    const missing = (what: string) => () => `${what} was not passed, which was seen at ${time}`;
    if (state.printableStatus !== 'Stopped') {
      const seen = (vm: VmState): boolean => vm.printableStatus === state.printableStatus;
      this.#cursors.printableStatus = await observer.until(
        () => indexFrom(vmStates, this.#cursors.printableStatus, seen),
        missing(state.printableStatus),
      );
    }
    this.#cursors.requests = await observer.until(
      () => indexFrom(vmStates, this.#cursors.requests, (vm) => vm.requests === state.requests),
      missing(`the queue [${state.requests}]`),
    );
    await this.#passInstance(state.instance, state.uid, observer, missing(`phase ${state.instance}`));
  }

  async #passInstance(
    phase: string,
    uid: string | undefined,
    observer: Observer,
    missing: () => string,
  ): Promise<void> {
    const { instanceStates } = observer;
    const passed = (vmi: InstanceState): boolean => vmi.instance === phase && this.#isSame(uid, vmi);
    const passedAt = (): number | undefined => indexFrom(instanceStates, this.#cursors.instance, passed);
    this.#cursors.instance = await observer.until(passedAt, missing);
  }

  /** One recorded uid is one uid here, and another one another. */
  #isSame(recorded: string | undefined, vmi: InstanceState | undefined): boolean {
    if (recorded === undefined || vmi === undefined) return true;
    const known = this.#uids.get(recorded);
    if (known !== undefined) return known === vmi.uid;
    if ([...this.#uids.values()].includes(vmi.uid)) return false;
    this.#uids.set(recorded, vmi.uid);
    return true;
  }

  async close(): Promise<void> {
    await this.#observer?.close();
  }
}

/** How printableStatus and Ready go together. */
export function pairOf({ printableStatus, conditions }: Pick<State, 'printableStatus' | 'conditions'>): string {
  return `${printableStatus} ${conditions.find((condition) => condition.startsWith('Ready=')) ?? 'no Ready'}`;
}

/** It lasts: nothing is queued, and the VM is where its strategy wants it. */
function isSettled(state: State): boolean {
  const { runStrategy, printableStatus, created, ready, requests, conditions, instance } = state;
  if (requests !== '' || conditions.length === 0) return false;
  if (instance === '404') return !created && !ready && printableStatus === 'Stopped' && runStrategy !== 'Always';
  if (instance === 'Running') {
    return runStrategy !== 'Halted' && printableStatus === (ready ? 'Running' : 'Paused');
  }
  const ended = instance === 'Succeeded' || instance === 'Failed';
  return ended && runStrategy === 'Manual' && conditions[0] === 'Ready=False/GuestNotRunning';
}

function indexFrom<T>(items: readonly T[], from: number, wanted: (item: T) => boolean): number | undefined {
  const index = items.findIndex((item, at) => at >= from && wanted(item));
  return index === -1 ? undefined : index;
}

function lineOf({ status, body }: HttpAnswer, hasReason: boolean): string {
  if (status < 300) return String(status);
  if (typeof body === 'string') return `${status} ${body}`;
  // A Status, or nothing.
  const { reason = '', message = '' } = (body ?? {}) as { reason?: string; message?: string };
  return hasReason ? `${status} ${reason}: ${message}` : `${status} ${message}`;
}

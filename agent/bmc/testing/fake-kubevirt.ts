import {
  hasEnded,
  type RunStrategy,
  type StateChangeRequest,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import type { TransportRequest, TransportResponse } from '@groundcrew/controller-runtime';
import { aVmi } from './builders.ts';
import { type FakeApi, refusal } from './fake-api.ts';

/**
 * KubeVirt beside a {@link FakeApi}: accepts power calls as virt-api does (`pkg/virt-api/rest/lifecycle.go`), and carries
 * them out in steps, as virt-controller does (`syncRunStrategy`).
 */
export class FakeKubeVirt {
  readonly #api: FakeApi;
  /** Number of guests that were started. */
  starts = 0;
  /** Number of resets and requested reboots. */
  resets = 0;

  constructor(api: FakeApi) {
    this.#api = api;
  }

  /** Answers a PUT of a subresource. */
  answer({ path, body = '{}' }: TransportRequest): TransportResponse {
    const { gracePeriod } = JSON.parse(body) as { gracePeriod?: number };
    switch (path.slice(path.lastIndexOf('/') + 1)) {
      case 'start':
        return this.#start();
      case 'stop':
        return this.#stop(gracePeriod);
      case 'restart':
        return this.#restart();
      default:
        if (this.#running === undefined) return conflict('VMI is not running');
        this.resets += 1;
        return accepted();
    }
  }

  /** One step of virt-controller or of the guest. False: there is nothing to do. */
  step(): boolean {
    const { vmi } = this.#api;
    const [request] = this.#queue;
    if (vmi?.metadata.deletionTimestamp !== undefined) {
      if (hasEnded(vmi)) this.#api.vmi = undefined;
      else this.#api.put({ ...vmi, status: { phase: 'Succeeded' } });
      return true;
    }
    const isTrimmed =
      request !== undefined &&
      (request.action === 'Stop' ? request.uid !== vmi?.metadata.uid : vmi !== undefined && !hasEnded(vmi));
    if (isTrimmed) {
      this.#setQueue(this.#queue.slice(1));
      return true;
    }
    if (vmi === undefined) return this.#startIfDue(request?.action === 'Start');
    const isStopped = request?.action === 'Stop' || this.#strategy === 'Halted';
    const isReplaced = hasEnded(vmi) && (this.#strategy === 'Always' || this.#strategy === 'RerunOnFailure');
    if (!isStopped && !isReplaced) return false;
    this.#api.put({ ...vmi, metadata: { ...vmi.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    return true;
  }

  /** Creates a guest. */
  create(): void {
    this.starts += 1;
    this.#api.put(aVmi({ uid: `vmi-${this.starts}`, graceSeconds: 30 }));
  }

  #startIfDue(isAsked: boolean): boolean {
    if (this.#strategy === 'Halted') {
      if (isAsked) this.#setStrategy('Always');
      return isAsked;
    }
    const isDue = isAsked || this.#strategy === 'Always' || this.#strategy === 'Once';
    if (isDue) this.create();
    return isDue;
  }

  #start(): TransportResponse {
    const { vmi } = this.#api;
    if (this.#running !== undefined) return conflict('VM is already running');
    if (this.#strategy === 'Halted') {
      this.#setStrategy('Always');
      return accepted();
    }
    if (this.#strategy === 'Always' || this.#strategy === 'Once') return conflict('no manual start requests');
    return this.#enqueue([...(vmi === undefined ? [] : [stopOf(vmi)]), { action: 'Start' }]);
  }

  #stop(gracePeriod: number | undefined): TransportResponse {
    const vmi = this.#running;
    const before = vmi?.spec.terminationGracePeriodSeconds ?? 0;
    if (vmi !== undefined && gracePeriod !== undefined) {
      this.#api.put({ ...vmi, spec: { ...vmi.spec, terminationGracePeriodSeconds: gracePeriod } });
    }
    if (this.#strategy === 'Always' || this.#strategy === 'Once') {
      this.#setStrategy('Halted');
      return accepted();
    }
    if (vmi === undefined) return conflict('VM is not running');
    if (this.#strategy === 'Halted' && (gracePeriod === undefined || gracePeriod >= before)) {
      return conflict('Halted only supports manual stop requests with a shorter graceperiod');
    }
    this.#setQueue([stopOf(vmi)]);
    return accepted();
  }

  #restart(): TransportResponse {
    const { vmi } = this.#api;
    if (this.#strategy === 'Halted' || this.#strategy === 'Once') return conflict('no manual restart requests');
    if (vmi === undefined) return conflict('VM is not running');
    return this.#enqueue([stopOf(vmi), { action: 'Start' }]);
  }

  #enqueue(requests: StateChangeRequest[]): TransportResponse {
    if (this.#queue.length > 0) return refusal(500, 'InternalError', 'stop/start already underway');
    this.#setQueue(requests);
    return accepted();
  }

  get #running(): VirtualMachineInstance | undefined {
    const { vmi } = this.#api;
    return vmi === undefined || hasEnded(vmi) ? undefined : vmi;
  }

  get #strategy(): RunStrategy | undefined {
    return this.#api.vm.spec.runStrategy;
  }

  #setStrategy(runStrategy: RunStrategy): void {
    this.#api.edit(({ spec }) => (spec.runStrategy = runStrategy));
  }

  get #queue(): readonly StateChangeRequest[] {
    return this.#api.vm.status?.stateChangeRequests ?? [];
  }

  #setQueue(stateChangeRequests: StateChangeRequest[]): void {
    this.#api.edit((vm) => (vm.status = { ...vm.status, stateChangeRequests }));
  }
}

function stopOf({ metadata }: VirtualMachineInstance): StateChangeRequest {
  return { action: 'Stop', uid: metadata.uid ?? '' };
}

function accepted(): TransportResponse {
  return { status: 202, headers: {}, body: ReadableStream.from<Uint8Array>([]) };
}

function conflict(message: string): TransportResponse {
  return refusal(409, 'Conflict', message);
}

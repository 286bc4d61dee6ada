import { expect } from 'vitest';
import { hasEnded, type RunStrategy } from '../../../api/index.ts';
import { type Clock, KubeClient, type TransportRequest, type TransportResponse } from '@groundcrew/controller-runtime';
import { MachineError, type PowerAction } from '../../../protocols/machine/index.ts';
import type { MachinePair } from '../kubevirt/machine-objects.ts';
import { PowerControl } from '../kubevirt/power/power-control.ts';
import { aBmc, aVm } from './builders.ts';
import { FakeApi, Killed, refusal } from './fake-api.ts';
import { FakeKubeVirt } from './fake-kubevirt.ts';

/**
 * What happens instead of an answer. `after`: the server has carried out the request. `hang`: the deadline of the command
 * passes meanwhile; `later`: the server carries out the request although it was aborted.
 */
export const FAULTS = [
  'kill before',
  'kill after',
  '500 before',
  '500 after',
  '429',
  'reset before',
  'reset after',
  'hang before',
  'hang after',
  'hang later',
] as const;

export interface Fault {
  is: (typeof FAULTS)[number];
  /** Number of requests before it. */
  at: number;
  /** Whether all later requests of the command fail in the same way. */
  lasts: boolean;
}

/** When KubeVirt makes a step. */
export type Pace = 'at rest' | 'at each wait' | 'at each request';

export interface PowerWorldParts {
  strategy: RunStrategy;
  pace: Pace;
  /** The template has changed since the guest was started, so that a restart needs another VMI. */
  isReordered?: boolean;
}

interface Outcome {
  isOn: boolean;
  isPaused: boolean;
  /** Starts, resets and requested reboots. */
  boots: number;
  annotations: object;
}

/** A machine whose agent, API server and KubeVirt may fail at any request of a power command. */
export class PowerWorld {
  readonly #api: FakeApi;
  readonly #kubeVirt: FakeKubeVirt;
  readonly #pace: Pace;
  readonly #clock: Clock;
  #control: PowerControl;
  #now = Date.UTC(2026, 0, 1);
  #fault: Fault | undefined;
  #deadline = new AbortController();
  /** Requests after the deadline of their command. */
  readonly #late: string[] = [];
  /** An aborted request that the server has not carried out yet. */
  #held: (() => void) | undefined;

  constructor({ strategy, pace, isReordered = false }: PowerWorldParts) {
    this.#api = new FakeApi(aBmc(), aVm({ strategy: strategy === 'Halted' ? 'Always' : strategy, annotations: {} }));
    this.#kubeVirt = new FakeKubeVirt(this.#api);
    this.#pace = pace;
    // Halted: virt-api makes it Always when it starts it.
    this.#kubeVirt.create();
    if (isReordered) {
      this.#api.edit(
        ({ spec }) => (spec.template.spec.domain.devices.interfaces = [{ name: 'default', bootOrder: 3 }]),
      );
    }
    this.#api.between = (request, serve) => this.#served(request, serve);
    // Time passes as fast as it is waited for.
    this.#clock = {
      now: () => this.#now,
      monotonic: () => this.#now,
      setTimeout: (callback, milliseconds) => {
        let isCancelled = false;
        queueMicrotask(() => {
          if (isCancelled) return;
          this.#now += milliseconds;
          if (pace === 'at each wait') this.#kubeVirt.step();
          callback();
        });
        return { cancel: () => (isCancelled = true) };
      },
    };
    this.#control = this.#start();
  }

  /** A summary of what clients and the guest have noticed. */
  get outcome(): Outcome {
    const { starts, resets } = this.#kubeVirt;
    const { annotations = {} } = this.#api.vm.metadata;
    return { isOn: this.isOn, isPaused: this.#isPaused, boots: starts + resets, annotations };
  }

  get isOn(): boolean {
    const { vmi } = this.#api;
    return vmi !== undefined && !hasEnded(vmi);
  }

  /** Sends a command to the agent. A killed agent has a successor. */
  async power(action: PowerAction, fault?: Fault): Promise<'accepted' | 'refused' | 'failed' | 'killed'> {
    this.#fault = fault && { ...fault };
    this.#deadline = new AbortController();
    if (fault?.is.startsWith('kill') === true) {
      this.#api.killAfter(fault.at, fault.is === 'kill after' ? 'after' : 'before');
    }
    try {
      await this.#control.power(action, this.#deadline.signal);
      return 'accepted';
    } catch (error) {
      const cause = error instanceof MachineError ? error.cause : error;
      if (cause instanceof Error && cause.cause instanceof Killed) {
        this.#control = this.#start();
        return 'killed';
      }
      if (!(error instanceof MachineError)) throw error;
      return error.code === 'InvalidState' ? 'refused' : 'failed';
    } finally {
      this.#api.revive();
      this.#fault = undefined;
      this.#deadline = new AbortController();
      expect(this.#late).toEqual([]);
    }
  }

  /** KubeVirt makes a number of steps. */
  proceed(steps: number): void {
    for (let step = 0; step < steps; step += 1) this.#kubeVirt.step();
  }

  /** Lets KubeVirt and the agent run until both are idle. */
  async rest(): Promise<void> {
    this.#held?.();
    this.#held = undefined;
    for (let round = 0; round < 20; round += 1) {
      const before = this.#pair;
      while (this.#kubeVirt.step());
      await this.#control.settle(this.#pair);
      const after = this.#pair;
      if (before.vm !== after.vm || before.vmi !== after.vmi) continue;
      if (this.#control.dueIn === undefined) return;
      this.#now += this.#control.dueIn;
    }
    throw new Error('the machine does not come to rest');
  }

  get #pair(): MachinePair {
    return { vm: this.#api.vm, vmi: this.#api.vmi };
  }

  get #isPaused(): boolean {
    return this.#api.vmi?.status?.conditions?.some(({ type }) => type === 'Paused') === true;
  }

  #start(): PowerControl {
    return new PowerControl({
      client: new KubeClient({ transport: this.#api, fieldManager: 'groundcrew-agent-bmc' }),
      machine: { namespace: 'vms', name: 'a' },
      clock: this.#clock,
      signal: new AbortController().signal,
    });
  }

  #served(request: TransportRequest, serve: () => TransportResponse): TransportResponse {
    if (this.#pace === 'at each request') this.#kubeVirt.step();
    const isPause = request.path.endsWith('pause');
    const answer = (): TransportResponse => {
      return request.method === 'PUT' && !isPause ? this.#kubeVirt.answer(request) : serve();
    };
    const fault = this.#fault;
    if (this.#deadline.signal.aborted) this.#late.push(`${request.method} ${request.path}`);
    if (fault === undefined || fault.is.startsWith('kill')) return answer();
    fault.at -= 1;
    if (fault.at >= 0 || (fault.at < -1 && !fault.lasts)) return answer();
    if (fault.is.endsWith('after')) answer();
    if (fault.is === 'hang later') this.#held = answer;
    if (fault.is.startsWith('hang')) {
      this.#deadline.abort(new MachineError('Timeout', 'too late'));
      if (request.signal === undefined) this.#late.push(`${request.method} ${request.path}`);
      throw this.#deadline.signal.reason;
    }
    if (fault.is.startsWith('reset')) throw new Error('ECONNRESET');
    if (fault.is === '429') {
      return { ...refusal(429, 'TooManyRequests', 'Too many requests'), headers: { 'retry-after': '1' } };
    }
    return refusal(500, 'InternalError', 'etcdserver: leader changed');
  }
}

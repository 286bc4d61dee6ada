import jsonPatch from 'fast-json-patch';
import type { VirtualMachine, VirtualMachineBMC, VirtualMachineInstance } from '../../../api/index.ts';
import type { KubeObject, Transport, TransportRequest, TransportResponse } from '@groundcrew/controller-runtime';
import { aVmi } from './builders.ts';

/** How KubeVirt binds the interface that it adds to a VM without one. */
export const POD_BINDING = 'masquerade';
const PAUSED = { type: 'Paused', status: 'True' } as const;

const KUBEVIRT = { spec: { configuration: { network: { defaultNetworkInterface: POD_BINDING } } } };

/** Thrown by requests after the process was killed. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * An API server in memory with one BMC, its VM and its VMI. It implements the requests of an agent: reads, JSON patches with
 * tests, server-side apply of a status with a resource version, and a KubeVirt that starts, stops and pauses at once. It
 * is fast enough for thousands of crashes a second.
 */
export class FakeApi implements Transport {
  bmc: VirtualMachineBMC;
  vm: VirtualMachine;
  vmi: VirtualMachineInstance | undefined;
  #version = 1;
  #life: { requests: number; servesLast: boolean } | undefined;
  /** Called for each request: calls `serve`, returns another answer, or throws if there is no answer. */
  between: (request: TransportRequest, serve: () => TransportResponse) => TransportResponse = (_, serve) => serve();

  constructor(bmc: VirtualMachineBMC, vm: VirtualMachine) {
    this.bmc = this.#stamped(bmc);
    this.vm = this.#stamped(vm);
  }

  /** Kills the process at the request after `requests` requests, before or after the server executes it. */
  killAfter(requests: number, when: 'before' | 'after'): void {
    this.#life = { requests, servesLast: when === 'after' };
  }

  revive(): void {
    this.#life = undefined;
  }

  /** Updates the VMI as KubeVirt. */
  put(vmi: VirtualMachineInstance): void {
    this.vmi = this.#stamped(vmi);
  }

  /** Changes the VM as another client. */
  edit(change: (vm: VirtualMachine) => void): void {
    const vm = structuredClone(this.vm);
    change(vm);
    this.vm = this.#stamped(vm);
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    const life = this.#life;
    const dies = life !== undefined && life.requests <= 0;
    if (dies && !life.servesLast) return Promise.reject(new Killed('killed'));
    if (life !== undefined) this.#life = { requests: life.requests - 1, servesLast: life.servesLast && !dies };
    return this.#served(request).then((answer) => (dies ? Promise.reject(new Killed('killed')) : answer));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  // oxlint-disable-next-line typescript/require-await -- turns an exception of `between` into a rejection
  async #served(request: TransportRequest): Promise<TransportResponse> {
    return this.between(request, () => this.#answer(request));
  }

  #answer({ method, path, body: sent = '' }: TransportRequest): TransportResponse {
    const [, resource] = /namespaces\/vms\/(virtualmachine(?:bmc|instance|)s)\//.exec(path) ?? [];
    if (path.includes('/kubevirts')) return { status: 200, headers: {}, body: body({ items: [KUBEVIRT] }) };
    if (method === 'GET') return reply(this.#object(resource));
    if (method === 'PUT') return this.#lifecycle(path.slice(path.lastIndexOf('/') + 1));
    if (resource === 'virtualmachines') return this.#patchVm(JSON.parse(sent) as jsonPatch.Operation[]);
    return this.#applyStatus(JSON.parse(sent) as VirtualMachineBMC);
  }

  #object(resource: string | undefined): KubeObject | undefined {
    if (resource === 'virtualmachinebmcs') return this.bmc;
    return resource === 'virtualmachines' ? this.vm : this.vmi;
  }

  #lifecycle(subresource: string): TransportResponse {
    if (subresource === 'pause' || subresource === 'unpause') return this.#pause(subresource === 'pause');
    if (subresource === 'softreboot' && this.vmi !== undefined) return reply(this.vmi);
    if ((subresource === 'start') === (this.vmi !== undefined)) return refusal(409, 'Conflict', 'VM is in that state');
    this.vmi = subresource === 'start' ? aVmi({ uid: `vmi-of-${this.#version}` }) : undefined;
    return reply(this.vm);
  }

  #pause(paused: boolean): TransportResponse {
    const { vmi } = this;
    const isPaused = vmi?.status?.conditions?.some(({ type }) => type === 'Paused') === true;
    if (vmi === undefined || isPaused === paused) {
      return refusal(409, 'Conflict', paused ? 'VMI is already paused' : 'VMI is not paused');
    }
    this.put({ ...vmi, status: { ...vmi.status, conditions: paused ? [PAUSED] : [] } });
    return reply(this.vmi);
  }

  #patchVm(patch: jsonPatch.Operation[]): TransportResponse {
    const vm = structuredClone(this.vm);
    try {
      jsonPatch.applyPatch(vm, patch, true);
    } catch {
      return refusal(422, 'Invalid', 'the server rejected our request due to an error in our request');
    }
    const orders = [
      ...(vm.spec.template.spec.domain.devices.disks ?? []),
      ...(vm.spec.template.spec.domain.devices.interfaces ?? []),
    ]
      .map(({ bootOrder }) => bootOrder)
      .filter((order) => order !== undefined);
    if (new Set(orders).size < orders.length || orders.some((order) => order < 1)) {
      return refusal(422, 'Invalid', 'admission webhook "virtual-machine-validator.kubevirt.io" denied the request');
    }
    this.vm = this.#stamped(vm);
    return reply(this.vm);
  }

  #applyStatus(applied: VirtualMachineBMC): TransportResponse {
    if (applied.metadata.resourceVersion !== this.bmc.metadata.resourceVersion) {
      return refusal(409, 'Conflict', 'the object has been modified');
    }
    this.bmc = this.#stamped({ ...this.bmc, ...(applied.status === undefined ? {} : { status: applied.status }) });
    return reply(this.bmc);
  }

  #stamped<T extends KubeObject>(object: T): T {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }
}

function reply(object: KubeObject | undefined): TransportResponse {
  if (object === undefined) return refusal(404, 'NotFound', 'not found');
  return { status: 200, headers: {}, body: body(structuredClone(object)) };
}

/** An error response of the API server. */
export function refusal(status: number, reason: string, message: string): TransportResponse {
  return {
    status,
    headers: {},
    body: body({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message }),
  };
}

/** A stream of one chunk; much faster than a ReadableStream. */
function body(value: unknown): AsyncIterable<Uint8Array> {
  const chunks = [Buffer.from(JSON.stringify(value))].values();
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(chunks.next()) }) };
}

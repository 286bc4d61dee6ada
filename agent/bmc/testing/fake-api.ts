import { isDeepStrictEqual } from 'node:util';
import jsonPatch from 'fast-json-patch';
import type { DataVolume, VirtualMachine, VirtualMachineBMC, VirtualMachineInstance } from '../../../api/index.ts';
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
  /** By name. */
  readonly volumes = new Map<string, DataVolume>();
  #version = 1;
  #life: { requests: number; servesLast: boolean } | undefined;
  #hasKilled = false;
  /** Requests until the restore; undefined: none. */
  #restoredIn: number | undefined;
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

  /** Deletes all objects before the request after `requests` requests, and restores them without status. */
  restoreAfter(requests: number): void {
    this.#restoredIn = requests;
  }

  /**
   * Also collects garbage.
   *
   * @returns whether the process was killed since the last call, or its objects were restored
   */
  revive(): boolean {
    if (this.#restoredIn !== undefined) this.#restore();
    for (const [name, { metadata }] of this.volumes) {
      if (metadata.ownerReferences?.[0]?.uid !== this.bmc.metadata.uid) this.volumes.delete(name);
    }
    const isInterrupted = this.#hasKilled;
    this.#life = undefined;
    this.#hasKilled = false;
    return isInterrupted;
  }

  /** As Velero does by default: new objects with the same metadata and spec, and no VMI. */
  #restore(): void {
    const { apiVersion, kind, metadata, spec } = this.bmc;
    this.#restoredIn = undefined;
    this.#hasKilled = true;
    const uid = `restored-${this.#version}`;
    this.bmc = this.#stamped({ apiVersion, kind, metadata: { ...metadata, uid: `bmc-${uid}` }, spec });
    this.vm = this.#stamped({ ...this.vm, metadata: { ...this.vm.metadata, uid: `vm-${uid}` } });
    this.vmi = undefined;
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
    if (this.#restoredIn === 0) this.#restore();
    if (this.#restoredIn !== undefined) this.#restoredIn -= 1;
    const life = this.#life;
    const dies = life !== undefined && life.requests <= 0;
    this.#hasKilled ||= dies;
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
    const [, volume] = /\/datavolumes\/([^/?]+)/.exec(path) ?? [];
    if (volume !== undefined) return this.#volume(method, volume, sent);
    if (path.includes('/secrets/')) return reply(undefined);
    if (method === 'GET') return reply(this.#object(resource));
    if (method === 'PUT') return this.#lifecycle(path.slice(path.lastIndexOf('/') + 1));
    if (resource === 'virtualmachines') return this.#patchVm(JSON.parse(sent) as jsonPatch.Operation[]);
    return this.#applyStatus(JSON.parse(sent) as VirtualMachineBMC);
  }

  #volume(method: string, name: string, sent: string): TransportResponse {
    const before = this.volumes.get(name);
    if (method === 'PATCH') this.volumes.set(name, this.#stamped({ ...before, ...(JSON.parse(sent) as DataVolume) }));
    if (method === 'DELETE') this.volumes.delete(name);
    return reply(this.volumes.get(name) ?? before);
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
    const isSame = isDeepStrictEqual(vm.spec, this.vm.spec);
    if (isSame) return reply((this.vm = this.#stamped(vm)));
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

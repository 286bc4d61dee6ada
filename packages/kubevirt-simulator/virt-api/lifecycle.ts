import {
  isFinal,
  type StateChangeRequest,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import { runStrategyOf } from '../virtual-machines/index.ts';
import { parseRequestOptions, type RequestOptions } from './guest-requests.ts';

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  op: 'test' | 'add' | 'replace' | 'remove';
  path: string;
  value?: unknown;
}

/** The writes of a request: first to the instance, then to the VM or its status. */
export interface LifecycleChange {
  instance?: JsonPatchOperation[];
  virtualMachine: { subresource?: 'status'; patch: JsonPatchOperation[] };
  /** Delete the instance's pod with a grace period of 1 s after the write to the VM: a forced restart. */
  deletePod?: boolean;
  /** Thrown after the patch of the instance. */
  refusal?: StatusError;
  dryRun: boolean;
}

/** The input for a lifecycle request. */
export interface LifecycleView {
  vm: VirtualMachine;
  vmi: VirtualMachineInstance | undefined;
  body: string;
}

/**
 * `virtualmachines/{start,stop,restart}` as in virt-api (`pkg/virt-api/rest/lifecycle.go`): a JSON patch of the run strategy
 * or of the queue of requests, with a test of the previous value. @throws StatusError
 */
export const LIFECYCLE: Record<'start' | 'stop' | 'restart', (view: LifecycleView) => LifecycleChange> = {
  start: ({ vm, vmi, body }) => {
    const phase = vmi?.status?.phase;
    if (vmi !== undefined && !isFinal(vmi) && phase !== undefined && phase !== 'Unknown') {
      throw conflict(vm, 'VM is already running');
    }
    const options = parseRequestOptions(body);
    const request: StateChangeRequest = {
      action: 'Start',
      ...(options.paused ? { data: { paused: 'true' } } : {}),
    };
    switch (strategyOf(vm)) {
      case 'Halted':
        if (options.paused) return queued(vm, [request], options);
        return { virtualMachine: { patch: setRunning(vm, true) }, dryRun: options.dryRun };
      case 'RerunOnFailure':
        if (phase === 'Failed') throw conflict(vm, 'RerunOnFailure does not support starting VM from failed state');
        return queued(vm, [...stopOf(vmi), request], options);
      case 'Manual':
        return queued(vm, [...stopOf(vmi), request], options);
      case 'Always':
      case 'Once':
        throw conflict(vm, `${strategyOf(vm)} does not support manual start requests`);
    }
  },

  stop: ({ vm, vmi, body }) => {
    const options = parseRequestOptions(body);
    const strategy = strategyOf(vm);
    if (strategy === 'Always' || strategy === 'Once') {
      return {
        ...gracePatch(vmi, options),
        virtualMachine: { patch: setRunning(vm, false) },
        dryRun: options.dryRun,
      };
    }
    if (vmi === undefined || isFinal(vmi)) throw conflict(vm, 'VM is not running');
    const grace = vmi.spec.terminationGracePeriodSeconds;
    const shorter = options.gracePeriod !== undefined && (grace === undefined || options.gracePeriod < grace);
    const change = { ...gracePatch(vmi, options), ...queued(vm, [stopRequest(vmi)], options) };
    if (strategy !== 'Halted' || shorter) return change;
    const refusal = conflict(vm, 'Halted only supports manual stop requests with a shorter graceperiod');
    return { ...change, refusal };
  },

  restart: ({ vm, vmi, body }) => {
    const options = restartOptions(body);
    const strategy = strategyOf(vm);
    if (strategy === 'Halted' || strategy === 'Once') {
      throw conflict(vm, `RunStategy ${strategy} does not support manual restart requests`);
    }
    if (vmi === undefined) throw conflict(vm, 'VM is not running: Halted');
    return {
      ...queued(vm, [stopRequest(vmi), { action: 'Start' }], options),
      ...(options.gracePeriodSeconds === 0 ? { deletePod: true } : {}),
    };
  },
};

function restartOptions(body: string): RequestOptions {
  const options = parseRequestOptions(body);
  const grace = options.gracePeriodSeconds;
  if (grace !== undefined && grace > 0) {
    throw StatusError.badRequest('For force restart, only gracePeriod=0 is supported for now');
  }
  if (grace !== undefined && grace < 0) {
    throw StatusError.badRequest('gracePeriod has to be greater or equal to 0');
  }
  return options;
}

function strategyOf(vm: VirtualMachine): NonNullable<ReturnType<typeof runStrategyOf>> {
  const strategy = runStrategyOf(vm.spec);
  if (strategy === undefined) throw StatusError.internal('Running and RunStrategy are mutually exclusive');
  return strategy;
}

function stopOf(vmi: VirtualMachineInstance | undefined): StateChangeRequest[] {
  return vmi !== undefined && isFinal(vmi) ? [stopRequest(vmi)] : [];
}

function stopRequest(vmi: VirtualMachineInstance): StateChangeRequest {
  return { action: 'Stop', uid: vmi.metadata.uid ?? '' };
}

/** A stop replaces the queue; other requests require an empty one. */
function queued(vm: VirtualMachine, changes: StateChangeRequest[], options: RequestOptions): LifecycleChange {
  const { dryRun } = options;
  if (vm.status === undefined || Object.keys(vm.status).length === 0) {
    const patch: JsonPatchOperation[] = [{ op: 'add', path: '/status', value: { stateChangeRequests: changes } }];
    return { virtualMachine: { subresource: 'status', patch }, dryRun };
  }
  const path = '/status/stateChangeRequests';
  const present = vm.status.stateChangeRequests ?? [];
  const onlyStop = changes.length === 1 && changes[0]?.action === 'Stop';
  if (present.length > 0 && !onlyStop) {
    throw StatusError.internal('unable to complete request: stop/start already underway');
  }
  const patch: JsonPatchOperation[] = [
    { op: 'test', path, value: vm.status.stateChangeRequests ?? null },
    { op: present.length > 0 ? 'replace' : 'add', path, value: changes },
  ];
  if (vm.status.startFailure !== undefined) patch.push({ op: 'remove', path: '/status/startFailure' });
  return { virtualMachine: { subresource: 'status', patch }, dryRun };
}

function setRunning(vm: VirtualMachine, running: boolean): JsonPatchOperation[] {
  const [path, present, value] =
    vm.spec.runStrategy === undefined
      ? ['/spec/running', vm.spec.running, running]
      : ['/spec/runStrategy', vm.spec.runStrategy, running ? 'Always' : 'Halted'];
  return [
    { op: 'test', path, value: present },
    { op: 'replace', path, value },
  ];
}

function gracePatch(
  vmi: VirtualMachineInstance | undefined,
  options: RequestOptions,
): Pick<LifecycleChange, 'instance'> {
  if (vmi === undefined || isFinal(vmi) || options.gracePeriod === undefined) return {};
  const path = '/spec/terminationGracePeriodSeconds';
  return {
    instance: [
      { op: 'test', path, value: vmi.spec.terminationGracePeriodSeconds ?? null },
      { op: 'add', path, value: options.gracePeriod },
    ],
  };
}

function conflict(vm: VirtualMachine, why: string): StatusError {
  return StatusError.conflict('virtualmachine', vm.metadata.name, why);
}

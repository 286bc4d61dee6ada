import {
  isReleased,
  isRetained,
  NETWORK_CONFIG_CONDITIONS,
  type Condition,
  type IPLease,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigStatus,
} from '../../../api/index.ts';
import { conditionsOf, holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Inputs, InterfaceInputs } from '../inputs.ts';
import { REASONS, type Problem, type Reason } from './problems.ts';

/** The result for an interface. */
export interface Outcome {
  lease?: IPLease;
  /** Present in case of a problem. */
  result?: Problem;
}

type Phase = NonNullable<VirtualMachineNetworkConfigStatus['phase']>;

/** Reasons that only a user can resolve. */
const FINAL: ReadonlySet<Reason> = new Set([
  REASONS.duplicateMAC,
  REASONS.addressOutOfNetwork,
  REASONS.addressUnusable,
  REASONS.addressExcluded,
  REASONS.addressReserved,
  REASONS.refused,
]);

/** Maximum number of interfaces in a condition's message. */
const MOST_TOLD = 8;
/** Maximum length of `status.networkConfigs`. */
const MOST_ENTRIES = 128;

/**
 * The complete status of a config.
 *
 * @param outcomes of its interfaces, in the order of the spec; empty if it gets no leases
 * @param released leases of this pass
 * @param now milliseconds since 1970
 */
export function statusOf(
  inputs: Inputs,
  outcomes: readonly Outcome[],
  released: readonly IPLease[],
  now: number,
): VirtualMachineNetworkConfigStatus {
  const { config, interfaces } = inputs;
  const isPaused = config.spec.paused === true;
  const entries = interfaces.map(({ networkName, macAddress }, index) => {
    const lease = outcomes[index]?.lease;
    return lease === undefined
      ? { networkName, macAddress, state: 'Pending' as const }
      : { networkName, macAddress, allocatedIPAddress: lease.spec.ipAddress, state: 'Allocated' as const };
  });
  const allocated = isPaused ? paused(config) : allocation(interfaces, outcomes);
  return {
    phase: phase(config, allocated, outcomes),
    networkConfigs: [...entries, ...stale(inputs, released)].slice(0, MOST_ENTRIES),
    conditions: conditions(config, { allocated, isPaused, inSync: inSync(interfaces, outcomes) }, now),
  };
}

function allocation(interfaces: readonly InterfaceInputs[], outcomes: readonly Outcome[]): ConditionResult {
  const told = outcomes.flatMap(({ result }, index) => {
    const each = interfaces[index];
    return result === undefined || each === undefined
      ? []
      : [{ ...result, message: `${each.macAddress} on ${each.network}: ${result.message}` }];
  });
  const isAllocated = outcomes.every(({ lease, result }) => lease !== undefined && isHarmless(result));
  const worst = told.find(({ reason }) => reason !== REASONS.addressConflict) ?? told[0];
  if (worst === undefined) {
    const count = interfaces.length;
    const message =
      count === 0
        ? 'No interface asks for an address.'
        : count === 1
          ? 'The interface has its address.'
          : `All ${count} interfaces have their addresses.`;
    return holds(REASONS.allocated, message);
  }
  const more = told.length > MOST_TOLD ? [`And ${told.length - MOST_TOLD} more.`] : [];
  const message = [...told.slice(0, MOST_TOLD).map((one) => one.message), ...more].join(' ');
  return { status: isAllocated ? 'True' : 'False', reason: worst.reason, message };
}

/** Whether the interface has its address despite the reported problem. */
function isHarmless(result: Problem | undefined): boolean {
  return result === undefined || result.reason === REASONS.addressConflict;
}

function paused({ spec }: VirtualMachineNetworkConfig): ConditionResult {
  const message = `spec.paused is true: no interface of VirtualMachine ${spec.vmName} has an address.`;
  return holdsNot(REASONS.paused, message);
}

/** Whether no interface has an address that differs from its spec. */
function inSync(interfaces: readonly InterfaceInputs[], outcomes: readonly Outcome[]): ConditionResult {
  const index = outcomes.findIndex(({ lease, result }) => lease !== undefined && !isHarmless(result));
  const each = interfaces[index];
  if (each === undefined) return holds('InSynced', 'No address is leased that the spec does not ask for.');
  const message = `${each.macAddress} on ${each.network} keeps ${outcomes[index]?.lease?.spec.ipAddress ?? ''} until it can have what the spec says.`;
  return holdsNot('AddressPending', message);
}

/**
 * - `Ready`: each interface has its address.
 * - `Paused`: paused by a user; no interface has one.
 * - `Failed`: an interface cannot get one until a user changes something.
 * - `Degraded`: it was Ready and now lacks something, or another machine uses its address.
 * - `Pending`: an interface waits for an address.
 */
function phase(
  { spec, status }: VirtualMachineNetworkConfig,
  allocated: ConditionResult,
  outcomes: readonly Outcome[],
): Phase {
  if (spec.paused === true) return 'Paused';
  if (allocated.status === 'True') return allocated.reason === REASONS.allocated ? 'Ready' : 'Degraded';
  if (outcomes.some(({ result }) => result !== undefined && FINAL.has(result.reason))) return 'Failed';
  return status?.phase === 'Ready' || status?.phase === 'Degraded' ? 'Degraded' : 'Pending';
}

/** Released addresses that no interface requests and that are not free yet. */
function stale({ interfaces, leases }: Inputs, released: readonly IPLease[]) {
  const gone = new Set(released);
  return leases
    .filter(({ lease, mac, network }) => {
      const isAsked = interfaces.some((each) => each.mac === mac && each.label === network);
      return !isAsked && !isRetained(lease) && (gone.has(lease) || isReleased(lease));
    })
    .map(({ lease: { spec }, networkName }) => ({
      networkName,
      macAddress: spec.macAddress,
      allocatedIPAddress: spec.ipAddress,
      state: 'Stale' as const,
    }));
}

function conditions(
  { metadata, status }: VirtualMachineNetworkConfig,
  { allocated, isPaused, inSync }: { allocated: ConditionResult; isPaused: boolean; inSync: ConditionResult },
  now: number,
): Condition[] {
  const disabled: ConditionResult = isPaused
    ? holds('Paused', 'spec.paused is true.')
    : holdsNot('Enabled', 'spec.paused is not set.');
  const observedGeneration = metadata.generation ?? 0;
  const evaluations = {
    [NETWORK_CONFIG_CONDITIONS.allocated]: allocated,
    [NETWORK_CONFIG_CONDITIONS.disabled]: disabled,
    [NETWORK_CONFIG_CONDITIONS.inSynced]: inSync,
  };
  return conditionsOf(evaluations, status?.conditions, observedGeneration, now);
}

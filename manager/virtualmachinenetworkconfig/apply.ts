import {
  ANNOTATIONS,
  formatIpv4,
  isDeclined,
  isReleased,
  type IPLease,
  type Ipv4,
  type VirtualMachine,
} from '../../api/index.ts';
import type { Cache } from '@groundcrew/controller-runtime';
import { isRefusal } from '../refusal.ts';
import type { Allocation, Ipam } from '../ipam/index.ts';
import type { Inputs, InterfaceInputs, PoolInputs } from './inputs.ts';
import { holderOf } from './holder.ts';
import { addressInUse, quotaExceeded, REASONS, problemOf, type Problem } from './conditions/problems.ts';
import type { InterfacePlan, Plan } from './conditions/plan.ts';
import type { Outcome } from './conditions/status.ts';
import { release, remove, retain, revive, type LeaseWriter } from './lease-release.ts';
import type { Waiting } from './waiting.ts';

export interface Writer extends LeaseWriter {
  ipam: Ipam;
  virtualMachines: Cache<VirtualMachine>;
  /** Milliseconds in which agents stop serving a released lease. */
  grace: number;
  waiting: Pick<Waiting, 'isAwaited'>;
}

/** The result for an interface, and its follow-up. */
export interface Applied extends Outcome {
  /** The interface waits for a free address: any of its network, or that one. */
  waitsFor?: { network: string; address?: Ipv4 };
  /** Milliseconds until the next attempt. */
  lookAgain?: number;
}

/** Milliseconds until a rejected write is tried again; no watch reports when it would be accepted. */
const REFUSED_AGAIN = 30_000;
const CONTENDED_AGAIN = 200;

/**
 * Executes a plan. Releases come first, so that no MAC address has two leases.
 *
 * @returns the results of the interfaces, in their order
 * @throws ApiError, TransportError for temporary failures
 */
export async function apply(plan: Plan, inputs: Inputs, writer: Writer): Promise<Applied[]> {
  for (const { lease, retain: isKept } of plan.release)
    await (isKept === true ? retain(lease, writer) : release(lease, writer));
  const applied: Applied[] = [];
  for (const [index, each] of inputs.interfaces.entries()) {
    const step = plan.interfaces[index];
    if (step === undefined) continue;
    try {
      applied.push(await carryOut(step, each, inputs, writer));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const result = { reason: REASONS.refused, message: `The API server refused the lease: ${error.serverMessage}` };
      applied.push({ result, lookAgain: REFUSED_AGAIN });
    }
  }
  return applied;
}

async function carryOut(step: InterfacePlan, each: InterfaceInputs, inputs: Inputs, writer: Writer): Promise<Applied> {
  switch (step.do) {
    case 'Keep':
      return {
        lease: step.lease,
        ...(step.result === undefined ? {} : { result: step.result }),
        ...(step.address === undefined ? {} : { waitsFor: waitFor(each, step.address) }),
      };
    case 'Revive':
      return (await revive(step.lease, writer)) ? { lease: step.lease } : contended();
    case 'Wait':
      // Do not wait for any address if no free address could be used: a wake-up would be lost for others.
      return {
        result: step.result,
        ...(step.address === undefined ? {} : { waitsFor: waitFor(each, step.address) }),
      };
    case 'Allocate':
      return await allocate(step, each, inputs, writer);
    case 'Claim':
      return await claim(step, each, inputs, writer);
    case 'HandOver':
      return await handOver(step, each, inputs, writer);
  }
}

async function allocate(
  { pools, preferred }: Extract<InterfacePlan, { do: 'Allocate' }>,
  each: InterfaceInputs,
  inputs: Inputs,
  writer: Writer,
): Promise<Applied> {
  const holder = holderOf(inputs, each, writer.virtualMachines.get(refOfVm(inputs)), undefined);
  let full: PoolInputs | undefined;
  let lookAgain = Infinity;
  for (const pool of preferredFirst(pools, preferred)) {
    const allocation = await writer.ipam.allocate(pool.pool, holder, preferred);
    if (allocation.outcome === 'Leased') return { lease: allocation.lease };
    if (allocation.outcome === 'QuotaExceeded') return overQuota(allocation.most, inputs);
    if (allocation.outcome === 'Contended') return contended();
    full ??= pool;
    if (allocation.outcome === 'Full') lookAgain = Math.min(lookAgain, allocation.lookAgain ?? Infinity);
  }
  if (full === undefined) return contended();
  const later = lookAgain === Infinity ? {} : { lookAgain };
  return { result: problemOf(full), waitsFor: waitFor(each), ...later };
}

/** Moves the pool of the preferred address to the front; the others keep their order. */
function preferredFirst(pools: readonly PoolInputs[], preferred: Ipv4 | undefined): readonly PoolInputs[] {
  if (preferred === undefined) return pools;
  const has = ({ addresses }: PoolInputs): boolean => addresses?.isLeasable(preferred) === true;
  return [...pools.filter(has), ...pools.filter((pool) => !has(pool))];
}

async function claim(
  { pool, address, hostname }: { pool: PoolInputs; address: Ipv4; hostname?: string },
  each: InterfaceInputs,
  inputs: Inputs,
  writer: Writer,
): Promise<Applied> {
  const holder = holderOf(inputs, each, writer.virtualMachines.get(refOfVm(inputs)), hostname);
  const allocation: Allocation = await writer.ipam.claim(pool.pool, address, holder);
  if (allocation.outcome === 'Leased') return { lease: allocation.lease };
  if (allocation.outcome === 'QuotaExceeded') return overQuota(allocation.most, inputs);
  if (allocation.outcome !== 'InUse' || allocation.by === undefined) return contended();
  const { fixed } = each;
  if (fixed === undefined) return contended();
  return { result: addressInUse(fixed, allocation.by), waitsFor: waitFor(each, address) };
}

type HandOver = Extract<InterfacePlan, { do: 'HandOver' }>;

async function handOver(step: HandOver, each: InterfaceInputs, inputs: Inputs, writer: Writer): Promise<Applied> {
  const { from, address } = step;
  if (isReleased(from)) {
    // After the old lease is deleted, any config could take the address. It becomes free early only for its own VM.
    if (isDeclined(from) || writer.waiting.isAwaited(each.label, address, inputs.config.metadata)) {
      return { result: heldStill(step, each), waitsFor: waitFor(each, address) };
    }
    const wait = freeFrom(from, writer) - writer.clock.now();
    if (wait > 0) return { result: handingOver(step), lookAgain: wait };
    await remove(from, writer);
    return await claim(step, each, inputs, writer);
  }
  await release(from, writer, true);
  return { result: handingOver(step), lookAgain: writer.grace };
}

function handingOver({ from, address }: HandOver): Problem {
  const message = `The VM had ${formatIpv4(address)} as ${from.spec.macAddress} until now; it follows in a moment.`;
  return { reason: REASONS.handingOver, message };
}

function heldStill({ from, address }: HandOver, { fixed }: InterfaceInputs): Problem {
  if (fixed !== undefined) return addressInUse(fixed, from);
  const message = `The VM had ${formatIpv4(address)} as ${from.spec.macAddress}; it follows when that lease has run out.`;
  return { reason: REASONS.handingOver, message };
}

/** When no agent serves it any more; milliseconds since 1970. */
function freeFrom({ metadata }: IPLease, { clock, grace }: Writer): number {
  const releasedAt = Date.parse(metadata.annotations?.[ANNOTATIONS.releasedAt] ?? '');
  return (Number.isNaN(releasedAt) ? clock.now() : releasedAt) + grace;
}

function overQuota(most: number, { config }: Inputs): Applied {
  return { result: quotaExceeded(config.metadata.namespace ?? '', most), lookAgain: REFUSED_AGAIN };
}

function contended(): Applied {
  const message = 'Others were faster at taking addresses; it is tried again.';
  return { result: { reason: REASONS.contended, message }, lookAgain: CONTENDED_AGAIN };
}

function waitFor({ label }: InterfaceInputs, address?: Ipv4) {
  return { network: label, ...(address === undefined ? {} : { address }) };
}

function refOfVm({ virtualMachine }: Inputs) {
  const slash = virtualMachine.indexOf('/');
  return { namespace: virtualMachine.slice(0, slash), name: virtualMachine.slice(slash + 1) };
}

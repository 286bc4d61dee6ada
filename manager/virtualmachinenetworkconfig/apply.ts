import { ANNOTATIONS, formatIpv4, type IPLease, type Ipv4, type VirtualMachine } from '../../api/index.ts';
import type { Cache } from '@groundcrew/controller-runtime';
import { isRefusal } from '../children/index.ts';
import type { Allocation, Ipam } from '../ipam/index.ts';
import type { Facts, InterfaceFacts, PoolFacts } from './facts.ts';
import { holderOf } from './holder.ts';
import { addressInUse } from './judge/address-problem.ts';
import { REASONS, type Finding } from './judge/finding.ts';
import { isDeclined, isReleased } from './judge/lease-state.ts';
import type { InterfacePlan, Plan } from './judge/plan.ts';
import { problemOf } from './judge/pool-problem.ts';
import type { Outcome } from './judge/status.ts';
import { release, remove, retain, revive, type LeaseWriter } from './leases/index.ts';
import type { Waiting } from './waiting.ts';

export interface Writer extends LeaseWriter {
  ipam: Ipam;
  virtualMachines: Cache<VirtualMachine>;
  /** Milliseconds that agents have to stop serving a lease that was let go. */
  grace: number;
  waiting: Pick<Waiting, 'isAwaited'>;
}

/** What became of an interface, and what is to be done about it later. */
export interface Applied extends Outcome {
  /** It waits for an address to become free: any of its network, or that one. */
  waitsFor?: { network: string; address?: Ipv4 };
  /** Milliseconds. */
  lookAgain?: number;
}

/** What the server refused may be allowed later, and nothing tells of that; milliseconds. */
const REFUSED_AGAIN = 30_000;
const CONTENDED_AGAIN = 200;

/**
 * Carries a plan out: what is let go first, so that no MAC address has two leases.
 *
 * @returns what became of the interfaces, in their order
 * @throws ApiError, TransportError for what may go well the next time
 */
export async function apply(plan: Plan, facts: Facts, writer: Writer): Promise<Applied[]> {
  for (const { lease, retain: isKept } of plan.release)
    await (isKept === true ? retain(lease, writer) : release(lease, writer));
  const applied: Applied[] = [];
  for (const [index, each] of facts.interfaces.entries()) {
    const step = plan.interfaces[index];
    if (step === undefined) continue;
    try {
      applied.push(await carryOut(step, each, facts, writer));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const finding = { reason: REASONS.refused, message: `The API server refused the lease: ${error.serverMessage}` };
      applied.push({ finding, lookAgain: REFUSED_AGAIN });
    }
  }
  return applied;
}

async function carryOut(step: InterfacePlan, each: InterfaceFacts, facts: Facts, writer: Writer): Promise<Applied> {
  switch (step.do) {
    case 'Keep':
      return {
        lease: step.lease,
        ...(step.finding === undefined ? {} : { finding: step.finding }),
        ...(step.address === undefined ? {} : { waitsFor: waitFor(each, step.address) }),
      };
    case 'Revive':
      return (await revive(step.lease, writer)) ? { lease: step.lease } : contended();
    case 'Wait':
      // For any address none waits whom none would help: it would be woken in the place of one who could use it.
      return {
        finding: step.finding,
        ...(step.address === undefined ? {} : { waitsFor: waitFor(each, step.address) }),
      };
    case 'Allocate':
      return await allocate(step, each, facts, writer);
    case 'Claim':
      return await claim(step, each, facts, writer);
    case 'HandOver':
      return await handOver(step, each, facts, writer);
  }
}

async function allocate(
  { pools, preferred }: Extract<InterfacePlan, { do: 'Allocate' }>,
  each: InterfaceFacts,
  facts: Facts,
  writer: Writer,
): Promise<Applied> {
  const holder = holderOf(facts, each, writer.virtualMachines.get(refOfVm(facts)), undefined);
  let full: PoolFacts | undefined;
  let lookAgain = Infinity;
  for (const pool of preferredFirst(pools, preferred)) {
    const allocation = await writer.ipam.allocate(pool.pool, holder, preferred);
    if (allocation.outcome === 'Leased') return { lease: allocation.lease };
    if (allocation.outcome === 'Contended') return contended();
    full ??= pool;
    if (allocation.outcome === 'Full') lookAgain = Math.min(lookAgain, allocation.lookAgain ?? Infinity);
  }
  if (full === undefined) return contended();
  const later = lookAgain === Infinity ? {} : { lookAgain };
  return { finding: problemOf(full), waitsFor: waitFor(each), ...later };
}

/** The pool that has the address goes before the others, which keep their order. */
function preferredFirst(pools: readonly PoolFacts[], preferred: Ipv4 | undefined): readonly PoolFacts[] {
  if (preferred === undefined) return pools;
  const has = ({ addresses }: PoolFacts): boolean => addresses?.isLeasable(preferred) === true;
  return [...pools.filter(has), ...pools.filter((pool) => !has(pool))];
}

async function claim(
  { pool, address, hostname }: { pool: PoolFacts; address: Ipv4; hostname?: string },
  each: InterfaceFacts,
  facts: Facts,
  writer: Writer,
): Promise<Applied> {
  const holder = holderOf(facts, each, writer.virtualMachines.get(refOfVm(facts)), hostname);
  const allocation: Allocation = await writer.ipam.claim(pool.pool, address, holder);
  if (allocation.outcome === 'Leased') return { lease: allocation.lease };
  if (allocation.outcome !== 'InUse' || allocation.by === undefined) return contended();
  const { fixed } = each;
  if (fixed === undefined) return contended();
  return { finding: addressInUse(fixed, allocation.by), waitsFor: waitFor(each, address) };
}

type HandOver = Extract<InterfacePlan, { do: 'HandOver' }>;

async function handOver(step: HandOver, each: InterfaceFacts, facts: Facts, writer: Writer): Promise<Applied> {
  const { from, address } = step;
  if (isReleased(from)) {
    // Between the end of one lease and the next an address is anybody's, and only for its own VM is it free this early.
    if (isDeclined(from) || writer.waiting.isAwaited(each.label, address, facts.config.metadata)) {
      return { finding: heldStill(step, each), waitsFor: waitFor(each, address) };
    }
    const wait = freeFrom(from, writer) - writer.clock.now();
    if (wait > 0) return { finding: handingOver(step), lookAgain: wait };
    await remove(from, writer);
    return await claim(step, each, facts, writer);
  }
  await release(from, writer, true);
  return { finding: handingOver(step), lookAgain: writer.grace };
}

function handingOver({ from, address }: HandOver): Finding {
  const message = `The VM had ${formatIpv4(address)} as ${from.spec.macAddress} until now; it follows in a moment.`;
  return { reason: REASONS.handingOver, message };
}

function heldStill({ from, address }: HandOver, { fixed }: InterfaceFacts): Finding {
  if (fixed !== undefined) return addressInUse(fixed, from);
  const message = `The VM had ${formatIpv4(address)} as ${from.spec.macAddress}; it follows when that lease has run out.`;
  return { reason: REASONS.handingOver, message };
}

/** When no agent serves it any more; milliseconds since 1970. */
function freeFrom({ metadata }: IPLease, { clock, grace }: Writer): number {
  const releasedAt = Date.parse(metadata.annotations?.[ANNOTATIONS.releasedAt] ?? '');
  return (Number.isNaN(releasedAt) ? clock.now() : releasedAt) + grace;
}

function contended(): Applied {
  const message = 'Others were faster at taking addresses; it is tried again.';
  return { finding: { reason: REASONS.contended, message }, lookAgain: CONTENDED_AGAIN };
}

function waitFor({ label }: InterfaceFacts, address?: Ipv4) {
  return { network: label, ...(address === undefined ? {} : { address }) };
}

function refOfVm({ virtualMachine }: Facts) {
  const slash = virtualMachine.indexOf('/');
  return { namespace: virtualMachine.slice(0, slash), name: virtualMachine.slice(slash + 1) };
}

import { LABELS, sharedAgentIndex, sharedAgentName } from '../../api/index.ts';
import { keyOf, type Cache, type ObjectRef, type Service, type Source } from '@groundcrew/controller-runtime';
import { controllerOf } from '../bmc-agent/index.ts';
import { assignmentOf, isSameAssignment, type Assignment } from './assignment.ts';
import { nextPlace } from './next-place.ts';

/** A BMC's claim to a slot: that of its Service, or a reservation until the Service shows it. */
export interface Claim extends Assignment {
  bmc: Required<ObjectRef>;
  /** UID of the BMC; undefined: reserved for the BMC of this name. */
  uid: string | undefined;
}

/**
 * Which BMC is in which slot of which shared agent. The BMCs' Services are the record, so that a new manager knows it at once; what
 * they do not show yet is reserved in memory. As a source it enqueues the agents whose BMCs have changed.
 */
export class Assignments implements Source {
  /** Most BMCs of an agent. */
  readonly capacity: number;
  /** Claims by the key of their Service, or of the BMC for a reservation. */
  readonly #claims = new Map<string, Claim>();
  /** Keys of claims by namespace, index of the agent, and slot. */
  readonly #slots = new Map<string, Map<number, Map<number, Set<string>>>>();
  /** Keys of claims by the key of the BMC. */
  readonly #byBmc = new Map<string, Set<string>>();
  readonly #listeners = new Set<(agent: ObjectRef) => void>();

  /** @param services of all BMCs, before they are read */
  constructor({ services, capacity }: { services: Pick<Cache<Service>, 'subscribe'>; capacity: number }) {
    this.capacity = capacity;
    services.subscribe(({ type, object }) => {
      this.#record(object, type === 'deleted');
    });
  }

  /**
   * A slot for a BMC that its Service does not record, the same until the Service does or `forget`.
   *
   * @returns undefined if the namespace can have no further agent
   */
  reserve(bmc: Required<ObjectRef>): Assignment | undefined {
    const key = reservationKey(bmc);
    const reserved = this.#claims.get(key);
    if (reserved !== undefined) return reserved;
    const place = nextPlace(this.#slots.get(bmc.namespace) ?? new Map(), this.capacity);
    if (place === undefined) return undefined;
    const claim = { agent: sharedAgentName(place.agent), slot: place.slot, bmc, uid: undefined };
    this.#put(key, claim);
    return claim;
  }

  /** Drops the reservation of a BMC. */
  forget(bmc: Required<ObjectRef>): void {
    this.#drop(reservationKey(bmc));
  }

  /** Tells the agents of a BMC that they do not know all of it yet. */
  announce(bmc: Required<ObjectRef>): void {
    for (const key of this.#byBmc.get(keyOf(bmc)) ?? []) {
      const claim = this.#claims.get(key);
      if (claim !== undefined) this.#tell(claim);
    }
  }

  /** Other BMCs that claim the same slot: Services that were edited by hand. */
  rivals(bmc: Required<ObjectRef>, assignment: Assignment): Claim[] {
    const index = sharedAgentIndex(assignment.agent) ?? -1;
    const keys = this.#slots.get(bmc.namespace)?.get(index)?.get(assignment.slot) ?? [];
    return [...keys].flatMap((key) => this.#claims.get(key) ?? []).filter((claim) => claim.bmc.name !== bmc.name);
  }

  /** All claims to slots of an agent. */
  of(agent: ObjectRef): Claim[] {
    const slots = this.#slots.get(agent.namespace ?? '')?.get(sharedAgentIndex(agent.name) ?? -1);
    return [...(slots?.values() ?? [])].flatMap((keys) => [...keys].flatMap((key) => this.#claims.get(key) ?? []));
  }

  /** All agents with claims. */
  agents(): Required<ObjectRef>[] {
    return [...this.#slots].flatMap(([namespace, agents]) =>
      [...agents.keys()].map((index) => ({ namespace, name: sharedAgentName(index) })),
    );
  }

  /** The agents in which the BMC claims a slot: more than one while it moves. */
  agentsOf(bmc: ObjectRef): Required<ObjectRef>[] {
    const claims = [...(this.#byBmc.get(keyOf(bmc)) ?? [])].flatMap((key) => this.#claims.get(key) ?? []);
    return claims.map(({ agent }) => ({ namespace: bmc.namespace ?? '', name: agent }));
  }

  start(enqueue: (agent: ObjectRef) => void): () => void {
    for (const { agent, bmc } of this.#claims.values()) enqueue({ namespace: bmc.namespace, name: agent });
    this.#listeners.add(enqueue);
    return () => this.#listeners.delete(enqueue);
  }

  #record(service: Service, isDeleted: boolean): void {
    const { namespace = '', name, labels = {} } = service.metadata;
    const key = `service ${namespace}/${name}`;
    const bmcName = labels[LABELS.bmc];
    const assignment = isDeleted ? undefined : assignmentOf(service);
    if (bmcName === undefined || assignment === undefined) {
      this.#drop(key);
      return;
    }
    const bmc = { namespace, name: bmcName };
    // The record first: in between the slot must not be free.
    this.#put(key, { ...assignment, bmc, uid: controllerOf(service)?.uid });
    if (isSameAssignment(this.#claims.get(reservationKey(bmc)), assignment)) this.forget(bmc);
  }

  #put(key: string, claim: Claim): void {
    const before = this.#claims.get(key);
    if (isSameAssignment(before, claim) && before?.uid === claim.uid) return;
    this.#drop(key);
    this.#claims.set(key, claim);
    const agents = entry(this.#slots, claim.bmc.namespace, () => new Map<number, Map<number, Set<string>>>());
    const slots = entry(agents, sharedAgentIndex(claim.agent) ?? -1, () => new Map<number, Set<string>>());
    entry(slots, claim.slot, () => new Set<string>()).add(key);
    entry(this.#byBmc, keyOf(claim.bmc), () => new Set<string>()).add(key);
    this.#tell(claim);
  }

  #drop(key: string): void {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    this.#claims.delete(key);
    const agents = this.#slots.get(claim.bmc.namespace);
    const index = sharedAgentIndex(claim.agent) ?? -1;
    const slots = agents?.get(index);
    remove(slots, claim.slot, key);
    if (slots?.size === 0) agents?.delete(index);
    remove(this.#byBmc, keyOf(claim.bmc), key);
    this.#tell(claim);
  }

  #tell({ agent, bmc }: Claim): void {
    for (const listener of this.#listeners) listener({ namespace: bmc.namespace, name: agent });
  }
}

function reservationKey({ namespace, name }: Required<ObjectRef>): string {
  return `bmc ${namespace}/${name}`;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

function remove<K>(map: Map<K, Set<string>> | undefined, key: K, member: string): void {
  const set = map?.get(key);
  set?.delete(member);
  if (set?.size === 0) map?.delete(key);
}

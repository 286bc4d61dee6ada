/**
 * A shared agent serves many BMCs of one namespace in one process, each on ports of its own. Its objects have one name: a
 * StatefulSet of two pods, of which the holder of the Lease acts, and the Secret that names its BMCs.
 */

/** Name of the objects of a namespace's shared agent: no VM's agent has it, since those end with `-virtbmc`. */
export function sharedAgentName(index: number): string {
  return `virtbmc-shared-${index}`;
}

/** Most shared agents of a namespace. The manager may use their pods and Leases only by these names. */
export const MOST_SHARED_AGENTS = 64;

/** The index in the name of a shared agent; undefined if it is not one. */
export function sharedAgentIndex(name: string): number | undefined {
  const index = Number(/^virtbmc-shared-(0|[1-9][0-9]?)$/.exec(name)?.[1] ?? Number.NaN);
  return index < MOST_SHARED_AGENTS ? index : undefined;
}

/** Most BMCs that an installation may put into one agent: its ports lie between these bases. */
export const MOST_SHARED_BMCS = 2000;

/** BMCs in one agent if the installation does not say. */
export const SHARED_AGENT_CAPACITY = 250;

/** The ports of an agent's first BMC; the others follow, below the ephemeral ports of Linux. IPMI is UDP. */
const FIRST_PORTS = { ipmi: 20_000, redfish: 20_000, redfishHttp: 25_000 } as const;

/** The ports of the BMC in this slot (0, 1, …) of a shared agent. */
export function sharedAgentPorts(slot: number): { ipmi: number; redfish: number; redfishHttp: number } {
  const { ipmi, redfish, redfishHttp } = FIRST_PORTS;
  return { ipmi: ipmi + slot, redfish: redfish + slot, redfishHttp: redfishHttp + slot };
}

/** The slot whose BMC has this port for IPMI; undefined if none has. */
export function sharedAgentSlot(ipmiPort: number): number | undefined {
  const slot = ipmiPort - FIRST_PORTS.ipmi;
  return Number.isInteger(slot) && slot >= 0 && slot < MOST_SHARED_BMCS ? slot : undefined;
}

/** A BMC in the Secret of its shared agent, as JSON under the BMC's name. */
export interface SharedAgentMember {
  /** UID of the VirtualMachineBMC. */
  uid: string;
  slot: number;
  /**
   * A copy of the Secret with its credentials, so that the agent needs no permission and no watch for it. Absent: that Secret does not
   * exist. `data` is absent if it is too long for the Secret of the agent.
   */
  credentials?: { name: string; uid: string; resourceVersion: string; data?: Record<string, string> };
  /** `resourceVersion` of the Secret with its certificate, which the agent reads again when it changes. Absent: that Secret does not exist. */
  certificate?: string;
}

export function writeMember({ uid, slot, credentials, certificate }: SharedAgentMember): string {
  // In a fixed order: the text is compared.
  return JSON.stringify({ uid, slot, credentials, certificate });
}

/** @returns undefined if another client has made it unreadable */
export function readMember(text: string): SharedAgentMember | undefined {
  try {
    const member = JSON.parse(text) as SharedAgentMember | null;
    const isOne = typeof member?.uid === 'string' && sharedAgentSlot(FIRST_PORTS.ipmi + member.slot) !== undefined;
    return isOne ? member : undefined;
  } catch {
    return undefined;
  }
}

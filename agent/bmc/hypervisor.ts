import type { Condition } from '../../api/index.ts';
import type { Machine, PowerState } from '../../protocols/machine/index.ts';
import type { ReconcileStep } from './reconcile-steps.ts';

/** A Kubernetes Event on the BMC: its type, its reason in CamelCase, and a sentence. */
export type EventParts = ['Normal' | 'Warning', reason: string, message: string];

/**
 * The machine of one BMC and the background work for it. `agent/bmc/kubevirt` implements it; the rest of the agent knows
 * the machine only through this interface and the Machine port.
 */
export interface Hypervisor {
  readonly machine: Machine;
  /** Whether the state of the machine is known. */
  readonly hasSettled: boolean;
  /** Milliseconds until the next background work that no event triggers; undefined: none is planned. */
  readonly dueIn: number | undefined;
  /** Starts requests whose results only clients see. */
  prefetch(): void;
  /** The background work of the acting agent, to be done in this order. */
  steps(): Promise<readonly ReconcileStep[]>;
  /**
   * The machine's part of the BMC's status; undefined while it is unknown.
   *
   * @param before the condition PowerControlAvailable in the status
   */
  status(before: Condition | undefined, observedGeneration: number | undefined): MachineStatus | undefined;
  stop(): void;
}

export interface MachineStatus {
  /** Undefined if unknown. */
  powerState: PowerState | undefined;
  powerControlAvailable: Condition | undefined;
}

import { parse } from 'yaml';
import { PAUSED } from '../instances/index.ts';
import { isTrue, withCondition, withoutCondition } from '../kubevirt/conditions.ts';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';

/** Requests of clients to a guest, through its instance. */
export type GuestRequest = 'pause' | 'unpause' | 'softreboot' | 'reset';

/** Whether the request's body is read. */
export function takesOptions(request: GuestRequest): boolean {
  return request === 'pause' || request === 'unpause';
}

/**
 * Checks whether the instance accepts the request (`lifecycle.go`, `dialers.go`).
 *
 * @throws StatusError with virt-api's code and message
 */
export function assertGuestTakes(request: GuestRequest, vmi: VirtualMachineInstance): void {
  const refusal = REFUSALS[request](vmi);
  if (refusal !== undefined) throw refusal;
}

/** The instance after the request; the same object if it does not change. */
export function afterGuestRequest(
  request: GuestRequest,
  vmi: VirtualMachineInstance,
  now: number,
): VirtualMachineInstance {
  const conditions = vmi.status?.conditions ?? [];
  switch (request) {
    case 'pause':
      return { ...vmi, status: { ...vmi.status, conditions: withCondition(conditions, PAUSED, now) } };
    case 'unpause':
      return { ...vmi, status: { ...vmi.status, conditions: withoutCondition(conditions, 'Paused') } };
    case 'softreboot':
    case 'reset':
      return vmi;
  }
}

const REFUSALS: Record<GuestRequest, (vmi: VirtualMachineInstance) => StatusError | undefined> = {
  pause: (vmi) => {
    if (vmi.status?.phase !== 'Running') return conflict(vmi, 'VM is not running');
    const probe = vmi.spec.livenessProbe;
    if (probe !== undefined && probe.guestAgentPing === undefined) {
      const why = 'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported';
      return StatusError.forbidden('virtualmachineinstance', vmi.metadata.name, why);
    }
    return isPaused(vmi) ? conflict(vmi, 'VMI is already paused') : undefined;
  },
  unpause: (vmi) => {
    if (vmi.status?.phase !== 'Running') return conflict(vmi, 'VMI is not running');
    return isPaused(vmi) ? undefined : conflict(vmi, 'VMI is not paused');
  },
  softreboot: (vmi) => {
    if (vmi.status?.phase !== 'Running') return conflict(vmi, 'VM is not running');
    if (isPaused(vmi)) return conflict(vmi, 'VMI is paused');
    if (!isTrue(vmi.status.conditions, 'AgentConnected') && vmi.spec.domain.features?.acpi?.enabled === false) {
      return conflict(vmi, 'VMI neither have the agent connected nor the ACPI feature enabled');
    }
    return undefined;
  },
  // It only requires a node.
  reset: (vmi) => {
    const phase = vmi.status?.phase ?? '';
    if (phase === 'Running' || phase === 'Scheduled') return undefined;
    const why = `Unable to connect to VirtualMachineInstance because phase is ${phase} instead of Running or Scheduled`;
    return StatusError.badRequest(`Failed to reset non-running VMI with phase ${phase}: ${why}`);
  },
};

function isPaused(vmi: VirtualMachineInstance): boolean {
  return isTrue(vmi.status?.conditions, 'Paused');
}

function conflict(vmi: VirtualMachineInstance, why: string): StatusError {
  return StatusError.conflict('virtualmachineinstance', vmi.metadata.name, why);
}

/** Options of a request. */
export interface RequestOptions {
  paused: boolean;
  dryRun: boolean;
  gracePeriod: number | undefined;
  gracePeriodSeconds: number | undefined;
}

/**
 * Reads a request body: JSON, YAML or nothing. Unknown fields are ignored.
 *
 * @throws StatusError 400 for an invalid body or a wrong type
 */
export function parseRequestOptions(body: string): RequestOptions {
  const document = parseDocument(body) ?? {};
  if (typeof document !== 'object' || Array.isArray(document)) throw unreadable('it is not an object');
  const { paused, dryRun, gracePeriod, gracePeriodSeconds } = document as Record<string, unknown>;
  const dryRuns = dryRun ?? [];
  if (typeof (paused ?? false) !== 'boolean') throw unreadable('paused is not a boolean');
  if (!Array.isArray(dryRuns) || dryRuns.some((value) => value !== 'All')) throw unreadable('dryRun is not ["All"]');
  return {
    paused: paused === true,
    dryRun: dryRuns.length > 0,
    gracePeriod: secondsOf('gracePeriod', gracePeriod),
    gracePeriodSeconds: secondsOf('gracePeriodSeconds', gracePeriodSeconds),
  };
}

function secondsOf(field: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw unreadable(`${field} is not an integer`);
}

function parseDocument(body: string): unknown {
  try {
    return parse(body) as unknown;
  } catch {
    throw unreadable('it is neither JSON nor YAML');
  }
}

function unreadable(why: string): StatusError {
  return StatusError.badRequest(`Can not unmarshal Request body to struct, error: ${why}`);
}

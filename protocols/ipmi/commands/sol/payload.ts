import { COMPLETION, CompletionError } from '../../message/codes.ts';
import { PAYLOAD_TYPE } from '../../rmcpplus/packet.ts';
import type { Bmc } from '../command.ts';

/** Completion codes of the payload commands, IPMI 2.0 §24. */
export const PAYLOAD_COMPLETION = {
  /** Activate Payload: already active. Deactivate Payload: not active. Get Channel Payload Version: not available. */
  occupied: 0x80,
  inactive: 0x80,
  unavailable: 0x80,
  disabled: 0x81,
  limitReached: 0x82,
  notWithoutEncryption: 0x84,
} as const;

/** The machine has one serial line. */
export const INSTANCE = 1;

const TYPE_MASK = 0x3f;
const INSTANCE_MASK = 0x0f;

export function payloadTypeOf(byte: number): number {
  return byte & TYPE_MASK;
}

export function instanceOf(byte: number): number {
  return byte & INSTANCE_MASK;
}

/** @throws CompletionError 0xCC for a payload type that cannot be activated */
export function requireSol(byte: number): void {
  if (payloadTypeOf(byte) !== PAYLOAD_TYPE.sol) {
    throw new CompletionError(COMPLETION.invalidField, `payload type ${payloadTypeOf(byte)} cannot be activated`);
  }
}

/** Whether SOL is enabled for the BMC and the account. */
export function mayHaveSol({ solConfiguration, accounts }: Bmc, id: number): boolean {
  const account = accounts.list().find((candidate) => candidate.id === id);
  return solConfiguration.parameters.enabled && account?.serialOverLan === true;
}

/** Ends SOL if its owner's access was revoked. */
export function endForbiddenSol(bmc: Bmc): void {
  const { sol } = bmc;
  if (sol?.owner !== undefined && !mayHaveSol(bmc, sol.owner.account.id)) sol.revoke();
}

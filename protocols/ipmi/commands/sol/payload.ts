import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { PAYLOAD_TYPE } from '../../rmcpplus/payload-type.ts';

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
    throw new CompletionError(COMPLETION.invalidField, `payload type ${payloadTypeOf(byte)} is not activated`);
  }
}

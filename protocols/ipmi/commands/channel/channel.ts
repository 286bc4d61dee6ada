import { COMPLETION, CompletionError } from '../../message/codes.ts';

/** The only channel of this BMC: LAN. */
export const LAN_CHANNEL = 1;

/** The channel of the request itself, IPMI 2.0 §6.3. */
const PRESENT_CHANNEL = 0x0e;

const CHANNEL_MASK = 0x0f;

/** @throws CompletionError 0xCC for a channel that does not exist */
export function requireLanChannel(byte: number): void {
  const channel = byte & CHANNEL_MASK;
  if (channel !== PRESENT_CHANNEL && channel !== LAN_CHANNEL) {
    throw new CompletionError(COMPLETION.invalidField, `channel ${channel} does not exist`);
  }
}

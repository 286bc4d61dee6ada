import { COMPLETION, CompletionError } from '../../message/codes.ts';

/** The only channel of this BMC: LAN. */
export const LAN_CHANNEL = 1;

/** The channel of the request itself, IPMI 2.0 §6.3. */
const PRESENT_CHANNEL = 0x0e;

/** Access mode of the channel, IPMI 2.0 §22.22: always available, per-message authentication, no alerts. */
export const ACCESS_MODE_MASK = 0x07;
export const ACCESS_SETTINGS_MASK = 0x38;
const ALWAYS_AVAILABLE = 0x02;
const ALERTS_DISABLED = 0x20;
export const ACCESS = ALERTS_DISABLED | ALWAYS_AVAILABLE;
/** Privilege limit of the channel: Administrator. */
export const PRIVILEGE_LIMIT = 0x04;

/** Bits 7:6 of channel access: non-volatile or volatile setting. */
export const ACCESS_KIND_MASK = 0xc0;
export const NON_VOLATILE = 0x40;
export const VOLATILE = 0x80;

const CHANNEL_MASK = 0x0f;

/** @throws CompletionError 0xCC for a channel that does not exist */
export function requireLanChannel(byte: number): void {
  const channel = byte & CHANNEL_MASK;
  if (channel !== PRESENT_CHANNEL && channel !== LAN_CHANNEL) {
    throw new CompletionError(COMPLETION.invalidField, `channel ${channel} does not exist`);
  }
}

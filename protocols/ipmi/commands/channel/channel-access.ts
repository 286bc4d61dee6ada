import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { requireLanChannel } from './channel.ts';

/** Access mode of the channel, IPMI 2.0 §22.22: always available, per-message authentication, no alerts. */
const ACCESS_MODE_MASK = 0x07;
const ACCESS_SETTINGS_MASK = 0x38;
const ALWAYS_AVAILABLE = 0x02;
const ALERTS_DISABLED = 0x20;
const ACCESS = ALERTS_DISABLED | ALWAYS_AVAILABLE;
/** Privilege limit of the channel: Administrator. */
const PRIVILEGE_LIMIT = 0x04;

/** Bits 7:6 of channel access: non-volatile or volatile setting. */
const ACCESS_KIND_MASK = 0xc0;
const NON_VOLATILE = 0x40;
const VOLATILE = 0x80;

/** Get Channel Access, IPMI 2.0 §22.23. The volatile and non-volatile settings are the same. */
export const getChannelAccess: SessionCommand = {
  name: 'Get Channel Access',
  netFn: NET_FN.app,
  command: 0x41,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request) => {
    requireLanChannel(request.readUInt8(0));
    const kind = request.readUInt8(1) & ACCESS_KIND_MASK;
    if (kind !== VOLATILE && kind !== NON_VOLATILE) {
      throw new CompletionError(COMPLETION.invalidField, 'select the volatile or the non-volatile setting');
    }
    return Buffer.of(ACCESS, PRIVILEGE_LIMIT);
  },
};

const KEEP = 0x00;
const RESERVED_KIND = 0xc0;
const LIMIT_MASK = 0x0f;

const NOT_SUPPORTED = 0x82;
const MODE_NOT_SUPPORTED = 0x83;

/**
 * Set Channel Access, IPMI 2.0 §22.22. Changes are refused: without its only channel the BMC would be unreachable, and a lower limit
 * would lock out administrators for good. The current values are accepted, since configuration tools write back the values that they read.
 */
export const setChannelAccess: SessionCommand = {
  name: 'Set Channel Access',
  netFn: NET_FN.app,
  command: 0x40,
  privilege: PRIVILEGE.administrator,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request) => {
    requireLanChannel(request.readUInt8(0));
    const [access, limit] = [request.readUInt8(1), request.readUInt8(2)];
    const [accessKind, limitKind] = [access & ACCESS_KIND_MASK, limit & ACCESS_KIND_MASK];
    if (accessKind === RESERVED_KIND || limitKind === RESERVED_KIND) {
      throw new CompletionError(COMPLETION.invalidField, 'select the volatile or the non-volatile setting');
    }
    if (accessKind !== KEEP && (access & ACCESS_MODE_MASK) !== (ACCESS & ACCESS_MODE_MASK)) {
      throw new CompletionError(MODE_NOT_SUPPORTED, 'the channel is always available');
    }
    if (accessKind !== KEEP && (access & ACCESS_SETTINGS_MASK) !== (ACCESS & ACCESS_SETTINGS_MASK)) {
      throw new CompletionError(NOT_SUPPORTED, 'messages are always authenticated, and there are no alerts');
    }
    if (limitKind !== KEEP && (limit & LIMIT_MASK) !== PRIVILEGE_LIMIT) {
      throw new CompletionError(NOT_SUPPORTED, 'the privilege limit must be Administrator');
    }
  },
};

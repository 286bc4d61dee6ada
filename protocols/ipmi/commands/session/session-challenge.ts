import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { PublicCommand, SessionCommand } from '../command.ts';

/** Get Session Challenge, IPMI 2.0 §22.16: starts an IPMI 1.5 log-in. 0xC1 if IPMI 1.5 sessions are disabled. */
export const getSessionChallenge: PublicCommand = {
  name: 'Get Session Challenge',
  netFn: NET_FN.app,
  command: 0x39,
  privilege: 'None',
  requestLength: [17, 17],
  repeatable: true,
  handle: (request, { bmc, peer, now }) => {
    const { login15 } = bmc;
    if (login15 === undefined || bmc.hasBmcKey()) {
      throw new CompletionError(COMPLETION.invalidCommand, 'IPMI 1.5 sessions are disabled');
    }
    return login15.challenge(request.readUInt8(0) & 0x0f, request.subarray(1), peer, now);
  },
};

/**
 * Activate Session, IPMI 2.0 §22.17, within an active session. The request that opens an IPMI 1.5 session is answered by `Login15`,
 * since its packet belongs to a challenge.
 */
export const activateSession: SessionCommand = {
  name: 'Activate Session',
  netFn: NET_FN.app,
  command: 0x3a,
  privilege: PRIVILEGE.callback,
  requestLength: [22, 22],
  repeatable: true,
  handle: () => {
    throw new CompletionError(COMPLETION.invalidState, 'this session is already active');
  },
};

import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import type { PublicCommand } from '../command.ts';

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
      throw new CompletionError(COMPLETION.invalidCommand, 'sessions of IPMI 1.5 are switched off');
    }
    return login15.challenge(request.readUInt8(0) & 0x0f, request.subarray(1), peer, now);
  },
};

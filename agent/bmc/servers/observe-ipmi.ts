import type { IpmiObserver, LoginFailure } from '../../../protocols/ipmi/index.ts';
import { type FailureText, LOCKED_OUT, type ObserverOptions, reportLoginFailure } from './login-failures.ts';

const FAILURES: Record<LoginFailure, FailureText> = {
  UnknownUser: { why: 'UnknownUser', text: 'there is no such user' },
  WrongPassword: { why: 'WrongPassword', text: 'the password is wrong' },
  PrivilegeTooHigh: { why: 'Refused', text: 'it asked for more than the user may do' },
  NoSlot: { why: 'Refused', text: 'all sessions are taken' },
  LockedOut: { why: 'LockedOut', text: LOCKED_OUT },
};

/** Writes IPMI events to the process log, to reports, to the machine's event log and to metrics. */
export function observeIpmi(options: ObserverOptions): IpmiObserver {
  const { logger, metrics } = options;
  return {
    loginSucceeded({ user, peer, cipherSuite }) {
      metrics.loggedIn('ipmi');
      logger.info({ user, client: peer.address, cipherSuite }, 'logged in over IPMI');
    },
    loginFailed({ user, peer: { address }, cipherSuite }, reason) {
      metrics.loginFailed('ipmi', reason);
      reportLoginFailure(options, { protocol: 'IPMI', user, address }, { ...FAILURES[reason], reason, cipherSuite });
    },
    sessionEnded({ user, peer }, reason) {
      logger.debug({ user, client: peer.address, reason }, 'an IPMI session ended');
    },
    consoleChanged({ user, peer }, isOpen) {
      metrics.consoleChanged(isOpen);
      logger.info({ user, client: peer.address }, `serial over LAN ${isOpen ? 'begins' : 'ends'}`);
    },
    commandCompleted({ name, netFn, command, completionCode, user, peer, error }) {
      // Clients choose the numbers of unsupported commands.
      metrics.answered('ipmi', name ?? 'unsupported', completionCode);
      const fields = { command: name, netFn, number: command, completionCode, user, client: peer.address };
      logger.debug(error === undefined ? fields : { ...fields, err: error }, 'an IPMI command was answered');
    },
    packetDropped({ address }, reason, detail) {
      metrics.dropped(reason);
      logger.debug({ client: address, reason, detail }, 'an IPMI packet was dropped');
    },
    failed(error, activity) {
      metrics.failed('ipmi');
      logger.error({ err: error }, `IPMI failed to ${activity}`);
    },
  };
}

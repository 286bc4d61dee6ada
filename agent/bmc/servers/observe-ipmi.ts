import type { Logger } from '@groundcrew/controller-runtime';
import type { IpmiObserver, LoginFailure } from '../../../protocols/ipmi/index.ts';
import type { EventLog, MachineEvent } from '../../../protocols/machine/index.ts';
import type { FailureLimiter } from './failure-limiter.ts';

export interface ObserveIpmiOptions {
  logger: Logger;
  /** Reports an event to operators: a reason in CamelCase, and a sentence. */
  report: (reason: string, message: string) => void;
  /** The machine's. */
  log: Pick<EventLog, 'append'>;
  /** Shared by all protocols. */
  limiter: FailureLimiter;
}

const WHY: Record<LoginFailure, string> = {
  UnknownUser: 'there is no such user',
  WrongPassword: 'the password is wrong',
  PrivilegeTooHigh: 'it asked for more than the user may do',
  NoSlot: 'all sessions are taken',
  LockedOut: 'wrong passwords came from there before, and it is locked out for a while',
};

type LoginFailedEvent = Extract<MachineEvent, { kind: 'LoginFailed' }>;

const LOGGED_AS: Record<LoginFailure, LoginFailedEvent['why']> = {
  UnknownUser: 'UnknownUser',
  WrongPassword: 'WrongPassword',
  PrivilegeTooHigh: 'Refused',
  NoSlot: 'Refused',
  LockedOut: 'LockedOut',
};

/** Writes IPMI events to the process log, to reports and to the machine's event log. */
export function observeIpmi({ logger, report, log, limiter }: ObserveIpmiOptions): IpmiObserver {
  return {
    loginSucceeded({ user, peer, cipherSuite }) {
      logger.info({ user, address: peer.address, cipherSuite }, 'logged in over IPMI');
    },
    loginFailed({ user, peer: { address }, cipherSuite }, reason) {
      const fields = { user, address, cipherSuite, reason };
      if (!limiter.admits(user, address, reason)) {
        logger.debug(fields, 'log-in over IPMI refused again');
        return;
      }
      logger.warn(fields, 'log-in over IPMI refused');
      report(
        reason === 'LockedOut' ? 'LoginLockedOut' : 'LoginRefused',
        `Log-in of ${JSON.stringify(user)} over IPMI from ${address} refused: ${WHY[reason]}`,
      );
      log.append({ kind: 'LoginFailed', requester: { protocol: 'IPMI', user, address }, why: LOGGED_AS[reason] });
    },
    sessionEnded({ user, peer }, reason) {
      logger.debug({ user, address: peer.address, reason }, 'an IPMI session ended');
    },
    consoleChanged({ user, peer }, isOpen) {
      logger.info({ user, address: peer.address }, `serial over LAN ${isOpen ? 'begins' : 'ends'}`);
    },
    commandCompleted({ name, netFn, command, completionCode, user, peer, error }) {
      const fields = { command: name, netFn, number: command, completionCode, user, address: peer.address };
      logger.debug(error === undefined ? fields : { ...fields, err: error }, 'an IPMI command was answered');
    },
    packetDropped({ address }, reason, detail) {
      logger.debug({ address, reason, detail }, 'an IPMI packet was dropped');
    },
    failed(error, activity) {
      logger.error({ err: error }, `IPMI failed to ${activity}`);
    },
  };
}

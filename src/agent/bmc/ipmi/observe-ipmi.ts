import type { Logger } from '../../../kube/index.ts';
import type { IpmiObserver, LoginFailure } from '../../../protocols/ipmi/index.ts';

export interface ObserveIpmiOptions {
  logger: Logger;
  /** Tells of something that whoever watches over the BMC should know of; one word in CamelCase, and a sentence. */
  report: (reason: string, message: string) => void;
}

const WHY: Record<LoginFailure, string> = {
  UnknownUser: 'there is no such user',
  WrongPassword: 'the password is wrong',
  PrivilegeTooHigh: 'it asked for more than the user may do',
  NoSlot: 'all sessions are taken',
};

/** What the IPMI side has to tell, as log lines and reports. */
export function observeIpmi({ logger, report }: ObserveIpmiOptions): IpmiObserver {
  return {
    loginSucceeded({ user, peer, cipherSuite }) {
      logger.info({ user, address: peer.address, cipherSuite }, 'logged in over IPMI');
    },
    loginFailed({ user, peer, cipherSuite }, reason) {
      logger.warn({ user, address: peer.address, cipherSuite, reason }, 'log-in over IPMI refused');
      report(
        'LoginRefused',
        `Log-in of ${JSON.stringify(user)} over IPMI from ${peer.address} refused: ${WHY[reason]}`,
      );
    },
    sessionEnded({ user, peer }, reason) {
      logger.debug({ user, address: peer.address, reason }, 'an IPMI session ended');
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

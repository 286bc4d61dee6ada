import type { Logger } from '@groundcrew/controller-runtime';
import type { EventLog, Requester } from '../../../protocols/machine/index.ts';
import type { RedfishObserver } from '../../../protocols/redfish/index.ts';
import type { EventParts } from '../hypervisor.ts';
import type { FailureLimiter } from './failure-limiter.ts';

export interface ObserveRedfishOptions {
  logger: Logger;
  /** Makes an Event on the BMC. */
  report: (...parts: EventParts) => void;
  /** The machine's. */
  log: Pick<EventLog, 'append'>;
  /** All protocols share one. */
  limiter: FailureLimiter;
}

type Why = Parameters<RedfishObserver['loginFailed']>[1];
type End = Parameters<RedfishObserver['unsubscribed']>[1];

const WHY: Record<Why, string> = {
  UnknownUser: 'there is no such user',
  WrongPassword: 'the password is wrong',
  LockedOut: 'wrong passwords came from there before, and it is locked out for a while',
  Refused: 'the user may not log in, or no session is free',
};

/** What the Redfish side has to tell, as log lines, Events and entries of the machine's event log. */
export function observeRedfish({ logger, report, log, limiter }: ObserveRedfishOptions): RedfishObserver {
  return {
    loggedIn({ user, address }) {
      logger.info({ user, address }, 'logged in over Redfish');
    },
    loginFailed(requester, reason) {
      const { user, address } = requester;
      const fields = { user, address, reason };
      if (!limiter.admits(user, address, reason)) {
        logger.debug(fields, 'log-in over Redfish refused again');
        return;
      }
      logger.warn(fields, 'log-in over Redfish refused');
      report(
        'Warning',
        reason === 'LockedOut' ? 'LoginLockedOut' : 'LoginRefused',
        `Log-in of ${JSON.stringify(user)} over Redfish from ${address} refused: ${WHY[reason]}`,
      );
      log.append({ kind: 'LoginFailed', requester, why: reason });
    },
    audited(requester, told) {
      const what = sentence(told);
      logger.info({ user: requester.user, address: requester.address, what }, 'something was changed over Redfish');
      report('Normal', 'SettingsChanged', `${what} (${by(requester)})`);
    },
    undelivered(destination, why) {
      const host = hostOf(destination);
      logger.warn({ ...(host !== undefined && { host }), why }, 'an event could not be sent to a listener');
    },
    unsubscribed(destination, how) {
      const host = hostOf(destination);
      logger.warn({ ...(host !== undefined && { host }), how }, 'nothing is sent to a listener of events any more');
      report(how === 'AccountGone' ? 'Normal' : 'Warning', ...endOf(host ?? 'a listener', how));
    },
    failed(error, method, uri) {
      logger.error({ err: error, method, uri: cut(uri) }, 'a Redfish request could not be answered');
    },
  };
}

/** What stands behind the host may be a key. */
function hostOf(destination: string): string | undefined {
  return URL.parse(destination)?.host;
}

/** Reason and message of an Event. */
function endOf(host: string, how: End): [reason: string, message: string] {
  switch (how) {
    case 'Terminated':
      return [
        'SubscriptionEnded',
        `The subscription of ${host} to events was ended: no try to send one succeeded. Subscribe it again once it listens`,
      ];
    case 'Suspended':
      return [
        'SubscriptionSuspended',
        `The subscription of ${host} to events was suspended: no try to send one succeeded. Resume it once it listens (EventDestination.ResumeSubscription)`,
      ];
    case 'AccountGone':
      return ['SubscriptionEnded', `The subscription of ${host} to events was ended with the account that made it`];
  }
}

function sentence(text: string): string {
  return cut(text.replace(/[.\s]+$/, ''));
}

/** Characters of what was done: it may name what clients have named, and is not to push out of an Event who did it. */
const MAX_TOLD = 256;

function cut(text: string): string {
  return text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}…` : text;
}

function by({ user, address }: Requester): string {
  return `Redfish, user ${JSON.stringify(user)}, from ${address}`;
}

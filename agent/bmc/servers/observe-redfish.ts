import type { Requester } from '../../../protocols/machine/index.ts';
import type { RedfishObserver } from '../../../protocols/redfish/index.ts';
import { LOCKED_OUT, type ObserverOptions, reportLoginFailure } from './login-failures.ts';

type Why = Parameters<RedfishObserver['loginFailed']>[1];
type End = Parameters<RedfishObserver['unsubscribed']>[1];

const WHY: Record<Why, string> = {
  UnknownUser: 'there is no such user',
  WrongPassword: 'the password is wrong',
  LockedOut: LOCKED_OUT,
  Refused: 'the user may not log in, or no session is free',
};

const CONSOLES = { HostConsole: 'serial console', KVMIP: 'screen' } as const;

/** Writes Redfish events to the process log, to Events, to the machine's event log and to metrics. */
export function observeRedfish(options: ObserverOptions): RedfishObserver {
  const { logger, report, metrics } = options;
  return {
    loggedIn({ user, address }) {
      metrics.loggedIn('redfish');
      logger.info({ user, client: address }, 'logged in over Redfish');
    },
    loginFailed(requester, reason) {
      metrics.loginFailed('redfish', reason);
      reportLoginFailure(options, requester, { why: reason, text: WHY[reason], reason });
    },
    answered(command, status) {
      metrics.answered('redfish', command, status);
      logger.debug({ command, status }, 'a Redfish request was answered');
    },
    audited(requester, told) {
      const what = sentence(told);
      logger.info({ user: requester.user, client: requester.address, what }, 'a setting was changed over Redfish');
      report('Normal', 'SettingsChanged', `${what} (${by(requester)})`);
    },
    consoleChanged(requester, kind, isOpen) {
      const what = CONSOLES[kind];
      const { user, address } = requester;
      logger.info(
        { user, client: address, console: kind },
        `the ${what} was ${isOpen ? 'opened' : 'closed'} by WebSocket`,
      );
      metrics.consoleChanged(isOpen);
      if (isOpen) report('Normal', 'ConsoleOpened', `The ${what} was opened (${by(requester)})`);
    },
    undelivered(destination, why) {
      const host = hostOf(destination);
      logger.warn({ ...(host !== undefined && { host }), why }, 'an event could not be sent to a listener');
    },
    unsubscribed(destination, how) {
      const host = hostOf(destination);
      logger.warn({ ...(host !== undefined && { host }), how }, 'a subscription to events has ended');
      report(how === 'AccountGone' ? 'Normal' : 'Warning', ...endOf(host ?? 'a listener', how));
    },
    failed(error, method, uri) {
      metrics.failed('redfish');
      logger.error({ err: error, method, uri: cut(uri) }, 'a Redfish request could not be answered');
    },
  };
}

/** Only the host: the rest of the URL may contain a key. */
function hostOf(destination: string): string | undefined {
  return URL.parse(destination)?.host;
}

/** Reason and message of an Event. */
function endOf(host: string, how: End): [reason: string, message: string] {
  switch (how) {
    case 'Terminated':
      return [
        'SubscriptionEnded',
        `The subscription of ${host} to events was ended: no attempt to send an event succeeded. Subscribe it again when it listens`,
      ];
    case 'Suspended':
      return [
        'SubscriptionSuspended',
        `The subscription of ${host} to events was suspended: no attempt to send an event succeeded. Resume it when it listens (EventDestination.ResumeSubscription)`,
      ];
    case 'AccountGone':
      return ['SubscriptionEnded', `The subscription of ${host} to events was ended with the account that created it`];
  }
}

function sentence(text: string): string {
  return cut(text.replace(/[.\s]+$/, ''));
}

/** Maximum characters of a change in an Event: the name of the user must fit behind it. */
const MAX_TOLD = 256;

function cut(text: string): string {
  return text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}…` : text;
}

function by({ user, address }: Requester): string {
  return `Redfish, user ${JSON.stringify(user)}, from ${address}`;
}

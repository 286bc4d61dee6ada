import type { Requester } from '../../../machine/index.ts';

/** Longer than any IPMI user name, so that no user can be mistaken for the watchdog. */
const PREFIX = 'the watchdog that was armed by ';

/** The requester of a watchdog action: the watchdog and the user that armed it. */
export function watchdogRequester({ user, address }: Requester): Requester {
  return { protocol: 'IPMI', user: `${PREFIX}${user}`, address };
}

export function isWatchdogs({ protocol, user }: Requester): boolean {
  return protocol === 'IPMI' && user.startsWith(PREFIX);
}

import type { Requester } from '../../../machine/index.ts';

/** Longer than any user name of IPMI, so that nobody who logs in can be taken for the watchdog. */
const PREFIX = 'the watchdog that was armed by ';

/** Who asks where a watchdog's time is over: it, and who armed it. */
export function watchdogRequester({ user, address }: Requester): Requester {
  return { protocol: 'IPMI', user: `${PREFIX}${user}`, address };
}

export function isWatchdogs({ protocol, user }: Requester): boolean {
  return protocol === 'IPMI' && user.startsWith(PREFIX);
}

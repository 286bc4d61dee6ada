import type { IncomingMessage } from 'node:http';
import type { CheckRounds, RunningCheck } from './check-rounds.ts';

export interface SelfCheckOptions {
  addresses: readonly string[];
  port: () => number | undefined;
  checks: CheckRounds;
  onChange: (() => void) | undefined;
}

/** Interval and timeout of checks in milliseconds. */
const PERIOD = 10_000;
const TIMEOUT = 2_000;

/**
 * Periodically sends a request to the Redfish service of this process, to each address. The first is sent like a client's, also after a
 * failure. The others end at the redirection to HTTPS: a process with 1,000 BMCs would else make TLS contexts all the time
 * (30 kB each) for BMCs that have no clients.
 */
export function selfCheck({ addresses, port, checks, onChange }: SelfCheckOptions): RunningCheck {
  const check = async (again: boolean): Promise<boolean> => {
    const answers = addresses.map((address) => isAnswered(reachable(address), port(), !again));
    return (await Promise.all(answers)).every(Boolean);
  };
  return checks.add({ check, period: PERIOD, onChange });
}

/** Whether a GET of `/redfish`, which needs no log-in, is answered as it should be. The certificate is not verified. */
function isAnswered(host: string, port: number | undefined, isTls: boolean): Promise<boolean> {
  if (port === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const options = { host, port, path: '/redfish', agent: false, timeout: TIMEOUT } as const;
    const expected = isTls ? 200 : 308;
    const answered = (response: IncomingMessage): void => {
      response.resume();
      resolve(response.statusCode === expected);
    };
    const asked = isTls
      ? process.getBuiltinModule('node:https').request({ ...options, rejectUnauthorized: false }, answered)
      : process.getBuiltinModule('node:http').request(options, answered);
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => {
      resolve(false);
    });
    asked.on('close', () => {
      resolve(false);
    });
    asked.end();
  });
}

/** The address to connect to for a socket that is bound to `address`. */
export function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

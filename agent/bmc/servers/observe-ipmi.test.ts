import { describe, expect, it } from 'vitest';
import type { Logger } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import type { LoginFailure } from '../../../protocols/ipmi/index.ts';
import { MemoryEventLog } from '../../../protocols/testing/index.ts';
import { BmcMetrics } from '../bmc-metrics.ts';
import { FailureLimiter } from './login-failures.ts';
import { observeIpmi } from './observe-ipmi.ts';

interface Bench {
  fail: (reason: LoginFailure, user?: string) => void;
  reports: string[];
  log: MemoryEventLog;
}

function bench(logger: Logger = silentLogger): Bench {
  const reports: string[] = [];
  const log = new MemoryEventLog();
  const metrics = new BmcMetrics(() => ({
    sessions: { ipmi: 0, redfish: 0 },
    bmcs: { served: 1, failing: 0 },
    certificateExpires: undefined,
  }));
  const report = (_type: string, reason: string, message: string): void => void reports.push(`${reason}: ${message}`);
  const observer = observeIpmi({ logger, report, log, limiter: new FailureLimiter(() => 0), metrics });
  const peer = { address: '192.0.2.7', port: 40_000 };
  const fail: Bench['fail'] = (reason, user = 'admin') =>
    observer.loginFailed?.({ user, peer, cipherSuite: 17 }, reason);
  return { fail, reports, log };
}

describe('a failed log-in over IPMI', () => {
  it.each<[LoginFailure, string, string]>([
    ['WrongPassword', 'LoginRefused', 'WrongPassword'],
    ['UnknownUser', 'LoginRefused', 'UnknownUser'],
    ['LockedOut', 'LoginLockedOut', 'LockedOut'],
    ['PrivilegeTooHigh', 'LoginRefused', 'Refused'],
    ['NoSlot', 'LoginRefused', 'Refused'],
  ])('for %s emits an Event and an entry in the event log', (reason, event, why) => {
    const { fail, reports, log } = bench();
    fail(reason);
    expect(reports).toEqual([expect.stringMatching(`^${event}: Log-in of "admin" over IPMI from 192.0.2.7 refused: `)]);
    expect(log.entries().map((entry) => entry.event)).toEqual([
      { kind: 'LoginFailed', requester: { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' }, why },
    ]);
  });
});

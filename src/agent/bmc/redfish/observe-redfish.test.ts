import { describe, expect, it } from 'vitest';
import type { Logger } from '../../../kube/index.ts';
import { silentLogger } from '../../../kube/testing/index.ts';
import type { Requester } from '../../../protocols/machine/index.ts';
import type { RedfishObserver } from '../../../protocols/redfish/index.ts';
import { MemoryEventLog } from '../../../protocols/testing/index.ts';
import { FailureLimiter } from '../logins/index.ts';
import { observeRedfish } from './observe-redfish.ts';

const admin: Requester = { protocol: 'Redfish', user: 'admin', address: '192.0.2.7' };

function bench(logger: Logger = silentLogger) {
  const events: string[] = [];
  const log = new MemoryEventLog();
  const report = (type: string, reason: string, message: string): void =>
    void events.push(`${type} ${reason}: ${message}`);
  const observer = observeRedfish({ logger, report, log, limiter: new FailureLimiter(() => 0) });
  return { observer, events, log };
}

describe('what Redfish has to tell', () => {
  it.each<[Parameters<RedfishObserver['loginFailed']>[1], string]>([
    ['WrongPassword', 'LoginRefused'],
    ['UnknownUser', 'LoginRefused'],
    ['LockedOut', 'LoginLockedOut'],
    ['Refused', 'LoginRefused'],
  ])('is, of a log-in that fails for %s, an Event and an entry of the event log, once', (why, event) => {
    const { observer, events, log } = bench();
    for (let i = 0; i < 3; i += 1) observer.loginFailed(admin, why);
    expect(events).toEqual([
      expect.stringMatching(`^Warning ${event}: Log-in of "admin" over Redfish from 192.0.2.7 refused: `),
    ]);
    expect(log.entries().map((entry) => entry.event)).toEqual([{ kind: 'LoginFailed', requester: admin, why }]);
  });

  it('is an Event of what was changed, with who did so', () => {
    const { observer, events } = bench();
    observer.audited(admin, 'Account 3 was deleted.');
    expect(events).toEqual(['Normal SettingsChanged: Account 3 was deleted (Redfish, user "admin", from 192.0.2.7)']);
  });

  it('is a log line of a log-in and of an error of ours', () => {
    const lines: unknown[] = [];
    const keep = (fields: object, text?: string): void => void lines.push([fields, text]);
    const { observer, events } = bench({ ...silentLogger, info: keep, error: keep });
    observer.loggedIn(admin);
    const error = new Error('oh');
    observer.failed(error, 'GET', '/redfish/v1');
    expect(lines).toEqual([
      [{ user: 'admin', address: '192.0.2.7' }, 'logged in over Redfish'],
      [{ err: error, method: 'GET', uri: '/redfish/v1' }, 'a Redfish request could not be answered'],
    ]);
    expect(events).toEqual([]);
  });
});

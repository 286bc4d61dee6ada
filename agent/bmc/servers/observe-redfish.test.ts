import { describe, expect, it } from 'vitest';
import type { Logger } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import type { Requester } from '../../../protocols/machine/index.ts';
import type { RedfishObserver } from '../../../protocols/redfish/index.ts';
import { MemoryEventLog } from '../../../protocols/testing/index.ts';
import { BmcMetrics } from '../bmc-metrics.ts';
import { FailureLimiter } from './login-failures.ts';
import { observeRedfish } from './observe-redfish.ts';

const admin: Requester = { protocol: 'Redfish', user: 'admin', address: '192.0.2.7' };

function bench(logger: Logger = silentLogger) {
  const events: string[] = [];
  const log = new MemoryEventLog();
  const metrics = new BmcMetrics(() => ({
    sessions: { ipmi: 0, redfish: 0 },
    bmcs: { served: 1, failing: 0 },
    certificateExpires: undefined,
  }));
  const report = (type: string, reason: string, message: string): void =>
    void events.push(`${type} ${reason}: ${message}`);
  const observer = observeRedfish({ logger, report, log, limiter: new FailureLimiter(() => 0), metrics });
  return { observer, events, log };
}

describe('the Redfish observer', () => {
  it.each<[Parameters<RedfishObserver['loginFailed']>[1], string]>([
    ['WrongPassword', 'LoginRefused'],
    ['UnknownUser', 'LoginRefused'],
    ['LockedOut', 'LoginLockedOut'],
    ['Refused', 'LoginRefused'],
  ])('reports a log-in refused for %s once, as an Event and in the event log', (why, event) => {
    const { observer, events, log } = bench();
    for (let i = 0; i < 3; i += 1) observer.loginFailed(admin, why);
    expect(events).toEqual([
      expect.stringMatching(`^Warning ${event}: Log-in of "admin" over Redfish from 192.0.2.7 refused: `),
    ]);
    expect(log.entries().map((entry) => entry.event)).toEqual([{ kind: 'LoginFailed', requester: admin, why }]);
  });

  it('emits an Event for a change, with the user', () => {
    const { observer, events } = bench();
    observer.audited(admin, 'Account 3 was deleted.');
    expect(events).toEqual(['Normal SettingsChanged: Account 3 was deleted (Redfish, user "admin", from 192.0.2.7)']);
  });

  it('tells in an Event who has opened a console, and only in the log that it was closed', () => {
    const lines: string[] = [];
    const info = (_fields: object, line: string): void => void lines.push(line);
    const { observer, events } = bench({ ...silentLogger, info });
    observer.consoleChanged(admin, 'KVMIP', true);
    observer.consoleChanged(admin, 'KVMIP', false);
    expect(events).toEqual(['Normal ConsoleOpened: The screen was opened (Redfish, user "admin", from 192.0.2.7)']);
    expect(lines).toEqual(['the screen was opened by WebSocket', 'the screen was closed by WebSocket']);
  });

  it('truncates long texts, but not the user', () => {
    const lines: { what?: string; uri?: string }[] = [];
    const keep = (fields: object): void => void lines.push(fields);
    const { observer, events } = bench({ ...silentLogger, info: keep, error: keep });
    observer.audited(admin, 'x'.repeat(5_000));
    observer.failed(new Error('oh'), 'GET', `/${'y'.repeat(5_000)}`);
    const cut = `${'x'.repeat(256)}…`;
    expect(events).toEqual([`Normal SettingsChanged: ${cut} (Redfish, user "admin", from 192.0.2.7)`]);
    expect(lines.map(({ what, uri }) => (what ?? uri)?.length)).toEqual([257, 257]);
  });

  it.each<[string, object]>([
    ['https://listener.example:8443/in?key=hush', { host: 'listener.example:8443' }],
    ['listener?key=hush', {}],
  ])('logs an undelivered event without secrets of its URL, valid or not: %s', (url, logged) => {
    const lines: unknown[] = [];
    const { observer } = bench({ ...silentLogger, warn: (fields: object) => void lines.push(fields) });
    observer.undelivered(url, 'The listener answered 500');
    expect(lines).toEqual([{ ...logged, why: 'The listener answered 500' }]);
  });

  it.each<[Parameters<RedfishObserver['unsubscribed']>[1], string]>([
    ['Terminated', 'Warning SubscriptionEnded: The subscription of listener.example to events was ended: no attempt'],
    [
      'Suspended',
      'Warning SubscriptionSuspended: The subscription of listener.example to events was suspended: no attempt',
    ],
    [
      'AccountGone',
      'Normal SubscriptionEnded: The subscription of listener.example to events was ended with the account',
    ],
  ])('reports a subscription that is %s, without secrets of its URL', (how, told) => {
    const lines: unknown[] = [];
    const { observer, events } = bench({ ...silentLogger, warn: (fields: object) => void lines.push(fields) });
    observer.unsubscribed('https://listener.example/in?key=hush', how);
    expect(events).toEqual([expect.stringContaining(told)]);
    expect(events.join()).not.toContain('hush');
    expect(lines).toEqual([{ host: 'listener.example', how }]);
  });

  it('logs log-ins and internal errors', () => {
    const lines: unknown[] = [];
    const keep = (fields: object, text?: string): void => void lines.push([fields, text]);
    const { observer, events } = bench({ ...silentLogger, info: keep, error: keep });
    observer.loggedIn(admin);
    const error = new Error('oh');
    observer.failed(error, 'GET', '/redfish/v1');
    expect(lines).toEqual([
      [{ user: 'admin', client: '192.0.2.7' }, 'logged in over Redfish'],
      [{ err: error, method: 'GET', uri: '/redfish/v1' }, 'a Redfish request could not be answered'],
    ]);
    expect(events).toEqual([]);
  });
});

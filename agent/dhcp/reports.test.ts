import { describe, expect, it } from 'vitest';
import { EventRecorder, KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { LeaseReader } from './store/lease-record.ts';
import { lease, pool } from './testing/builders.ts';
import { LeaseReports, SampledLog } from './reports.ts';

describe('sampled logs', () => {
  it('write one line of a kind in ten seconds, with the number of suppressed lines', async () => {
    const clock = new FakeClock();
    const log = new SampledLog(clock);
    const lines: string[] = [];
    const line = (kind: string) => {
      log.line(kind, (held) => lines.push(`${kind} ${held}`));
    };
    for (let times = 0; times < 1000; times += 1) line('UnknownClient');
    line('Malformed');
    await clock.advance(10_000);
    line('UnknownClient');
    expect(lines).toEqual(['UnknownClient 0', 'Malformed 0', 'UnknownClient 999']);
  });
});

describe('reports', () => {
  it('are made once per problem', async () => {
    const api = new ScriptedApi();
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    const events = new EventRecorder({ client, component: 'test', clock: new FakeClock(), logger: silentLogger });
    const reports = new LeaseReports({ events, logger: silentLogger });
    const record = (index: number, spec = {}) => new LeaseReader().recordOf(lease(index, spec));
    for (let times = 0; times < 3; times += 1) {
      reports.duplicate(record(1), [record(2, { macAddress: '02:00:00:00:00:01' })]);
      reports.invalid(record(3, { macAddress: 'nonsense' }));
      reports.problems(pool(), ['spec.ipv4Config.router: "x" is not an IPv4 address']);
    }
    await events.flush();
    const told = [...api.objects.values()].map(
      (event) => event as unknown as { reason: string; count: number; message: string },
    );
    expect(told.map(({ reason, count, message }) => `${reason} ${count}: ${message}`)).toEqual([
      'DuplicateMACAddress 1: 02:00:00:00:00:01 has the older lease prod.10.0.0.1, which is served; this one is not',
      'InvalidLease 1: spec.macAddress is invalid; the lease is not served',
      'SettingIgnored 1: spec.ipv4Config.router: "x" is not an IPv4 address; it is ignored',
    ]);
  });
});

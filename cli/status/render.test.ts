import { describe, expect, it } from 'vitest';
import type { BmcStatus, PoolStatus, Overview } from './evaluate.ts';
import { render } from './render.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

function bmc(changes: Partial<BmcStatus> = {}): BmcStatus {
  return {
    namespace: 'vms',
    name: 'a',
    virtualMachine: 'a',
    power: 'On',
    ipmi: '10.0.0.1:623',
    redfish: 'https://10.0.0.1',
    agent: 'a-virtbmc-x',
    phase: 'Ready',
    problems: [],
    ...changes,
  };
}

function pool(changes: Partial<PoolStatus> = {}): PoolStatus {
  return {
    namespace: 'vms',
    name: 'prod',
    network: 'vms/prod-net',
    used: 2,
    bound: 1,
    resting: 0,
    total: 191,
    agents: '2/2',
    phase: 'Ready',
    problems: [],
    ...changes,
  };
}

function overview(changes: Partial<Overview>): Overview {
  return { bmcs: [], pools: [], leases: [], networkConfigs: [], ...changes };
}

describe('render', () => {
  it('prints a table that ends with the summary', () => {
    expect(render(overview({ bmcs: [bmc()] }), NOW)).toBe(
      [
        'NAMESPACE  NAME  VM  POWER  IPMI          REDFISH           AGENT        PHASE  LAST ACTION',
        'vms        a     a   On     10.0.0.1:623  https://10.0.0.1  a-virtbmc-x  Ready  -',
        '',
        'All is as it should be.',
        '',
      ].join('\n'),
    );
  });

  it('prints a table of pools and a table of leases if there are any', () => {
    const bound = { namespace: 'vms', name: 'web', macAddress: '52:54:00:00:00:01', address: '10.0.0.9', pool: 'prod' };
    const leases = [{ ...bound, state: 'Bound', lastSeen: '2026-11-21T09:59:30Z' }];
    expect(render(overview({ pools: [pool()], leases }), NOW)).toBe(
      [
        'NAMESPACE  POOL  NETWORK       USED  BOUND  RESTING  TOTAL  AGENTS  PHASE',
        'vms        prod  vms/prod-net  2     1      0        191    2/2     Ready',
        '',
        'NAMESPACE  VM   MAC                ADDRESS   POOL  STATE  LAST SEEN',
        'vms        web  52:54:00:00:00:01  10.0.0.9  prod  Bound  30s ago',
        '',
        'All is as it should be.',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [30, 'PoweredOn 30s ago'],
    [600, 'PoweredOn 10m ago'],
    [7200, 'PoweredOn 2h ago'],
    [200_000, 'PoweredOn 2d ago'],
  ])('shows the age of an action of %d seconds ago', (seconds, text) => {
    const time = new Date(NOW - seconds * 1000).toISOString();
    const row = bmc({ lastAction: { time, reason: 'PoweredOn', message: '' } });
    expect(render(overview({ bmcs: [row] }), NOW)).toContain(text);
  });

  it('lists the problems of each object and what to do', () => {
    const secret = { condition: 'SecretAvailable', reason: 'SecretNotFound', message: 'Create the Secret creds.' };
    const full = { condition: 'Exhausted', reason: 'Exhausted', message: 'Widen spec.ipv4Config.pool.' };
    const text = render(
      overview({ bmcs: [bmc(), bmc({ name: 'b', problems: [secret] })], pools: [pool({ problems: [full] })] }),
      NOW,
    );
    expect(text).toContain(
      [
        '2 need attention:',
        '  VirtualMachineBMC vms/b',
        '    SecretAvailable: SecretNotFound: Create the Secret creds.',
        '  IPPool vms/prod',
        '    Exhausted: Exhausted: Widen spec.ipv4Config.pool.',
        '',
      ].join('\n'),
    );
  });
});

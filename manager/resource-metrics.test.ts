import { expect, it } from 'vitest';
import { VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../api/index.ts';
import type { Listener } from '@groundcrew/controller-runtime';
import { Metrics } from '@groundcrew/controller-runtime/metrics';
import { aPool } from './ippool/testing/builders.ts';
import { conditionGauge, poolGauges } from './resource-metrics.ts';
import { aBmc } from './virtualmachinebmc/testing/builders.ts';

it('reports the usage of each pool and drops deleted pools', async () => {
  const metrics = new Metrics();
  let pools = [
    aPool({ name: 'lan', status: { ipv4: { used: 3, available: 7, total: 10, resting: 0 } } }),
    aPool({ name: 'dmz', status: { ipv4: { used: 0, available: 10 } } }),
  ];
  poolGauges(metrics, { list: () => pools });
  const before = await metrics.text();
  expect(before).toContain('vmdhcpcontroller_ippool_used{ippool="vms/lan",cidr="10.0.0.0/24",network="vms/lan"} 3\n');
  expect(before).toContain('groundcrew_ippool_addresses{ippool="vms/lan",cidr="10.0.0.0/24",network="vms/lan"} 10\n');
  pools = pools.slice(1);
  const after = await metrics.text();
  expect(after).toContain(
    'vmdhcpcontroller_ippool_available{ippool="vms/dmz",cidr="10.0.0.0/24",network="vms/lan"} 10',
  );
  expect(after).not.toContain('ippool="vms/lan"');
});

it('reports each agent of a pool, so that one of two is not hidden by the other', async () => {
  const metrics = new Metrics();
  const agents = [{ serverIP: '10.0.0.2', ready: true }, { serverIP: '10.0.0.3' }];
  poolGauges(metrics, { list: () => [aPool({ name: 'lan', status: { agents } })] });
  const text = await metrics.text();
  expect(text).toContain('network="vms/lan",server_ip="10.0.0.2"} 1\n');
  expect(text).toContain('network="vms/lan",server_ip="10.0.0.3"} 0\n');
});

/** Metrics of the conditions of BMCs. Returns what tells them a change. */
function watchedConditions(metrics: Metrics): Listener<VirtualMachineBMC> {
  let tell: Listener<VirtualMachineBMC> = () => undefined;
  const subscribe = (listener: Listener<VirtualMachineBMC>) => {
    tell = listener;
    return () => undefined;
  };
  conditionGauge(metrics, [{ kind: VIRTUAL_MACHINE_BMCS, subscribe }]);
  return tell;
}

it('reports the current status of each condition', async () => {
  const metrics = new Metrics();
  const condition = { type: 'AgentReady', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const bmc = aBmc();
  const withStatus = (status: 'True' | 'False') => ({ ...bmc, status: { conditions: [{ ...condition, status }] } });
  const tell = watchedConditions(metrics);
  const { namespace = '', name } = bmc.metadata;
  const series = (status: string) =>
    `groundcrew_resource_condition{kind="VirtualMachineBMC",namespace="${namespace}",name="${name}",type="AgentReady",status="${status}"} 1\n`;
  tell({ type: 'added', object: withStatus('False') });
  expect(await metrics.text()).toContain(series('False'));
  tell({ type: 'modified', object: withStatus('True'), previous: withStatus('False') });
  const after = await metrics.text();
  expect(after).toContain(series('True'));
  expect(after).not.toContain(series('False'));
  tell({ type: 'deleted', object: withStatus('True') });
  expect(await metrics.text()).not.toContain(series('True'));
});

it('is read in small parts, however many objects there are', async () => {
  const metrics = new Metrics();
  const tell = watchedConditions(metrics);
  const bmc = aBmc();
  const condition = { type: 'Ready', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  for (let at = 0; at < 3000; at += 1) {
    const metadata = { ...bmc.metadata, name: `a"${at}` };
    tell({ type: 'added', object: { ...bmc, metadata, status: { conditions: [{ ...condition, status: 'True' }] } } });
  }
  const parts: string[] = [];
  for await (const part of metrics.parts()) parts.push(part);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(70_000);
  expect(parts.join('').match(/name="a\\"\d+",type="Ready",status="True"\} 1\n/g)).toHaveLength(3000);
});

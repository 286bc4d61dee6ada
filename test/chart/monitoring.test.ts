import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Deployment, Draft, KubeObject, Service } from '@groundcrew/controller-runtime';
import { deployment as dhcpDeployment } from '../../manager/ippool/agents/children/deployment.ts';
import { aScope } from '../../manager/ippool/testing/builders.ts';
import { deployment as bmcDeployment } from '../../manager/virtualmachinebmc/children/deployment.ts';
import { aBmc } from '../../manager/virtualmachinebmc/testing/builders.ts';
import { renderChart } from '../harness/index.ts';
import { exposedByBmcAgent, exposedByDhcpAgent } from '../lint/exposed-metrics.ts';
import { findTool, needs } from '../tools/index.ts';

const ALL = ['serviceMonitor', 'podMonitor', 'rules', 'dashboard'].map((name) => `monitoring.${name}=true`);
const OF_OPERATOR = ['PodMonitor', 'PrometheusRule', 'ServiceMonitor'];

interface Monitor extends KubeObject {
  spec: {
    selector: { matchLabels: Record<string, string>; matchExpressions?: { key: string; values: string[] }[] };
    namespaceSelector?: object;
    endpoints?: { port: string }[];
    podMetricsEndpoints?: { port: string; relabelings: { sourceLabels: [string]; targetLabel: string }[] }[];
  };
}

/** The object of a kind in the chart. The values decide which fields it has, and the tests check them. */
async function rendered<T extends KubeObject>(kind: string, name: string, set: readonly string[] = ALL): Promise<T> {
  const objects = await renderChart({ namespace: 'groundcrew-system', set });
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  return (found ?? expect.fail(`the chart renders no ${kind} ${name}`)) as T;
}

describe('the monitoring of the chart', () => {
  it('renders no object of prometheus-operator by default, so that it installs without its CRDs', async () => {
    const kinds = (await renderChart({ namespace: 'default' })).map(({ kind }) => kind);
    expect(kinds.filter((kind) => OF_OPERATOR.includes(kind))).toEqual([]);
  });

  it('gives the objects of prometheus-operator the labels by which Prometheus selects them', async () => {
    const set = [...ALL, 'monitoring.labels.release=prometheus'];
    const objects = (await renderChart({ namespace: 'default', set })).filter(({ kind }) => OF_OPERATOR.includes(kind));
    expect(objects.map(({ kind, metadata }) => [kind, metadata.labels?.['release']]).toSorted()).toEqual(
      OF_OPERATOR.map((kind) => [kind, 'prometheus']),
    );
  });

  it('finds the managers by a Service with their labels and the name of their port', async () => {
    const service = await rendered<Service>('Service', 'groundcrew-metrics');
    const monitor = await rendered<Monitor>('ServiceMonitor', 'groundcrew-manager');
    const manager = await rendered<Deployment>('Deployment', 'groundcrew-manager');
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(service.spec?.ports?.map(({ name }) => name)).toEqual(monitor.spec.endpoints?.map(({ port }) => port));
    expect(manager.spec?.template.metadata?.labels).toMatchObject(service.spec?.selector ?? {});
    const [container] = manager.spec?.template.spec?.containers ?? [];
    expect(container?.ports?.map(({ name }) => name)).toContain(service.spec?.ports?.[0]?.targetPort);
  });

  it.each<[string, Draft<Deployment>, string[]]>([
    ['a BMC', bmcDeployment(aBmc(), { image: 'image' }), ['bmc']],
    ['DHCP', dhcpDeployment(aScope(), { index: 0, addresses: [], routes: [], poolNamespaces: [] }, '{}'), ['network']],
  ])('finds the agents of %s, and what they serve', async (_what, agent, targets) => {
    const { selector, podMetricsEndpoints = [] } = (await rendered<Monitor>('PodMonitor', 'groundcrew-agents')).spec;
    const { metadata, spec } = agent.spec?.template ?? {};
    expect(metadata?.labels).toMatchObject(selector.matchLabels);
    for (const { key, values } of selector.matchExpressions ?? []) expect(values).toContain(metadata?.labels?.[key]);
    const [{ port, relabelings } = expect.fail('the PodMonitor has no endpoint')] = podMetricsEndpoints;
    expect(spec?.containers[0]?.ports?.map(({ name }) => name)).toContain(port);
    const offered = [
      ...Object.keys(metadata?.labels ?? {}).map((name) => `__meta_kubernetes_pod_label_${plain(name)}`),
      ...Object.keys(metadata?.annotations ?? {}).map((name) => `__meta_kubernetes_pod_annotation_${plain(name)}`),
    ];
    const found = relabelings.filter(({ sourceLabels: [source] }) => offered.includes(source));
    expect(found.map(({ targetLabel }) => targetLabel)).toEqual(targets);
  });

  it('looks for agents where the manager works', async () => {
    const { spec } = await rendered<Monitor>('PodMonitor', 'groundcrew-agents', [...ALL, 'watchNamespaces={a,b}']);
    expect(spec.namespaceSelector).toEqual({ matchNames: ['a', 'b'] });
    const everywhere = await rendered<Monitor>('PodMonitor', 'groundcrew-agents');
    expect(everywhere.spec.namespaceSelector).toEqual({ any: true });
  });
});

/** Name of a label in Prometheus' service discovery. */
function plain(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_]/g, '_');
}

describe("Prometheus' promtool", needs('promtool'), () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-rules-'));
    const rule = await rendered<KubeObject & { spec: object }>('PrometheusRule', 'groundcrew');
    writeFileSync(join(folder, 'alerts.yaml'), stringify(rule.spec));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function promtool(args: readonly string[], input?: string): string {
    return execFileSync(findTool('promtool') ?? 'promtool', args, { cwd: folder, input, encoding: 'utf8' });
  }

  it('accepts the rules', () => {
    expect(promtool(['check', 'rules', '--lint-fatal', 'alerts.yaml'])).toContain('SUCCESS');
    expect(readFileSync(join(folder, 'alerts.yaml'), 'utf8')).not.toContain('RUNBOOKS');
  });

  it('finds that each alert fires when it should, and not before', () => {
    writeFileSync(join(folder, 'test.yaml'), readFileSync(join(import.meta.dirname, 'alerts-test.yaml')));
    expect(promtool(['test', 'rules', 'test.yaml'])).toContain('SUCCESS');
  });

  it('accepts the queries of the dashboard', async () => {
    const { data } = await rendered<KubeObject & { data: Record<string, string> }>('ConfigMap', 'groundcrew-dashboard');
    const { panels } = JSON.parse(data['groundcrew.json'] ?? '') as { panels: { targets?: { expr: string }[] }[] };
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(20);
    const rules = queries.map((expr, at) => ({
      record: `query:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', '.*'),
    }));
    writeFileSync(join(folder, 'queries.yaml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(promtool(['check', 'rules', 'queries.yaml'])).toContain('SUCCESS');
  });

  it('finds no fault with the names and the help of the metrics', () => {
    for (const text of [exposedByBmcAgent(), exposedByDhcpAgent()]) {
      expect(promtool(['check', 'metrics'], text)).toBe('');
    }
  });
});

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { Metrics } from '@groundcrew/controller-runtime/metrics';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { createManager } from '../../manager/index.ts';
import { repository } from '../harness/repository.ts';
import { exposedByBmcAgent, exposedByDhcpAgent } from './exposed-metrics.ts';

const page = read('docs/monitoring.md');

/** The tables of a section of the page: `name type label,label`. */
function listed(...sections: readonly string[]): string[] {
  return sections
    .flatMap((section) => {
      const [, text = expect.fail(`docs/monitoring.md has no section ${section}`)] = page.split(`## ${section}\n`);
      const rows = (text.split('\n#')[0] ?? '').matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) ?\| /gm);
      return [...rows].map(([, name, type, labels = '']) =>
        row(
          name,
          type,
          [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
        ),
      );
    })
    .toSorted();
}

function row(name = '', type = '', labels: readonly string[] = []): string {
  return [name, type, labels.toSorted().join(',')].join(' ').trim();
}

/** The metrics of a text, in the same form. A metric without a sample would hide its labels, so each must have one. */
function exposed(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
    .map(([, name, type]) => {
      const sample = new RegExp(`^${name}(?:_bucket)?(?:{(.*)})? `, 'm').exec(text);
      if (sample === null) expect.fail(`${name} has no sample in this test`);
      const labels = [...(sample[1] ?? '').matchAll(/(\w+)="/g)].map(([, label = '']) => label);
      return row(
        name,
        type,
        labels.filter((label) => label !== 'le'),
      );
    })
    .toSorted();
}

describe('docs/monitoring.md lists exactly what /metrics exposes:', () => {
  it('that of a BMC agent', () => {
    const text = exposedByBmcAgent();
    expect(listed('Metrics of BMC agents', 'Metrics of every process')).toEqual(exposed(text));
  });

  it('that of a DHCP agent', () => {
    const text = exposedByDhcpAgent();
    expect(listed('Metrics of DHCP agents', 'Metrics of every process')).toEqual(exposed(text));
  });

  it('that of the manager', () => {
    const metrics = new Metrics();
    createManager({
      client: new KubeClient({ transport: new ScriptedApi(), fieldManager: 'groundcrew-manager' }),
      clock: systemClock,
      random: randomBytes,
      logger: silentLogger,
      metrics,
      agentImage: 'groundcrew',
      namespace: 'groundcrew-system',
      admission: { address: { host: '127.0.0.1', port: 0 }, reachedBy: { service: 'webhook' } },
    });
    // prom-client's types leave out the names of the labels.
    const all = metrics.registry.getMetricsAsArray() as unknown as readonly {
      name: string;
      type: string;
      labelNames: readonly string[];
    }[];
    const gauges = metrics.gauges.map((gauge) => ({ ...gauge, type: 'gauge' }));
    const rows = [...all, ...gauges].map(({ name, type, labelNames }) => row(name, type, labelNames)).toSorted();
    expect(listed('Metrics of the manager', 'Metrics of every process')).toEqual(rows);
  });
});

const METRIC =
  /\b(?:groundcrew|vmdhcpcontroller|leader_election|controller_runtime|workqueue|rest_client|reflector|process)_\w+/g;

/** Metrics in PromQL that the page does not list. */
function unlisted(expression: string): string[] {
  const names = [...expression.matchAll(METRIC)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
  return names.filter((name) => !page.includes(`| \`${name}\` |`));
}

interface Alert {
  alert: string;
  expr: string;
  annotations: { runbook_url: string };
}

describe('the alerts and the dashboard', () => {
  const { groups } = parse(read('charts/groundcrew/files/alerts.yaml')) as { groups: { rules: Alert[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules);

  it.each(alerts.map((alert) => [alert.alert, alert] as const))('%s has a runbook on the page', (name, alert) => {
    expect(page).toContain(`\n## ${name}\n`);
    expect(alert.annotations.runbook_url).toBe(`RUNBOOKS#${name.toLowerCase()}`);
    expect(unlisted(alert.expr)).toEqual([]);
  });

  it('leave no runbook without an alert', () => {
    const runbooks = [...(page.split('\n# Runbooks')[1] ?? '').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(runbooks).toEqual(alerts.map(({ alert }) => alert));
  });

  it('use only metrics that the page lists', () => {
    const { panels } = JSON.parse(read('charts/groundcrew/files/dashboard.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const wrong = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) => unlisted(expr).map((name) => `${title}: ${name}`)),
    );
    expect(wrong).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

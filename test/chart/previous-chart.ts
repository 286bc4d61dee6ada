import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { CustomResourceDefinition } from '@groundcrew/controller-runtime';
import { repository } from '../harness/index.ts';

/** A field of a CRD that the version before does not have. */
export const NEW_FIELD = 'networkInterfaces';

/**
 * Writes a chart as the version before had it, and returns its folder. No version has a tag yet, and a shallow clone has no history: so it
 * is today's chart without what was added since. At a release, replace the list by what the release adds.
 */
export function writePreviousChart(folder: string): string {
  const chart = join(folder, 'previous-chart');
  cpSync(join(repository, 'charts/groundcrew'), chart, { recursive: true });
  const change = (file: string, edit: (text: string) => string): void => {
    const path = join(chart, file);
    const before = readFileSync(path, 'utf8');
    const after = edit(before);
    if (after === before) throw new Error(`${file} of the chart has no longer what was added since the version before`);
    writeFileSync(path, after);
  };
  const crds = 'files/crds/bmc.kubevirt.io_';

  change('Chart.yaml', (text) => text.replaceAll(/(ersion): 0\.\S+/g, '$1: 0.0.9'));
  // One manager, and no roll-outs of agents.
  change('values.yaml', (text) => {
    const { rollout: _, ...values } = parse(text) as Record<string, unknown>;
    return stringify({ ...values, replicaCount: 1, topologySpreadConstraints: [] });
  });
  change('templates/deployment.yaml', (text) => text.replaceAll(/.*\.Values\.rollout\..*\n/g, ''));
  for (const file of ['templates/rollout-role.yaml', 'templates/tests', `${crds}agentrollouts.yaml`])
    rmSync(join(chart, file), { recursive: true });
  change(`${crds}virtualmachinebmcs.yaml`, (text) => {
    const definition = parse(text) as CustomResourceDefinition;
    Reflect.deleteProperty(statusFields(definition), NEW_FIELD);
    return stringify(definition, { aliasDuplicateObjects: false });
  });
  return chart;
}

/** The schemas of the fields of the status. */
export function statusFields({ spec }: CustomResourceDefinition): Record<string, unknown> {
  const fields = spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['status']?.properties;
  if (fields === undefined) throw new Error('the CRD has no status');
  return fields;
}

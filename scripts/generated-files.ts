import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CUSTOM_RESOURCES } from '../api/crd/custom-resources.ts';
import { customResourceDefinition } from '../api/crd/custom-resource-definition.ts';
import { referenceOf } from '../api/crd/reference.ts';
import { benchmarkChart } from './benchmark-chart.ts';

const CRD_FOLDER = 'charts/groundcrew/files/crds';

/**
 * All files generated from api/, and the chart of docs/benchmarks.md: contents by path from the root of the repository.
 */
export function generatedFiles(): Record<string, string> {
  const crds = CUSTOM_RESOURCES.map((resource): [string, string] => {
    const { group, plural } = resource.kind;
    return [`${CRD_FOLDER}/${group}_${plural}.yaml`, toYaml(customResourceDefinition(resource))];
  });
  const benchmarks = readFileSync(join(import.meta.dirname, '../docs/benchmarks.md'), 'utf8');
  return Object.fromEntries([
    ...crds,
    ['docs/api.md', reference()],
    ['docs/benchmarks.svg', benchmarkChart(benchmarks)],
  ]);
}

function toYaml(object: unknown): string {
  // Helm and kubectl read YAML 1.1, in which an unquoted On is true.
  const text = stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  return `# Made by scripts/generate.ts from api/; do not edit.\n${text}`;
}

function reference(): string {
  const parts = [
    '<!-- Made by scripts/generate.ts from api/; do not edit. -->',
    '# API reference',
    'Every field of every kind, as `kubectl explain` has it too. Fields marked required must be set; all others may be left out.',
    ...CUSTOM_RESOURCES.map(referenceOf),
  ];
  return `${parts.join('\n\n')}\n`;
}

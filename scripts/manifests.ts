#!/usr/bin/env node
/**
 * `node scripts/manifests.ts` writes `dist/install.yaml`: the chart for clusters without Helm. `-` writes to standard output. Further
 * arguments are for `helm template`, such as `--set image.tag=1.2.3`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool } from '../test/tools/index.ts';

const NAMESPACE = 'groundcrew-system';
const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const isToStdout = args[0] === '-';

const rendered = execFileSync(
  findTool('helm') ?? 'helm',
  [
    ...['template', 'groundcrew', join(root, 'charts/groundcrew'), '--namespace', NAMESPACE, '--no-hooks'],
    // Without --kube-version Helm assumes an old version. crds.keep is an annotation that only Helm reads.
    ...['--kube-version', '1.30.0', '--set', 'crds.keep=false', ...(isToStdout ? args.slice(1) : args)],
  ],
  { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 },
);
// Tools such as Argo CD treat objects with these labels as Helm's.
const plain = rendered.replaceAll(/^ +(app\.kubernetes\.io\/managed-by: Helm|helm\.sh\/chart: .*)\n/gm, '');
const namespace = `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${NAMESPACE}\n`;
const manifests = `# Made by scripts/manifests.ts from charts/groundcrew.\n${namespace}${plain}`;

if (isToStdout) process.stdout.write(manifests);
else {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist/install.yaml'), manifests);
  console.log('wrote dist/install.yaml');
}

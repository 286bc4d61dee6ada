import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '@groundcrew/controller-runtime';
import { findTool, howToInstall } from '../tools/index.ts';
import { repository } from './repository.ts';

/** The chart of this version. */
export const CHART = join(repository, 'charts/groundcrew');

export interface RenderOptions {
  /** Its folder; default: the chart of this version. */
  chart?: string;
  namespace: string;
  /** `--set` arguments, `key=value`. */
  set?: readonly string[];
  /** Version of Kubernetes to render for. */
  kubeVersion?: string;
  /** Also the objects of `helm test`; default false. */
  withTests?: boolean;
}

/** Helm built from its Go module assumes Kubernetes 1.20 by default. */
const KUBE_VERSION = '1.34.4';

/** Renders the chart with Helm, without CRDs. Throws Helm's error message on failure. */
export async function renderChart(options: RenderOptions): Promise<KubeObject[]> {
  const helm = findTool('helm');
  if (helm === undefined) throw new Error(`helm is not on this machine; ${howToInstall('helm')}`);
  const { stdout } = await promisify(execFile)(
    helm,
    [
      'template',
      'groundcrew',
      options.chart ?? CHART,
      `--namespace=${options.namespace}`,
      `--kube-version=${options.kubeVersion ?? KUBE_VERSION}`,
      ...(options.withTests === true ? [] : ['--skip-tests']),
      ...(options.set ?? []).flatMap((pair) => ['--set', pair]),
    ],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as KubeObject | null) // Kubernetes validates it on apply.
    .filter((object) => object !== null);
}

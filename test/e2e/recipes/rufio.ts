import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Kubectl } from '../../harness/kubectl.ts';
import { ServerProcess } from '../../harness/process.ts';
import { repository } from '../../harness/repository.ts';
import { findTool } from '../../tools/index.ts';

const MODULE = 'github.com/tinkerbell/rufio';

/** Tinkerbell's Rufio with its CRDs in a cluster, as docs/recipes/tinkerbell.md installs it. */
export async function startRufio(kubectl: Kubectl, kubeconfig: string, folder: string): Promise<ServerProcess> {
  // The CRDs are files of the module of which the program was built.
  const downloaded = execFileSync('go', ['mod', 'download', '-json', MODULE], {
    cwd: join(repository, 'test/tools/rufio'),
    encoding: 'utf8',
  });
  const { Dir: source } = JSON.parse(downloaded) as { Dir: string }; // As `go help mod download` says.
  const crds = join(source, 'config/crd/bases');
  const files = readdirSync(crds).flatMap((file) => ['-f', join(crds, file)]);
  const { code, stderr } = await kubectl(['create', ...files]);
  if (code !== 0) throw new Error(`the CRDs of Rufio are refused: ${stderr}`);
  const rufio = new ServerProcess({
    command: findTool('rufio') ?? '',
    args: [`-kubeconfig=${kubeconfig}`, '-metrics-bind-address=0', '-health-probe-bind-address=127.0.0.1:0'],
    log: join(folder, 'rufio.log'),
  });
  rufio.start();
  return rufio;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACES, type KubeClient } from '@groundcrew/controller-runtime';
import { ControlPlane } from '../../harness/kubernetes/control-plane.ts';
import { adminKubeconfig } from '../../harness/kubeconfig.ts';

const NAMESPACE = 'bench';

/** A real control plane to measure on, with a namespace for what is made there. */
export class Stage {
  readonly plane: ControlPlane;
  readonly namespace = NAMESPACE;
  readonly progress: (line: string) => void;
  /** For files of the run. */
  readonly folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-'));

  private constructor(plane: ControlPlane, progress: (line: string) => void) {
    this.plane = plane;
    this.progress = progress;
  }

  static async open(progress: (line: string) => void): Promise<Stage> {
    progress('etcd and kube-apiserver start');
    const stage = new Stage(await ControlPlane.start(), progress);
    await stage.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    return stage;
  }

  get client(): KubeClient {
    return this.plane.client;
  }

  /** Path of an administrator's kubeconfig; `server` may be a relay on the way to the API server. */
  kubeconfig(server = this.plane.server): string {
    const { ca, admin } = this.plane.certificates;
    const path = join(this.folder, `${new URL(server).port}.kubeconfig`);
    writeFileSync(path, adminKubeconfig({ server, ca, ...admin }), { mode: 0o600 });
    return path;
  }

  async close(): Promise<void> {
    await this.plane.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

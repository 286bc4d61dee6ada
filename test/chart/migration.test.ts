import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../api/index.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  NAMESPACES,
  type CustomResourceDefinition,
  type Draft,
} from '@groundcrew/controller-runtime';
import { eventually, readCustomResources, repository } from '../harness/index.ts';
import { adminKubeconfig } from '../harness/kubeconfig.ts';
import { ControlPlane } from '../harness/kubernetes/control-plane.ts';
import { ServerProcess } from '../harness/process.ts';
import { groundcrew } from '../harness/stand-ins.ts';
import { findTool } from '../tools/index.ts';

const HOME = 'groundcrew-system';
const CONFIG = { namespace: 'vms', name: 'web' };
const [COMMAND, ...FIRST] = groundcrew;
const run = promisify(execFile);

// A control plane of its own, with the CRDs of another project.
const folder = mkdtempSync(join(tmpdir(), 'groundcrew-migration-'));
const kubeconfig = join(folder, 'admin.kubeconfig');
let plane: ControlPlane;

beforeAll(async () => {
  plane = await ControlPlane.start();
  const { server, certificates } = plane;
  writeFileSync(kubeconfig, adminKubeconfig({ server, ca: certificates.ca, ...certificates.admin }), { mode: 0o600 });
});
afterAll(async () => {
  await plane.close();
  rmSync(folder, { recursive: true });
});

async function helm(...args: string[]): Promise<string> {
  const env = { ...process.env, HOME: folder, KUBECONFIG: kubeconfig, HELM_NAMESPACE: HOME };
  const chart = join(repository, 'charts/groundcrew');
  return (await run(findTool('helm') ?? 'helm', ['install', 'groundcrew', chart, ...args], { env })).stdout;
}

/** The CRD as another project installs it, here without a schema. */
function foreign({ metadata, spec, ...rest }: CustomResourceDefinition): Draft<CustomResourceDefinition> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = spec.versions.map((version) => ({ ...version, schema }));
  return { ...rest, metadata: { name: metadata.name }, spec: { ...spec, versions } };
}

it('takes over the CRD and the addresses of vm-dhcp-controller, whose conditions have no time', async () => {
  const { client } = plane;
  const crd = readCustomResources().find(({ spec }) => spec.names.kind === 'VirtualMachineNetworkConfig');
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, foreign(crd ?? expect.fail('there is no such CRD')));
  for (const name of [HOME, CONFIG.namespace])
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const entry = { networkName: 'vms/lan', macAddress: '52:54:00:00:00:01' };
  const draft = {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: CONFIG,
    spec: { vmName: 'web', networkConfigs: [entry] },
  };
  await eventually(() => client.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, draft));
  const conditions = [{ type: 'InSynced', status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' }];
  const status = { networkConfigs: [{ ...entry, allocatedIPAddress: '10.0.0.15', state: 'Allocated' }], conditions };
  await client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, CONFIG, 'merge', { status }, { subresource: 'status' });

  await expect(helm()).rejects.toThrow(/cannot be imported into the current release/);
  expect(await helm('--take-ownership')).toContain('STATUS: deployed');

  const flags = ['--agent-image=x', `--namespace=${HOME}`, '--health-address=', '--metrics-address='];
  const args = [...FIRST, 'manager', ...flags, `--kubeconfig=${kubeconfig}`];
  const manager = new ServerProcess({ command: COMMAND, args, log: join(folder, 'manager.log') });
  manager.start();
  try {
    await eventually(async () => {
      const config = await client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, CONFIG);
      const inSynced = config.status?.conditions?.find(({ type }) => type === 'InSynced');
      expect(inSynced?.lastTransitionTime, manager.logTail(5)).toEqual(expect.any(String));
      expect(config.status?.phase).toBeDefined();
    });
  } finally {
    await manager.dispose();
  }
});

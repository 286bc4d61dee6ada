import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { parse } from 'yaml';
import { VIRTUAL_MACHINE_BMCS } from '../../api/index.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  NAMESPACES,
  PODS,
  type CustomResourceDefinition,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Pod,
} from '@groundcrew/controller-runtime';
import { standInForAgents } from '../harness/agent-pods.ts';
import { freePorts } from '../harness/free-port.ts';
import { CHART } from '../harness/chart.ts';
import { readCustomResources } from '../harness/custom-resources.ts';
import { eventually, repository } from '../harness/index.ts';
import { adminKubeconfig, tokenKubeconfig } from '../harness/kubeconfig.ts';
import { kubectlWith } from '../harness/kubectl.ts';
import { ControlPlane } from '../harness/kubernetes/control-plane.ts';
import { ServerProcess } from '../harness/process.ts';
import { serviceAccountToken } from '../harness/service-accounts.ts';
import { groundcrew, startStandIns, type StandIns } from '../harness/stand-ins.ts';
import { findTool, needs, previousChart } from '../tools/index.ts';

/** Milliseconds for a life of a release: Helm waits for Deployments and CRDs. */
const TIMEOUT = 180_000;
const HOME = 'groundcrew-system';
const MANAGER = { namespace: HOME, name: 'groundcrew-manager' };
const BMC = { namespace: 'vms', name: 'web' };
const [COMMAND, ...FIRST] = groundcrew;
const run = promisify(execFile);

// A control plane of its own: releases install and remove CRDs, which other files need.
const folder = mkdtempSync(join(tmpdir(), 'groundcrew-release-'));
const kubeconfig = join(folder, 'admin.kubeconfig');
const kubectl = kubectlWith(kubeconfig, folder);
let plane: ControlPlane;
let client: KubeClient;
let standIns: StandIns;

beforeAll(async () => {
  plane = await ControlPlane.start();
  ({ client } = plane);
  const { server, certificates } = plane;
  writeFileSync(kubeconfig, adminKubeconfig({ server, ca: certificates.ca, ...certificates.admin }), { mode: 0o600 });
  standIns = await startStandIns(plane.asTestServer(), folder, { parts: ['deployments'] });
  for (const name of [HOME, BMC.namespace])
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
});
afterAll(async () => {
  await standIns.close();
  await plane.close();
  rmSync(folder, { recursive: true });
});

async function helm(...args: string[]): Promise<string> {
  const env = { ...process.env, HOME: folder, KUBECONFIG: kubeconfig, HELM_NAMESPACE: HOME };
  const { stdout } = await run(findTool('helm') ?? 'helm', args, { env, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** The manager as its Deployment starts it, with the token of its service account, but with addresses of this machine. */
async function startManager(): Promise<ServerProcess> {
  const { spec } = (await client.get(DEPLOYMENTS, MANAGER)).spec?.template ?? {};
  const [health = 0, metrics = 0, admission = 0] = await freePorts(3);
  const moved: Record<string, string> = {
    '--health-address=:8081': `--health-address=127.0.0.1:${health}`,
    '--metrics-address=:8080': `--metrics-address=127.0.0.1:${metrics}`,
    '--admission-address=:9443': `--admission-address=127.0.0.1:${admission}`,
  };
  const args = (spec?.containers[0]?.args ?? [])
    .filter((arg) => !arg.startsWith('--admission-service='))
    .map((arg) => moved[arg] ?? arg);
  const access = await kubeconfigOf(spec?.serviceAccountName ?? '');
  const log = join(folder, 'manager.log');
  const manager = new ServerProcess({ command: COMMAND, args: [...FIRST, ...args, `--kubeconfig=${access}`], log });
  onTestFailed(() => {
    console.error(readFileSync(log, 'utf8').slice(-20_000));
  });
  manager.start();
  await manager.waitUntil(async () => {
    const { ok, status } = await fetch(`http://127.0.0.1:${health}/readyz`);
    if (!ok) throw new Error(`/readyz answers ${status}`);
  }, 20_000);
  return manager;
}

async function kubeconfigOf(name: string): Promise<string> {
  const token = await serviceAccountToken(client, { namespace: HOME, name });
  const path = join(folder, `${name}.kubeconfig`);
  writeFileSync(path, tokenKubeconfig({ server: plane.server, ca: plane.certificates.ca }, token), { mode: 0o600 });
  return path;
}

/** `helm test`, with this machine as the node of its pod. */
async function helmTest(): Promise<{ passed: boolean; output: string }> {
  const ref = { namespace: HOME, name: 'groundcrew-test' };
  const former = (await client.find(PODS, ref))?.metadata.uid;
  const tested = helm('test', 'groundcrew', '--timeout', '60s').then(
    () => true,
    () => false,
  );
  const { spec } = await eventually(async (): Promise<Pod> => {
    const pod = await client.get(PODS, ref);
    if (pod.metadata.uid === former) throw new Error('the pod of the test before is still there');
    return pod;
  });
  const access = await kubeconfigOf(spec?.serviceAccountName ?? '');
  const args = [...FIRST, ...(spec?.containers[0]?.args ?? []), `--kubeconfig=${access}`];
  const { code, output } = await run(COMMAND, args).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: unknown) => ({ code: 1, output: String((error as { stdout?: string }).stdout) }), // of execFile
  );
  const status = { phase: code === 0 ? 'Succeeded' : 'Failed' };
  await client.patch(PODS, ref, 'merge', { status }, { subresource: 'status' });
  return { passed: await tested, output };
}

const definition = (plural: string) => client.find(CUSTOM_RESOURCE_DEFINITIONS, { name: `${plural}.bmc.kubevirt.io` });
/** Asserts that the CRDs of a chart have its schemas, and that it runs as many managers as it says. */
async function expectChart(chart: string): Promise<void> {
  const schemas = (definitions: readonly CustomResourceDefinition[]) =>
    definitions.map(({ metadata, spec }) => [metadata.name, spec.versions.map(({ schema }) => schema)]);
  const wanted = readCustomResources(chart);
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const { items } = await client.list(CUSTOM_RESOURCE_DEFINITIONS);
  const found = items.filter(({ metadata }) => names.has(metadata.name));
  expect(Object.fromEntries(schemas(found))).toEqual(Object.fromEntries(schemas(wanted)));
  const { replicaCount } = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as { replicaCount: number };
  expect((await client.get(DEPLOYMENTS, MANAGER)).spec?.replicas).toBe(replicaCount);
  expect((await client.find(BUDGETS, MANAGER)) !== undefined).toBe(replicaCount > 1);
}

const kindOf = (group: string, kind: string, plural: string, namespaced: boolean): Kind<KubeObject> => ({
  ...{ group, version: 'v1', kind, plural, namespaced },
});
const BUDGETS = kindOf('policy', 'PodDisruptionBudget', 'poddisruptionbudgets', true);

/** What the release, or a manager of it, has left in the cluster, as `Kind name`. */
async function leftovers(): Promise<string[]> {
  const rbac = 'rbac.authorization.k8s.io';
  const admission = 'admissionregistration.k8s.io';
  const kinds = [
    DEPLOYMENTS,
    BUDGETS,
    kindOf('', 'Service', 'services', true),
    kindOf('', 'ServiceAccount', 'serviceaccounts', true),
    kindOf(rbac, 'Role', 'roles', true),
    kindOf(rbac, 'RoleBinding', 'rolebindings', true),
    kindOf(rbac, 'ClusterRole', 'clusterroles', false),
    kindOf(rbac, 'ClusterRoleBinding', 'clusterrolebindings', false),
    kindOf(admission, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', false),
    kindOf(admission, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', false),
    kindOf(admission, 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', false),
    kindOf(admission, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false),
  ];
  const lists = await Promise.all(kinds.map(async (each) => ({ each, list: await client.list(each) })));
  return lists.flatMap(({ each, list }) =>
    list.items
      .filter(({ metadata }) => metadata.name.includes('groundcrew'))
      .map((one) => `${each.kind} ${one.metadata.name}`),
  );
}

it(
  'a release is installed, upgraded from the previous release, tested, taken back, and uninstalled',
  { timeout: TIMEOUT, ...needs('previous-release') },
  async () => {
    const pods = standInForAgents(client, HOME);
    pods.answers = ({ metadata }) => metadata.name !== 'groundcrew-test';
    standInForAgents(client, BMC.namespace);
    const wait = ['--wait', '--timeout', '60s'];

    const previous = previousChart(findTool('previous-release') ?? '');
    await helm('install', 'groundcrew', previous, '--set', 'logLevel=debug', ...wait);
    await expectChart(previous);
    const before = await client.get(DEPLOYMENTS, MANAGER);
    const owned = await client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: BMC,
      spec: { virtualMachineRef: { name: 'web' } },
    });

    // As docs/upgrade.md says.
    await helm('upgrade', 'groundcrew', CHART, '--reset-then-reuse-values', ...wait);
    await expectChart(CHART);
    const after = await client.get(DEPLOYMENTS, MANAGER);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.spec?.template.spec?.containers[0]?.args).toContain('--log-level=debug');

    const manager = await startManager();
    await eventually(
      async () => {
        expect((await client.get(VIRTUAL_MACHINE_BMCS, BMC)).status?.agent?.name).toBeDefined();
        expect(await helmTest()).toMatchObject({ passed: true });
      },
      { timeout: 30_000 },
    );
    await manager.stop();
    const failed = await helmTest();
    expect(failed.passed).toBe(false);
    expect(failed.output).toContain('WebhookUnreachable');
    expect(await leftovers()).not.toContain('ClusterRole groundcrew-test');

    await helm('rollback', 'groundcrew', '1', ...wait);
    await expectChart(previous);
    expect(await definition('agentrollouts')).toBeDefined();
    expect((await client.get(VIRTUAL_MACHINE_BMCS, BMC)).metadata.uid).toBe(owned.metadata.uid);

    // The kept CRD is of the release again.
    await helm('upgrade', 'groundcrew', CHART, '--reset-then-reuse-values');

    await client.patch(VIRTUAL_MACHINE_BMCS, BMC, 'merge', { metadata: { finalizers: null } });
    await helm('uninstall', 'groundcrew', ...wait);
    await eventually(async () => {
      expect(await leftovers()).toEqual([]);
    });
    expect(await definition('virtualmachinebmcs')).toBeDefined();
  },
);

it('the plain manifests install the same with kubectl, twice', { timeout: TIMEOUT }, async () => {
  const { stdout: manifests } = await run(process.execPath, [join(repository, 'scripts/manifests.ts'), '-'], {
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(manifests).not.toMatch(/Helm|helm\.sh|groundcrew-test/);
  for (const outcome of ['created', 'unchanged']) {
    const { code, stdout, stderr } = await kubectl(['apply', '-f', '-'], { stdin: manifests });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('rror')]);
    expect(stdout).toContain(`deployment.apps/groundcrew-manager ${outcome}`);
  }
  expect((await client.get(DEPLOYMENTS, MANAGER)).spec?.replicas).toBe(2);
});

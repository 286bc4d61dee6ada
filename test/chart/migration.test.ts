import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  IP_LEASES,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type Condition,
} from '../../api/index.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  NAMESPACES,
  ROLE_BINDINGS,
  SERVICES,
  type CustomResourceDefinition,
  type Draft,
} from '@groundcrew/controller-runtime';
import { eventually, readCustomResources, repository } from '../harness/index.ts';
import { adminKubeconfig } from '../harness/kubeconfig.ts';
import { ControlPlane } from '../harness/kubernetes/control-plane.ts';
import { installMultus } from '../harness/multus.ts';
import { ServerProcess } from '../harness/process.ts';
import { groundcrew } from '../harness/stand-ins.ts';
import { startAgent } from '../suites/ippool/vm-dhcp-controller.ts';
import { KubeVirtBmc } from '../suites/manager/kubevirtbmc.ts';
import { findTool } from '../tools/index.ts';

const HOME = 'groundcrew-system';
const THEIR_HOME = 'harvester-system';
const CONFIG = { namespace: 'vms', name: 'web' };
const POOL = { namespace: 'vms', name: 'lan' };
const BMC = { namespace: 'vms', name: 'web-bmc' };
const CHILD = { namespace: 'vms', name: 'web-virtbmc' };
const MAC = '52:54:00:00:00:01';
const LEFT = 'OtherControllerServes';
const [COMMAND, ...FIRST] = groundcrew;
const run = promisify(execFile);

// A control plane of its own, with the CRDs of other projects.
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

/** The steps of the page, by project and number. */
const PAGE = readFileSync(join(repository, 'docs/migration.md'), 'utf8');
const [, kubeVirtBmc = [], vmDhcpController = []] = [...PAGE.matchAll(/```sh\n(.*?)```/gs)].map(([, script = '']) =>
  script.split(/^# \d\. .*$/m),
);

/** Runs a step as a user of the page does. */
async function follow(step: string | undefined): Promise<string> {
  const programs = ['helm', 'kubectl'] as const;
  const folders = programs.flatMap((name) => findTool(name) ?? []).map((path) => dirname(path));
  const PATH = [...folders, process.env.PATH ?? ''].join(delimiter);
  const env = { ...process.env, HOME: folder, KUBECONFIG: kubeconfig, PATH };
  return (await run('sh', ['-e', '-c', step ?? expect.fail('the page has no such step')], { cwd: repository, env }))
    .stdout;
}

/** The CRD as another project installs it, here without a schema. */
function foreign({ metadata, spec, ...rest }: CustomResourceDefinition): Draft<CustomResourceDefinition> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = spec.versions.map((version) => ({ ...version, schema }));
  return { ...rest, metadata: { name: metadata.name }, spec: { ...spec, versions } };
}

/** Conditions as vm-dhcp-controller writes them: without a time that Groundcrew's schema requires. */
const conditionsOf = (...types: string[]) =>
  types.map((type) => ({ type, status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' })) as unknown as Condition[];

/** What vm-dhcp-controller leaves: a pool with an agent, a VM with an address, and a webhook that nobody answers. */
async function leaveNetwork(): Promise<void> {
  const { client } = plane;
  const [group, status] = ['network.harvesterhci.io/v1alpha1', { subresource: 'status' } as const];
  const config = JSON.stringify({ cniVersion: '0.3.1', name: 'lan', type: 'bridge', bridge: 'br0' });
  await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
    ...{ apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition', metadata: POOL, spec: { config } },
  });
  const range = { start: '10.0.0.10', end: '10.0.0.99' };
  const pool = await eventually(() =>
    client.create(IP_POOLS, {
      ...{ apiVersion: group, kind: 'IPPool' },
      metadata: { ...POOL, finalizers: ['wrangler.cattle.io/vm-dhcp-ippool-controller'] },
      spec: { networkName: 'vms/lan', ipv4Config: { cidr: '10.0.0.0/24', serverIP: '10.0.0.2', pool: range } },
    }),
  );
  const { metadata } = await startAgent(client, pool, THEIR_HOME);
  const agentPodRef = { namespace: THEIR_HOME, name: metadata.name, image: 'agent:1', uid: metadata.uid };
  const ipv4 = { allocated: { '10.0.0.15': MAC }, used: 1, available: 89 };
  const given = { agentPodRef, ipv4, conditions: conditionsOf('Registered', 'CacheReady', 'AgentReady') };
  await client.patch(IP_POOLS, POOL, 'merge', { status: given }, status);

  const entry = { networkName: 'vms/lan', macAddress: MAC };
  await client.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, {
    ...{ apiVersion: group, kind: 'VirtualMachineNetworkConfig' },
    metadata: { ...CONFIG, finalizers: ['wrangler.cattle.io/vm-dhcp-vmnetcfg-controller'] },
    spec: { vmName: 'web', networkConfigs: [entry] },
  });
  const networkConfigs = [{ ...entry, allocatedIPAddress: '10.0.0.15', state: 'Allocated' }];
  const allocated = { networkConfigs, conditions: conditionsOf('Allocated', 'InSynced') };
  await client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, CONFIG, 'merge', { status: allocated }, status);

  const rule = { apiGroups: ['network.harvesterhci.io'], apiVersions: ['*'], resources: ['ippools'] };
  const webhook = {
    name: 'validator.network.harvesterhci.io',
    clientConfig: { service: { namespace: THEIR_HOME, name: 'vm-dhcp-webhook' } },
    ...{ rules: [{ ...rule, operations: ['UPDATE'] }], failurePolicy: 'Fail' },
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
  };
  const configuration = {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
    ...{ metadata: { name: 'vm-dhcp-webhook' }, webhooks: [webhook] },
  };
  writeFileSync(join(folder, 'webhook.json'), JSON.stringify(configuration));
  await follow(`kubectl create -f ${join(folder, 'webhook.json')}`);
}

/** What KubeVirtBMC leaves: a BMC with a Deployment, a Service, and the permissions of its agent. */
async function leaveBmc(): Promise<void> {
  const { client } = plane;
  await eventually(() => client.list(VIRTUAL_MACHINE_BMCS));
  await client.create(VIRTUAL_MACHINE_BMCS, {
    ...{ apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', metadata: BMC },
    spec: { virtualMachineRef: { name: 'web' }, authSecretRef: { name: 'creds' } },
  });
  const controller = new KubeVirtBmc(client, BMC.namespace);
  await eventually(async () => {
    const { status } = await client.get(VIRTUAL_MACHINE_BMCS, BMC);
    expect(status?.conditions?.map(({ type }) => type)).toContain('ServiceReady');
  });
  await controller.stop();
  await client.create(ROLE_BINDINGS, {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' },
    metadata: { namespace: BMC.namespace, name: 'web-virtbmc-rolebinding' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kubevirtbmc-virtbmc-role' },
    subjects: [{ kind: 'ServiceAccount', ...CHILD }],
  });
}

it(
  'the commands of the page take over what KubeVirtBMC and vm-dhcp-controller leave, with the same addresses',
  { timeout: 120_000 },
  async () => {
    const { client } = plane;
    const theirs = ['IPPool', 'VirtualMachineNetworkConfig', 'VirtualMachineBMC'];
    for (const crd of readCustomResources())
      if (theirs.includes(crd.spec.names.kind)) await client.create(CUSTOM_RESOURCE_DEFINITIONS, foreign(crd));
    await installMultus(client);
    for (const name of [THEIR_HOME, 'vms'])
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await leaveNetwork();
    await leaveBmc();

    expect(await follow(vmDhcpController[2])).toContain('vm-dhcp-webhook');
    await expect(follow(vmDhcpController[3])).rejects.toThrow('failed calling webhook');
    await follow('kubectl delete validatingwebhookconfiguration vm-dhcp-webhook');
    await follow(vmDhcpController[3]);
    expect((await client.get(IP_POOLS, POOL)).metadata.finalizers).toBeUndefined();
    const install = kubeVirtBmc[2] ?? '';
    await expect(follow(install.replace('--take-ownership', ''))).rejects.toThrow(
      /cannot be imported into the current release/,
    );
    expect(await follow(install)).toContain('STATUS: deployed');

    const flags = ['--agent-image=x', `--namespace=${HOME}`, '--health-address=', '--metrics-address='];
    const args = [...FIRST, 'manager', ...flags, `--kubeconfig=${kubeconfig}`];
    const manager = new ServerProcess({ command: COMMAND, args, log: join(folder, 'manager.log') });
    manager.start();
    const deployed = async (name: string) =>
      (await client.find(DEPLOYMENTS, { namespace: 'vms', name }))?.metadata.labels?.['app.kubernetes.io/managed-by'];
    try {
      await eventually(async () => {
        const [pool, bmc] = [await client.get(IP_POOLS, POOL), await client.get(VIRTUAL_MACHINE_BMCS, BMC)];
        for (const { status } of [pool, bmc])
          expect(status?.conditions?.find(({ type }) => type === 'Ready')?.reason, manager.logTail(5)).toBe(LEFT);
        expect(pool.status).toMatchObject({
          ipv4: { allocated: { '10.0.0.15': MAC }, used: 1, available: 89 },
          agentPodRef: { namespace: THEIR_HOME },
        });
      });
      expect([await deployed('lan-dhcp-0'), await deployed(CHILD.name)]).toEqual([undefined, undefined]);
      expect((await client.list(IP_LEASES, {})).items).toEqual([]);
      expect((await client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, CONFIG)).metadata.finalizers).toBeUndefined();

      await follow(vmDhcpController[5]);
      await follow(kubeVirtBmc[3]);
      await follow(kubeVirtBmc[4]);
      await eventually(
        async () => {
          expect([await deployed('lan-dhcp-0'), await deployed(CHILD.name)]).toEqual(['groundcrew', 'groundcrew']);
          const { spec } = await client.get(IP_LEASES, { namespace: 'vms', name: 'lan.10.0.0.15' });
          expect(spec).toMatchObject({ ipAddress: '10.0.0.15', macAddress: MAC });
          const { status } = await client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, CONFIG);
          expect(status).toMatchObject({ phase: 'Ready', networkConfigs: [{ allocatedIPAddress: '10.0.0.15' }] });
          const inSynced = status?.conditions?.find(({ type }) => type === 'InSynced');
          expect(inSynced?.lastTransitionTime).toEqual(expect.any(String));
          expect((await client.get(IP_POOLS, POOL)).status).toMatchObject({ ipv4: { used: 1, total: 90 } });
          const { spec: service } = await client.get(SERVICES, CHILD);
          expect(service?.ports?.map(({ port }) => port)).toContain(443);
        },
        { timeout: 45_000 },
      );
      const { items } = await client.list(ROLE_BINDINGS, { namespace: 'vms' });
      expect(items.map(({ roleRef }) => roleRef.name)).not.toContain('kubevirtbmc-virtbmc-role');
    } finally {
      await manager.dispose();
    }
  },
);

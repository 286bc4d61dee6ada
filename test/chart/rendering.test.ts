import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Deployment, KubeObject } from '@groundcrew/controller-runtime';
import { MOST_SHARED_BMCS, sharedAgentPorts } from '../../api/index.ts';
import { AGENT_PORTS } from '../../manager/virtualmachinebmc/children/deployment.ts';
import { cluster, dryRunApply, renderChart, repository } from '../harness/index.ts';
import { findTool } from '../tools/index.ts';

const { client, ...scene } = await cluster();
const [namespace, watched, alsoWatched] = [await scene.namespace(), await scene.namespace(), await scene.namespace()];

/** Values that a user may give, as Helm's `--set` takes them. */
const matrix: Record<string, readonly string[]> = {
  'the defaults': [],
  'several managers, placed with care': [
    'replicaCount=3',
    'nodeSelector.disk=ssd',
    'tolerations[0].key=infra,tolerations[0].operator=Exists,tolerations[0].effect=NoSchedule',
    'topologySpreadConstraints[0].maxSkew=1,topologySpreadConstraints[0].topologyKey=zone',
    'topologySpreadConstraints[0].whenUnsatisfiable=ScheduleAnyway',
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key=a',
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator=Exists',
    'priorityClassName=system-cluster-critical',
    'resources.limits.cpu=1',
    'podAnnotations.note=well',
    'podLabels.team=metal',
  ],
  'a domain of its own': ['clusterDomain=k8s.example'],
  'two namespaces alone': [`watchNamespaces={${watched},${alsoWatched}}`],
  'two namespaces whose BMCs serve some clients': [
    `watchNamespaces={${watched},${alsoWatched}}`,
    'networkPolicy.bmcClients[0].ipBlock.cidr=192.168.2.0/24',
  ],
  'a private registry': [
    'image.repository=registry.example.com:5000/groundcrew',
    `image.digest=sha256:${'a'.repeat(64)}`,
    'image.pullPolicy=Always',
    'imagePullSecrets[0].name=registry',
    'agent.imagePullSecrets[0].name=registry',
  ],
  'settings for the agents': [
    'agent.image=registry.example.com/agent:1',
    'agent.imagePullPolicy=Always',
    'agent.resources.limits.memory=96Mi',
    'agent.nodeSelector.disk=ssd',
    'agent.tolerations[0].operator=Exists',
    'agent.priorityClassName=system-node-critical',
    'agent.topologySpreadConstraints[0].topologyKey=zone,agent.topologySpreadConstraints[0].maxSkew=1',
    'agent.topologySpreadConstraints[0].whenUnsatisfiable=ScheduleAnyway',
  ],
  'settings for the DHCP agents': [
    'dhcp.agent.image=registry.example.com/agent:2',
    'dhcp.agent.imagePullSecrets[0].name=registry',
    'dhcp.agent.resources.limits.memory=1Gi',
    'dhcp.agent.nodeSelector.network=lan',
    'dhcp.agent.tolerations[0].operator=Exists',
    'dhcp.agent.priorityClassName=system-node-critical',
  ],
  'MAC addresses that are left alone': ['dhcp.assignMACs=false'],
  'neither an admission server nor MAC addresses': ['admission.enabled=false', 'dhcp.assignMACs=false'],
  'the ranges of its cluster': ['admission.clusterRanges={10.42.0.0/16,10.43.0.0/16}'],
  'no admission server': ['admission.enabled=false'],
  'no limits for agents': ['agentPolicy.enabled=false'],
  'a network policy': ['networkPolicy.enabled=true'],
  'a network policy with API servers and clients of metrics': [
    'networkPolicy.enabled=true',
    'networkPolicy.webhookFrom[0].ipBlock.cidr=192.168.1.0/24',
    'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.team=monitoring',
  ],
  'IPMI off unless a BMC asks for it': ['bmc.defaults.ipmi=false'],
  'Redfish over plain HTTP unless a BMC says otherwise': ['bmc.defaults.redfishHttp=true'],
  'no web console unless a BMC asks for it': ['bmc.defaults.webConsole=false'],
  'a BMC for each virtual machine': ['bmc.autoProvision=true'],
  'BMCs that share agents': [
    'bmc.placement=Shared,bmc.sharedAgents.capacity=10',
    'bmc.sharedAgents.resources.limits.memory=1Gi',
  ],
  'sensors of what the virtual machines use': ['bmc.metrics=true'],
  'names of its own': ['fullnameOverride=crew', 'serviceAccount.name=crew', 'serviceAccount.annotations.owner=metal'],
  'neither CRDs nor aggregated roles': ['crds.install=false', 'rbac.aggregateRoles=false'],
  'a dashboard': ['monitoring.dashboard=true'],
  'logs for people': ['logLevel=debug', 'logFormat=text'],
};

describe('the chart', () => {
  it('passes helm lint', () => {
    const output = execFileSync(helm(), ['lint', '--strict', join(repository, 'charts/groundcrew')], {
      encoding: 'utf8',
    });
    expect(output).toContain('0 chart(s) failed');
  });

  /** As JSON: most rows share most objects, and the server needs seconds to check the admission policies. */
  const accepted = new Set<string>();

  it.each(Object.entries(matrix))('with %s renders valid objects', async (_what, set) => {
    for (const object of await renderChart({ namespace, set, withTests: true })) {
      const json = JSON.stringify(object);
      if (!accepted.has(json)) await dryRunApply(client, object, namespace);
      accepted.add(json);
    }
  });

  it('gives the manager arguments that it knows', async () => {
    const all = new Set<string>();
    for (const set of Object.values(matrix)) {
      for (const argument of argumentsOf(await renderChart({ namespace, set }))) all.add(argument);
    }
    // One start for all rows: each occurrence of an option is parsed.
    const output = await runManager([...all]);
    expect(output).toContain('/nowhere/kubeconfig');
    expect(output).not.toMatch(/unknown option|error: /);
  });

  it('passes settings to the manager', async () => {
    const args = async (set: string[]) => argumentsOf(await renderChart({ namespace: 'default', set }));
    expect(await args(['clusterDomain=k8s.example'])).toContain('--cluster-domain=k8s.example');
    expect((await args([])).join(' ')).not.toContain('--cluster-domain');
    expect(await args(['dhcp.allowedNTPRanges={10.20.0.0/16}'])).toContain('--allowed-ntp-range=10.20.0.0/16');
    expect(await args([])).toContain('--shared-agent-capacity=250');
    expect((await args([])).join(' ')).not.toContain('--bmc-placement');
    expect(await args(['bmc.placement=Shared,bmc.sharedAgents.capacity=10'])).toEqual(
      expect.arrayContaining(['--bmc-placement=Shared', '--shared-agent-capacity=10']),
    );
    expect(await args(['bmc.allowedDNSSuffixes={lab.example}'])).toContain('--allowed-dns-suffix=lab.example');
  });

  it.each(['1.30.0', '1.34.4', '1.30.4-gke.1348000'])('installs on Kubernetes %s', async (kubeVersion) => {
    expect(await renderChart({ namespace: 'default', kubeVersion })).not.toEqual([]);
  });

  it('refuses Kubernetes below 1.30', async () => {
    const rendered = renderChart({ namespace: 'default', kubeVersion: '1.29.15' });
    await expect(rendered).rejects.toThrow('chart requires kubeVersion: >=1.30.0-0');
  });

  it.each([
    ['one manager', ['replicaCount=1'], 0],
    ['the managers of the default', [], 1],
    [
      'several managers with podDisruptionBudget.enabled=false',
      ['replicaCount=3', 'podDisruptionBudget.enabled=false'],
      0,
    ],
  ])('limits the disruption of %s', async (_what, set, budgets) => {
    const objects = await renderChart({ namespace: 'default', set });
    const found = objects.filter(({ kind }) => kind === 'PodDisruptionBudget') as (KubeObject & { spec: object })[]; // has a spec
    expect(found).toHaveLength(budgets);
    const labels = objects.find(isDeployment)?.spec?.selector;
    for (const { spec } of found) expect(spec).toMatchObject({ maxUnavailable: 1, selector: labels });
  });

  it('has two managers on separate nodes and in separate zones if there are any, and replaces one of a lost node in 30 s', async () => {
    const manager = await managerOf();
    expect(manager.spec).toMatchObject({ replicas: 2 });
    const { labels } = manager.spec?.template.metadata ?? {};
    const { topologySpreadConstraints = [], tolerations } = podOf(manager);
    expect(topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
    for (const { whenUnsatisfiable, labelSelector, matchLabelKeys } of topologySpreadConstraints) {
      // A cluster of one node runs both, and a roll-out does not wait for the old managers.
      expect([whenUnsatisfiable, matchLabelKeys]).toEqual(['ScheduleAnyway', ['pod-template-hash']]);
      expect(labels).toMatchObject(labelSelector?.matchLabels ?? { missing: '' });
    }
    const lost = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 };
    expect(tolerations).toEqual([
      { key: 'node.kubernetes.io/not-ready', ...lost },
      { key: 'node.kubernetes.io/unreachable', ...lost },
    ]);
  });

  it('keeps the tolerations and constraints of a user', async () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 5 };
    const manager = await managerOf(
      `tolerations[0].key=${own.key},tolerations[0].operator=Exists,tolerations[0].tolerationSeconds=5`,
      'topologySpreadConstraints[0].topologyKey=rack,topologySpreadConstraints[0].maxSkew=2',
      'topologySpreadConstraints[0].whenUnsatisfiable=DoNotSchedule,topologySpreadConstraints[0].labelSelector.matchLabels.team=a',
    );
    const { tolerations, topologySpreadConstraints } = podOf(manager);
    expect(tolerations).toMatchObject([own, { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 30 }]);
    expect(topologySpreadConstraints).toEqual([
      {
        topologyKey: 'rack',
        maxSkew: 2,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { team: 'a' } },
      },
    ]);
  });

  it('limits who may connect to the manager if it knows the API servers', async () => {
    const policyOf = async (...set: string[]) =>
      (await renderChart({ namespace: 'default', set })).find(({ kind }) => kind === 'NetworkPolicy');
    const from = 'networkPolicy.webhookFrom[0].ipBlock.cidr=192.168.1.0/24';
    expect(await policyOf()).toBeUndefined();
    expect(await policyOf('networkPolicy.enabled=true', from)).toMatchObject({
      spec: {
        policyTypes: ['Ingress'],
        ingress: [
          { ports: [{ port: 'webhook' }], from: [{ ipBlock: { cidr: '192.168.1.0/24' } }] },
          { ports: [{ port: 'metrics' }] },
          { ports: [{ port: 'health' }] },
        ],
      },
    });
    const without = await policyOf('networkPolicy.enabled=true', 'admission.enabled=false');
    expect(without).toMatchObject({
      spec: { ingress: [{ ports: [{ port: 'metrics' }] }, { ports: [{ port: 'health' }] }] },
    });
  });

  it('limits who may connect to BMCs in the watched namespaces', async () => {
    const clients = 'networkPolicy.bmcClients[0].ipBlock.cidr=192.168.2.0/24';
    const objects = await renderChart({ namespace: 'default', set: ['watchNamespaces={vms,metal}', clients] });
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.map(({ metadata: { namespace } }) => namespace)).toEqual(['vms', 'metal']);
    const { ipmi, redfish, redfishHttp, health } = AGENT_PORTS;
    const [first, last] = [0, MOST_SHARED_BMCS - 1].map(sharedAgentPorts);
    const sharedPorts = [
      { port: first?.ipmi, endPort: last?.ipmi, protocol: 'UDP' },
      { port: first?.redfish, endPort: last?.redfish },
      { port: first?.redfishHttp, endPort: last?.redfishHttp },
    ];
    expect(policies[0]).toHaveProperty('spec.ingress', [
      {
        ports: [{ port: ipmi, protocol: 'UDP' }, { port: redfish }, { port: redfishHttp }, ...sharedPorts],
        from: [{ ipBlock: { cidr: '192.168.2.0/24' } }],
      },
      { ports: [{ port: health }] },
    ]);
    await expect(renderChart({ namespace: 'default', set: [clients] })).rejects.toThrow('needs watchNamespaces');
  });

  it.each([
    ['an unknown value', 'replicas=2', 'replicas'],
    ['a wrong type', 'replicaCount=many', 'replicaCount'],
    ['an invalid domain', 'clusterDomain=no domain', 'clusterDomain'],
    ['a pull policy that does not exist', 'image.pullPolicy=Sometimes', 'pullPolicy'],
  ])('refuses %s', async (_what, set, field) => {
    await expect(renderChart({ namespace: 'default', set: [set] })).rejects.toThrow(field);
  });
});

async function managerOf(...set: string[]): Promise<Deployment> {
  return (await renderChart({ namespace: 'default', set })).find(isDeployment) ?? expect.fail('there is no manager');
}

function podOf({ spec }: Deployment): NonNullable<NonNullable<Deployment['spec']>['template']['spec']> {
  return spec?.template.spec ?? expect.fail('the Deployment has no pod');
}

function helm(): string {
  return findTool('helm') ?? 'helm';
}

function argumentsOf(objects: readonly KubeObject[]): readonly string[] {
  const deployment = objects.find(isDeployment); // The chart's one Deployment is the manager's.
  return deployment?.spec?.template.spec?.containers[0]?.args ?? expect.fail('the chart renders no arguments');
}

function isDeployment(object: KubeObject): object is Deployment {
  return object.kind === 'Deployment';
}

/** What the manager says when it is started with these arguments and finds no cluster. */
async function runManager(args: readonly string[]): Promise<string> {
  const program = join(repository, 'cli/main.ts');
  return await new Promise((resolve) => {
    execFile(process.execPath, [program, ...args, '--kubeconfig=/nowhere/kubeconfig'], (_error, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}

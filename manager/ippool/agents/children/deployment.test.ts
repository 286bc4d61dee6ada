import { describe, expect, it } from 'vitest';
import { NETWORKS_ANNOTATION } from '../../../../api/index.ts';
import { anAttachment, aScope, IMAGE, type ScopeFields } from '../../testing/builders.ts';
import { deployment } from './deployment.ts';
import { affinity } from './placement.ts';
import { agentMetadata } from './scope.ts';

const AGENT = { index: 1, addresses: ['10.0.0.3/24'], routes: [], poolNamespaces: ['a', 'vms'] };
const made = (fields: ScopeFields = {}, agent = AGENT, config = '{}') => deployment(aScope(fields), agent, config);
const pod = (fields?: ScopeFields) => made(fields).spec?.template.spec;
const container = (fields?: ScopeFields) => pod(fields)?.containers[0];

const LOST_NODE = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 };

const POD = {
  serviceAccountName: 'lan-dhcp-1',
  automountServiceAccountToken: true,
  enableServiceLinks: false,
  // The next agent gets the address of this one.
  terminationGracePeriodSeconds: 2,
  securityContext: {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
    // A safe sysctl. It allows port 67 without a capability.
    sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '67' }],
  },
  affinity: affinity('vms/lan', anAttachment(), { image: IMAGE }),
  tolerations: [
    { key: 'node.kubernetes.io/not-ready', ...LOST_NODE },
    { key: 'node.kubernetes.io/unreachable', ...LOST_NODE },
  ],
  containers: [
    {
      name: 'agent',
      image: IMAGE,
      args: (
        'agent dhcp --network vms/lan --server-index 1 --pool-namespace a --pool-namespace vms --pod-name $(POD_NAME) ' +
        '--bind-address $(POD_IPS) --health-port 10080 --snapshot-dir /var/lib/groundcrew --log-level info'
      ).split(' '),
      env: [
        { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'POD_IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
      ],
      ports: [
        { name: 'dhcp', containerPort: 67, protocol: 'UDP' },
        { name: 'health', containerPort: 10080, protocol: 'TCP' },
      ],
      startupProbe: probe('/healthz', { periodSeconds: 1, failureThreshold: 60 }),
      livenessProbe: probe('/healthz', { periodSeconds: 5, failureThreshold: 3 }),
      readinessProbe: probe('/readyz', { periodSeconds: 1, failureThreshold: 2 }),
      // With requests, the agent is not the first pod to be evicted.
      resources: { requests: { cpu: '20m', memory: '80Mi' }, limits: { memory: '256Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [{ name: 'snapshot', mountPath: '/var/lib/groundcrew' }],
    },
  ],
  volumes: [{ name: 'snapshot', emptyDir: { sizeLimit: '128Mi' } }],
};

function probe(path: string, times: { periodSeconds: number; failureThreshold: number }) {
  return { httpGet: { path, port: 'health' }, timeoutSeconds: 2, ...times };
}

describe("a DHCP agent's Deployment", () => {
  it('has one pod, attached to its own net-attach-def, and stops it before it starts the next one', () => {
    const metadata = agentMetadata(aScope(), 1);
    const labels = { ...metadata.labels, 'network.harvesterhci.io/server-index': '1' };
    expect(made()).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, name: 'lan-dhcp-1', namespace: 'vms', labels },
      spec: {
        replicas: 1,
        revisionHistoryLimit: 2,
        progressDeadlineSeconds: 120,
        strategy: { type: 'Recreate' },
        selector: {
          matchLabels: {
            'network.harvesterhci.io/network': 'vms.lan',
            'app.kubernetes.io/component': 'dhcp-agent',
            'network.harvesterhci.io/server-index': '1',
          },
        },
        template: {
          metadata: {
            labels: expect.objectContaining({
              ...labels,
              'network.harvesterhci.io/network': 'vms.lan',
              'network.harvesterhci.io/vm-dhcp-controller': 'agent',
            }) as object,
            annotations: {
              [NETWORKS_ANNOTATION]: '[{"name":"lan-dhcp-1","namespace":"vms","interface":"net1"}]',
              'network.harvesterhci.io/network': 'vms/lan',
              'network.harvesterhci.io/addresses': '10.0.0.3/24',
              'network.harvesterhci.io/pool-namespaces': 'a,vms',
              'network.harvesterhci.io/template-hash': expect.stringMatching(/^[0-9a-f]{16}$/) as string,
            },
          },
          spec: POD,
        },
      },
    });
  });

  it('adds the extra arguments of its settings', () => {
    const extraArgs = ['--loopback-port', '10067'];
    expect(container({ settings: { extraArgs } })?.args?.slice(-2)).toEqual(extraArgs);
  });

  it("requests one of the network's devices, which only nodes with the network have", () => {
    const annotations = { 'k8s.v1.cni.cncf.io/resourceName': 'example.com/vf' };
    expect(container({ annotations })?.resources).toMatchObject({
      requests: { cpu: '20m', 'example.com/vf': '1' },
      limits: { memory: '256Mi', 'example.com/vf': '1' },
    });
  });

  it('takes placement and resources from its settings', () => {
    const settings = { nodeSelector: { disk: 'ssd' }, priorityClassName: 'high', imagePullSecrets: [{ name: 's' }] };
    expect(pod({ settings })).toMatchObject(settings);
    expect(container({ settings: { resources: { limits: { cpu: 1 } } } })?.resources).toEqual({ limits: { cpu: '1' } });
  });

  it('changes its template with addresses, pool namespaces and network configuration, which its pod cannot observe', () => {
    const hash = (agent = AGENT, config = '{}') => JSON.stringify(made({}, agent, config).spec?.template);
    expect(hash()).toBe(hash());
    expect(hash({ ...AGENT, addresses: ['10.0.0.3/24', '10.1.0.3/24'] })).not.toBe(hash());
    expect(hash({ ...AGENT, poolNamespaces: ['vms'] })).not.toBe(hash());
    expect(hash(AGENT, '{"vlan":2}')).not.toBe(hash());
  });
});

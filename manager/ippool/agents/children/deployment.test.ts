import { describe, expect, it } from 'vitest';
import { NETWORKS_ANNOTATION } from '../../../../api/index.ts';
import { aScope, IMAGE, type ScopeFields } from '../../testing/scope.ts';
import { deployment } from './deployment.ts';

const AGENT = { index: 1, addresses: ['10.0.0.3/24'], poolNamespaces: ['a', 'vms'] };
const made = (fields: ScopeFields = {}, agent = AGENT, config = '{}') => deployment(aScope(fields), agent, config);
const pod = (fields?: ScopeFields) => made(fields).spec?.template.spec;
const container = (fields?: ScopeFields) => pod(fields)?.containers[0];

describe("a DHCP agent's Deployment", () => {
  it('stops the old agent before it starts the new one, since both would have the same address', () => {
    expect(made().metadata).toMatchObject({ name: 'lan-dhcp-1', namespace: 'vms' });
    expect(made().spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  it('sets the documented command line of the agent', () => {
    expect(container()?.args?.join(' ')).toBe(
      'agent dhcp --network vms/lan --server-index 1 --pool-namespace a --pool-namespace vms --pod-name $(POD_NAME) ' +
        '--bind-address $(POD_IPS) --health-port 10080 --snapshot-dir /var/lib/groundcrew --log-level info',
    );
    expect(container({ settings: { extraArgs: ['--loopback-port', '10067'] } })?.args?.slice(-2)).toEqual([
      '--loopback-port',
      '10067',
    ]);
  });

  it("attaches the pod to the agent's own net-attach-def", () => {
    const annotation = made().spec?.template.metadata?.annotations?.[NETWORKS_ANNOTATION] ?? '';
    expect(JSON.parse(annotation)).toEqual([{ name: 'lan-dhcp-1', namespace: 'vms', interface: 'net1' }]);
  });

  it('binds port 67 by a safe sysctl and complies with the restricted Pod Security Standard', () => {
    expect(pod()?.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '67' }],
    });
    expect(container()?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container()?.volumeMounts).toEqual([{ name: 'snapshot', mountPath: '/var/lib/groundcrew' }]);
  });

  it('restarts quickly: short termination grace period, readiness probed every second', () => {
    expect(pod()?.terminationGracePeriodSeconds).toBe(2);
    expect(container()?.startupProbe).toMatchObject({ httpGet: { path: '/healthz' }, periodSeconds: 1 });
    expect(container()?.readinessProbe).toMatchObject({ httpGet: { path: '/readyz' }, periodSeconds: 1 });
    expect(container()?.livenessProbe?.httpGet?.path).toBe('/healthz');
  });

  it('sets resource requests, so that the agent is not the first to be evicted', () => {
    expect(container()?.resources).toEqual({
      requests: { cpu: '20m', memory: '80Mi' },
      limits: { memory: '256Mi' },
    });
    expect(container({ settings: { resources: { limits: { cpu: 1 } } } })?.resources).toEqual({ limits: { cpu: '1' } });
  });

  it("requests one of the network's devices, which only nodes with the network have", () => {
    const annotations = { 'k8s.v1.cni.cncf.io/resourceName': 'example.com/vf' };
    expect(container({ annotations })?.resources).toMatchObject({
      requests: { cpu: '20m', 'example.com/vf': '1' },
      limits: { memory: '256Mi', 'example.com/vf': '1' },
    });
  });

  it('takes image and placement from its settings', () => {
    const settings = { nodeSelector: { disk: 'ssd' }, priorityClassName: 'high', imagePullSecrets: [{ name: 's' }] };
    expect(pod({ settings })).toMatchObject(settings);
    expect(container()?.image).toBe(IMAGE);
  });

  it('changes its template with addresses, pool namespaces and network configuration, which its pod cannot observe', () => {
    const hash = (agent = AGENT, config = '{}') => JSON.stringify(made({}, agent, config).spec?.template);
    expect(hash()).toBe(hash());
    expect(hash({ ...AGENT, addresses: ['10.0.0.3/24', '10.1.0.3/24'] })).not.toBe(hash());
    expect(hash({ ...AGENT, poolNamespaces: ['vms'] })).not.toBe(hash());
    expect(hash(AGENT, '{"vlan":2}')).not.toBe(hash());
  });

  it('has a selector that does not depend on settings', () => {
    const { selector, template } = made().spec ?? {};
    expect(selector?.matchLabels).toEqual({
      'network.harvesterhci.io/network': 'vms.lan',
      'app.kubernetes.io/component': 'dhcp-agent',
      'network.harvesterhci.io/server-index': '1',
    });
    expect(template?.metadata?.labels).toMatchObject({
      ...selector?.matchLabels,
      'network.harvesterhci.io/vm-dhcp-controller': 'agent',
    });
  });
});

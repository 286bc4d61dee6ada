import { describe, expect, it } from 'vitest';
import { aBmc, type BmcFields } from '../testing/builders.ts';
import { childDrafts } from './children.ts';
import { TEMPLATE_HASH_ANNOTATION } from '../../bmc-agent/index.ts';
import { deployment } from './deployment.ts';

const IMAGE = 'registry.example/groundcrew:1';
const made = (fields: BmcFields = {}, image = IMAGE) => deployment(aBmc(fields), { image });
const template = (fields: BmcFields = {}, image = IMAGE) => made(fields, image).spec?.template;
const container = (fields: BmcFields = {}) => template(fields)?.spec?.containers[0];

const CONTAINER = {
  name: 'agent',
  image: IMAGE,
  args: (
    'agent bmc --namespace $(POD_NAMESPACE) --bmc web-bmc --pod-name $(POD_NAME) --bind-address $(POD_IPS) ' +
    '--ipmi-port 10623 --redfish-port 10443 --redfish-http-port 10081 --health-port 10080 --log-level info'
  ).split(' '),
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    { name: 'POD_IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
  ],
  ports: [
    { name: 'ipmi', containerPort: 10623, protocol: 'UDP' },
    { name: 'redfish', containerPort: 10443, protocol: 'TCP' },
    { name: 'health', containerPort: 10080, protocol: 'TCP' },
  ],
  startupProbe: {
    httpGet: { path: '/healthz', port: 'health' },
    periodSeconds: 1,
    timeoutSeconds: 2,
    failureThreshold: 60,
  },
  livenessProbe: {
    httpGet: { path: '/healthz', port: 'health' },
    periodSeconds: 10,
    timeoutSeconds: 2,
    failureThreshold: 3,
  },
  readinessProbe: {
    httpGet: { path: '/readyz', port: 'health' },
    periodSeconds: 2,
    timeoutSeconds: 2,
    failureThreshold: 2,
  },
  resources: { requests: { cpu: '10m', memory: '80Mi' }, limits: { memory: '192Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
  },
};

describe("the agent's Deployment", () => {
  it('has one pod that complies with the restricted Pod Security Standard and rolls surge-first', () => {
    const { metadata } = childDrafts(aBmc(), { image: IMAGE }).serviceAccount;
    expect(made()).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        revisionHistoryLimit: 2,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        selector: {
          matchLabels: {
            'kubevirt.io/virtualmachinebmc-name': 'web-bmc',
            'app.kubernetes.io/component': 'bmc-agent',
          },
        },
        template: {
          metadata: {
            labels: metadata.labels,
            annotations: { 'bmc.kubevirt.io/template-hash': expect.stringMatching(/^[0-9a-f]{16}$/) as string },
          },
          spec: {
            serviceAccountName: 'web-virtbmc',
            automountServiceAccountToken: true,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 60,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            tolerations: ['not-ready', 'unreachable'].map((state) => ({
              key: `node.kubernetes.io/${state}`,
              operator: 'Exists',
              effect: 'NoExecute',
              tolerationSeconds: 30,
            })),
            containers: [CONTAINER],
          },
        },
      },
    });
  });

  it('prefers image and scheduling of spec.agent to the defaults of the installation', () => {
    const bmc = aBmc({ agent: { image: 'other:2', nodeSelector: { zone: 'b' } } });
    const defaults = { image: IMAGE, nodeSelector: { zone: 'a' }, priorityClassName: 'high' };
    const { spec } = deployment(bmc, { ...defaults, allowedImages: ['other:2'] });
    expect(spec?.template.spec).toMatchObject({ nodeSelector: { zone: 'b' }, priorityClassName: 'high' });
    expect(spec?.template.spec?.containers[0]?.image).toBe('other:2');
  });

  it('is spread over the zones with the other BMC agents if the installation asks for it', () => {
    const zones = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' };
    const { spec } = deployment(aBmc(), { image: IMAGE, topologySpreadConstraints: [zones] });
    const { labels } = spec?.template.metadata ?? {};
    const [constraint] = spec?.template.spec?.topologySpreadConstraints ?? [];
    expect(constraint).toMatchObject(zones);
    expect(labels).toMatchObject(constraint?.labelSelector?.matchLabels ?? { missing: '' });
  });

  it('runs the default instead of an image that the installation does not allow', () => {
    const bmc = aBmc({ agent: { image: 'evil.example/run-me' } });
    const { spec } = deployment(bmc, { image: IMAGE, allowedImages: ['other:*'] });
    expect(spec?.template.spec?.containers[0]?.image).toBe(IMAGE);
  });

  it("writes quantities in the API server's format", () => {
    const resources = { requests: { cpu: 1 }, limits: { memory: '1Gi' } };
    expect(container({ agent: { resources } })?.resources).toEqual({
      requests: { cpu: '1' },
      limits: { memory: '1Gi' },
    });
  });

  it('enables metrics if the installation allows them', () => {
    const args = (metrics: boolean) =>
      deployment(aBmc(), { image: IMAGE, metrics }).spec?.template.spec?.containers[0]?.args;
    expect(args(true)).toContain('--metrics');
    expect(args(false)).not.toContain('--metrics');
  });

  it('changes its template with the image and the agent settings', () => {
    const hash = (fields: BmcFields, image?: string) =>
      template(fields, image)?.metadata?.annotations?.[TEMPLATE_HASH_ANNOTATION];
    expect(hash({}, 'other:2')).not.toBe(hash({}));
    expect(hash({ agent: { priorityClassName: 'high' } })).not.toBe(hash({}));
  });

  it('keeps its template if only settings change that the agent reads itself', () => {
    const other = {
      authSecretRef: { name: 'other' },
      ipmi: { enabled: false },
      service: { type: 'NodePort' },
      generation: 7,
    } as const;
    expect(template(other)).toEqual(template());
  });
});

import { describe, expect, it } from 'vitest';
import { aBmc, type BmcFields } from '../testing/bmc.ts';
import { deployment, TEMPLATE_HASH_ANNOTATION } from './deployment.ts';

const IMAGE = 'registry.example/groundcrew:1';
const made = (fields: BmcFields = {}, image = IMAGE) => deployment(aBmc(fields), { image });
const template = (fields: BmcFields = {}, image = IMAGE) => made(fields, image).spec?.template;
const container = (fields: BmcFields = {}) => template(fields)?.spec?.containers[0];

describe("the agent's Deployment", () => {
  it('starts the new agent before it stops the old one', () => {
    expect(made().spec?.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    expect(made().spec?.replicas).toBe(1);
  });

  it('sets the documented command line of the agent', () => {
    expect(container()?.args?.join(' ')).toBe(
      'agent bmc --namespace $(POD_NAMESPACE) --bmc web-bmc --pod-name $(POD_NAME) --bind-address $(POD_IPS) ' +
        '--ipmi-port 10623 --redfish-port 10443 --redfish-http-port 10081 --health-port 10080 --log-level info',
    );
    expect(container()?.env?.map(({ name, valueFrom }) => [name, valueFrom?.fieldRef?.fieldPath])).toEqual([
      ['POD_NAME', 'metadata.name'],
      ['POD_NAMESPACE', 'metadata.namespace'],
      ['POD_IPS', 'status.podIPs'],
    ]);
  });

  it('complies with the restricted Pod Security Standard', () => {
    const spec = template()?.spec;
    expect(spec?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container()?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('has startup, liveness and readiness probes', () => {
    expect(container()?.startupProbe?.httpGet?.path).toBe('/healthz');
    expect(container()?.livenessProbe?.httpGet?.path).toBe('/healthz');
    expect(container()?.readinessProbe?.httpGet?.path).toBe('/readyz');
  });

  it('prefers image and scheduling of spec.agent to the defaults of the installation', () => {
    const bmc = aBmc({ agent: { image: 'other:2', nodeSelector: { zone: 'b' } } });
    const { spec } = deployment(bmc, { image: IMAGE, nodeSelector: { zone: 'a' }, priorityClassName: 'high' });
    expect(spec?.template.spec).toMatchObject({ nodeSelector: { zone: 'b' }, priorityClassName: 'high' });
    expect(spec?.template.spec?.containers[0]?.image).toBe('other:2');
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

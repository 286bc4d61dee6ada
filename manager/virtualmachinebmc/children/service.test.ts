import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMCSpec } from '../../../api/index.ts';
import { aBmc } from '../testing/builders.ts';
import { service } from './service.ts';

const made = (spec: VirtualMachineBMCSpec['service']) => service(aBmc(spec === undefined ? {} : { service: spec }));

describe("the BMC's Service", () => {
  it('is <vm>-virtbmc with IPMI on 623/UDP and Redfish on 443/TCP, of type ClusterIP', () => {
    const { metadata, spec } = made(undefined);
    expect(metadata.name).toBe('web-virtbmc');
    expect(spec).toEqual({
      type: 'ClusterIP',
      selector: {
        'kubevirt.io/virtualmachinebmc-name': 'web-bmc',
        'app.kubernetes.io/component': 'bmc-agent',
      },
      ports: [
        { name: 'ipmi', port: 623, protocol: 'UDP', targetPort: 10623 },
        { name: 'redfish', port: 443, protocol: 'TCP', targetPort: 10443 },
      ],
    });
  });

  it('has the labels and annotations of the spec; its own labels take precedence', () => {
    const { metadata } = made({
      labels: { team: 'a', 'app.kubernetes.io/managed-by': 'me' },
      annotations: { 'metallb.io/pool': 'oob' },
    });
    expect(metadata.labels).toMatchObject({ team: 'a', 'app.kubernetes.io/managed-by': 'groundcrew' });
    expect(metadata.annotations).toEqual({ 'metallb.io/pool': 'oob' });
  });

  it('has the requested node port', () => {
    const { spec } = made({ type: 'NodePort', nodePorts: { ipmi: 30623, redfish: 30443 } });
    expect(spec?.ports?.map(({ nodePort }) => nodePort)).toEqual([30623, 30443]);
  });

  it('leaves the node port to the server if none or 0 is requested', () => {
    expect(made({ type: 'NodePort', nodePorts: { ipmi: 0 } }).spec?.ports?.[0]).not.toHaveProperty('nodePort');
  });

  it('passes on load balancer settings', () => {
    const fields = { loadBalancerClass: 'example.com/oob', externalTrafficPolicy: 'Local' } as const;
    expect(made({ type: 'LoadBalancer', ...fields }).spec).toMatchObject(fields);
    expect(made({ ipFamilyPolicy: 'PreferDualStack' }).spec?.ipFamilyPolicy).toBe('PreferDualStack');
  });

  it('omits fields that the server rejects for another type', () => {
    const { spec } = made({
      type: 'ClusterIP',
      loadBalancerClass: 'example.com/oob',
      externalTrafficPolicy: 'Local',
      nodePorts: { ipmi: 30623 },
    });
    expect(spec).not.toHaveProperty('loadBalancerClass');
    expect(spec).not.toHaveProperty('externalTrafficPolicy');
    expect(spec?.ports?.[0]).not.toHaveProperty('nodePort');
    expect(made({ type: 'NodePort', loadBalancerClass: 'x/y' }).spec).not.toHaveProperty('loadBalancerClass');
  });

  it('keeps its ports if IPMI is off', () => {
    expect(service(aBmc({ ipmi: { enabled: false } })).spec?.ports).toHaveLength(2);
  });

  it('has a port for plain HTTP if the BMC or the installation enables it', () => {
    const http = { name: 'redfish-http', port: 80, protocol: 'TCP', targetPort: 10081 };
    expect(service(aBmc({ redfish: { http: { enabled: true } } })).spec?.ports).toContainEqual(http);
    const defaults = { ipmi: true, redfishHttp: true, webConsole: true };
    expect(service(aBmc(), defaults).spec?.ports).toContainEqual(http);
    expect(service(aBmc({ redfish: { http: { enabled: false } } }), defaults).spec?.ports).not.toContainEqual(http);
  });
});

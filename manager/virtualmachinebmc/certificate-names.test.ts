import { describe, expect, it } from 'vitest';
import { makeAuthority } from '../authority/index.ts';
import { certificateNames, nameRefusal, signedDomains } from './certificate-names.ts';
import { aBmc, certificate, children, inputs } from './testing/builders.ts';

const OWN = ['web-virtbmc.vms.svc', 'web-virtbmc.vms.svc.cluster.local', '10.43.7.9'];

const given = (dnsNames: string[], allowedDNSSuffixes: string[] = [], names: string[] = []) =>
  inputs({
    bmc: aBmc({ redfish: { tls: { dnsNames } } }),
    certificate: certificate({ allowedDNSSuffixes, names }),
  });

const withService = (spec: object, status: object, annotations = {}, allowedDNSSuffixes: string[] = []) => {
  const bmc = aBmc({ status: { agent: { name: 'agent-1' } } });
  const { service } = children(bmc);
  if (service.standing === 'Absent') throw new Error('the builder makes one');
  const metadata = { ...service.object.metadata, annotations };
  const object = { ...service.object, metadata, spec: { ...service.object.spec, ...spec }, status };
  return inputs({
    bmc,
    certificate: certificate({ allowedDNSSuffixes }),
    children: { ...children(bmc), service: { standing: 'Ours', object } },
  });
};

describe("the installation's CA", () => {
  it("signs the names of the BMC's own Service, its addresses, and those of the installation", () => {
    expect(certificateNames(given([], [], ['localhost']))).toEqual({ names: [...OWN, 'localhost'], refused: [] });
    expect(certificateNames(given(['Web-Virtbmc.vms.svc', '10.43.7.9']))).toEqual({ names: OWN, refused: [] });
  });

  it.each([
    ['other-virtbmc.tenant-b.svc.cluster.local', "is not a name of the BMC's Service"],
    ['other-virtbmc.tenant-b.svc', "is not a name of the BMC's Service"],
    ['*.tenant-b.svc.cluster.local', "is not a name of the BMC's Service"],
    ['login.bank.example', "is not under a domain of the chart's bmc.allowedDNSSuffixes"],
    ['*.example.com', "is not under a domain of the chart's bmc.allowedDNSSuffixes"],
    ['*', 'is not a DNS name'],
    ['*.*.lab.example', 'is not a DNS name'],
    ['a.*.lab.example', 'is not a DNS name'],
    ['lab.example.', 'is not a DNS name'],
    ['evillab.example', "is not under a domain of the chart's bmc.allowedDNSSuffixes"],
    ['192.0.2.7', "is not an address of the BMC's Service"],
    ['FD00:0::1', "is not an address of the BMC's Service"],
    ['web-virtbmc', "is not under a domain of the chart's bmc.allowedDNSSuffixes"],
  ])('does not sign a name that a tenant writes: %s', (name, why) => {
    const { names, refused } = certificateNames(given([name], ['lab.example', 'cluster.local']));
    expect(names).toEqual(OWN);
    expect(refused).toMatchObject([{ why }]);
  });

  it.each(['lab.example', 'A.Lab.Example', '*.lab.example', '*.b.lab.example', 'under_score.lab.example'])(
    'signs %s under an allowed suffix',
    (name) => {
      expect(certificateNames(given([name], ['lab.example'])).names).toEqual([...OWN, name.toLowerCase()]);
    },
  );

  it("signs the addresses of the load balancer, or of the agent's node, but not externalIPs", () => {
    const ingress = [{ ip: '192.0.2.7' }];
    const spec = { type: 'LoadBalancer', externalIPs: ['192.0.2.9'] };
    expect(certificateNames(withService(spec, { loadBalancer: { ingress } })).names).toEqual([...OWN, '192.0.2.7']);
    expect(certificateNames(withService({ type: 'NodePort' }, {})).names).toContain('10.0.0.5');
    expect(certificateNames(withService({ type: 'ClusterIP' }, {})).names).not.toContain('10.0.0.5');
  });

  it('does not sign the host name of a load balancer that an annotation of the tenant says', () => {
    const annotations = { 'loadbalancer.openstack.org/hostname': 'login.bank.example' };
    const status = { loadBalancer: { ingress: [{ hostname: 'login.bank.example' }] } };
    const inputsOf = (suffixes: string[]) => withService({ type: 'LoadBalancer' }, status, annotations, suffixes);
    expect(certificateNames(inputsOf([]))).toMatchObject({ names: OWN, refused: [{ name: 'login.bank.example' }] });
    expect(certificateNames(inputsOf(['bank.example'])).names).toContain('login.bank.example');
  });

  it('is not asked for a name outside of its name constraints', async () => {
    const inputsOf = given(['web.lab.example', 'web.later.example'], ['lab.example', 'later.example']);
    const policy = { clusterDomain: 'cluster.local', allowedDNSSuffixes: ['lab.example'] };
    const lifetime = 86_400_000;
    const pair = await makeAuthority({ name: 'ca', lifetime, now: 0, permittedDomains: signedDomains(policy, []) });
    const constrained = { ...inputsOf.certificate, authority: { ...pair, bundle: pair.cert } };
    expect(certificateNames({ ...inputsOf, certificate: constrained })).toEqual({
      names: [...OWN, 'web.lab.example'],
      refused: [{ name: 'web.later.example', why: "is not under the domains of the CA's name constraints" }],
    });
  });

  it('does not sign a name that is too long', () => {
    const policy = { clusterDomain: 'cluster.local', allowedDNSSuffixes: ['lab.example'] };
    expect(nameRefusal(`${'a.'.repeat(130)}lab.example`, policy)).toBe('is not a DNS name');
  });
});

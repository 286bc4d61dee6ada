import { describe, expect, it } from 'vitest';
import { BMC_DEFAULTS as bmcDefaults, type VirtualMachineBMCSpec } from '../../../api/index.ts';
import { aBmc } from '../../virtualmachinebmc/testing/builders.ts';
import { evaluate, messageOf } from './verdict.ts';
import { BMC_RULES } from './bmc-rules.ts';

const namePolicy = { clusterDomain: 'cluster.local', allowedDNSSuffixes: ['lab.example'] };

describe('a VirtualMachineBMC', () => {
  it('causes a warning that names the oldest BMC of the same VM', () => {
    const rivals = [
      aBmc({ name: 'b', created: '2026-01-03T00:00:00Z' }),
      aBmc({ name: 'a', created: '2026-01-02T00:00:00Z' }),
    ];
    expect(evaluate(BMC_RULES, aBmc(), undefined, { rivals, namePolicy, bmcDefaults })).toEqual({
      errors: [],
      warnings: [
        'spec.virtualMachineRef.name: VirtualMachine web has VirtualMachineBMC a; of several the oldest serves it',
      ],
    });
    expect(evaluate(BMC_RULES, aBmc(), undefined, { rivals: [], namePolicy, bmcDefaults }).warnings).toEqual([]);
  });

  it.each<[VirtualMachineBMCSpec['service'], string[]]>([
    [{ loadBalancerClass: 'x' }, ['loadBalancerClass']],
    [
      { type: 'NodePort', loadBalancerClass: 'x', externalTrafficPolicy: 'Local', nodePorts: { ipmi: 30623 } },
      ['loadBalancerClass'],
    ],
    [
      { externalTrafficPolicy: 'Local', nodePorts: { ipmi: 30623, redfish: 0 } },
      ['externalTrafficPolicy', 'nodePorts.ipmi'],
    ],
    [{ type: 'LoadBalancer', loadBalancerClass: 'x' }, []],
  ])('causes a warning about settings that its Service type ignores: %j', (service, fields) => {
    const ipmi = { serialOverLan: false };
    const { warnings } = evaluate(BMC_RULES, aBmc(service === undefined ? {} : { service, ipmi }), undefined, {
      rivals: [],
      namePolicy,
      bmcDefaults,
    });
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual(fields.map((field) => `spec.service.${field}`));
  });

  it.each<[Pick<VirtualMachineBMCSpec, 'service' | 'ipmi'>, number]>([
    [{ service: { type: 'NodePort' } }, 1],
    [{ service: { type: 'NodePort' }, ipmi: { advertisedPort: 623 } }, 0],
    [{ service: { type: 'NodePort' }, ipmi: { serialOverLan: false } }, 0],
    [{ service: { type: 'NodePort' }, ipmi: { enabled: false } }, 0],
    [{ service: { type: 'LoadBalancer' } }, 0],
    [{}, 0],
  ])(
    'causes a warning if its console is at one of two ports, and the spec does not say at which: %j',
    (spec, count) => {
      const { warnings } = evaluate(BMC_RULES, aBmc(spec), undefined, { rivals: [], namePolicy, bmcDefaults });
      expect(warnings.map((warning) => warning.split(',')[0])).toEqual(
        Array<string>(count).fill('spec.ipmi.advertisedPort: without it'),
      );
    },
  );

  it('causes no warning about its console where the installation has no IPMI', () => {
    const inputs = { rivals: [], namePolicy, bmcDefaults: { ...bmcDefaults, ipmi: false } };
    expect(evaluate(BMC_RULES, aBmc({ service: { type: 'NodePort' } }), undefined, inputs).warnings).toEqual([]);
  });

  it('that is to be shared is refused with settings of an agent of its own, unless it has had both', () => {
    const inputs = { rivals: [], namePolicy, bmcDefaults };
    const both = aBmc({ placement: 'Shared', agent: { image: 'x' } });
    const shared = aBmc({ placement: 'Shared' });
    const why =
      'a shared agent has the settings of the installation. Remove spec.agent, or use Dedicated: an agent of its own';
    const { errors } = evaluate(BMC_RULES, both, shared, inputs);
    expect(errors.map(messageOf)).toEqual([
      `spec.placement: Invalid value: "Shared": must not be set with spec.agent: ${why}`,
    ]);
    expect(evaluate(BMC_RULES, shared, undefined, inputs).errors).toEqual([]);
    expect(evaluate(BMC_RULES, both, both, inputs)).toEqual({
      errors: [],
      warnings: [`spec.placement: Shared has no effect with spec.agent: ${why}`],
    });
  });

  it('with a name in its certificate that the installation does not allow is refused', () => {
    const dnsNames = ['web-virtbmc.vms.svc', '*.lab.example', 'login.bank.example', '*.example.com', '192.0.2.7'];
    const bmc = aBmc({ redfish: { tls: { dnsNames } } });
    const { errors, warnings } = evaluate(BMC_RULES, bmc, undefined, { rivals: [], namePolicy, bmcDefaults });
    expect(errors.map(({ value }) => value)).toEqual(['login.bank.example', '*.example.com']);
    expect(warnings).toEqual([
      "spec.redfish.tls.dnsNames: 192.0.2.7 has no effect, unless the BMC's Service has this address",
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMCSpec } from '../../../api/index.ts';
import { aBmc } from '../../virtualmachinebmc/testing/builders.ts';
import { evaluate } from './verdict.ts';
import { BMC_RULES } from './bmc-rules.ts';

describe('a VirtualMachineBMC', () => {
  it('causes a warning that names the oldest BMC of the same VM', () => {
    const rivals = [
      aBmc({ name: 'b', created: '2026-01-03T00:00:00Z' }),
      aBmc({ name: 'a', created: '2026-01-02T00:00:00Z' }),
    ];
    expect(evaluate(BMC_RULES, aBmc(), undefined, { rivals })).toEqual({
      errors: [],
      warnings: [
        'spec.virtualMachineRef.name: VirtualMachine web has VirtualMachineBMC a; of several the oldest serves it',
      ],
    });
    expect(evaluate(BMC_RULES, aBmc(), undefined, { rivals: [] }).warnings).toEqual([]);
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
    const { warnings } = evaluate(BMC_RULES, aBmc(service === undefined ? {} : { service }), undefined, {
      rivals: [],
    });
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual(fields.map((field) => `spec.service.${field}`));
  });
});

import { describe, expect, it } from 'vitest';
import { BMC_DEFAULTS } from '../../../api/index.ts';
import { aBmc, type BmcFields } from '../testing/bmc.ts';
import { inputs } from '../testing/inputs.ts';
import { agentReady } from './agent-ready.ts';
import { ready, type NeededForReady } from './ready.ts';

const FINE = { status: 'True', reason: 'Fine', message: 'Fine.' } as const;
const NEEDED: NeededForReady = {
  VirtualMachineAvailable: FINE,
  SecretAvailable: FINE,
  CertificateReady: FINE,
  ServiceReady: FINE,
  AgentReady: FINE,
  PowerControlAvailable: FINE,
};
const serving = (fields: BmcFields = {}) =>
  aBmc({ ...fields, status: { agent: { name: 'agent-1', observedGeneration: 1 } } });

describe('Ready', () => {
  it('says that the BMC answers', () => {
    expect(ready(NEEDED, inputs())).toEqual({ status: 'True', reason: 'Ready', message: 'The BMC answers.' });
  });

  it('reports the first problem', () => {
    const blocked = { status: 'False', reason: 'Blocked', message: 'Blocked.' } as const;
    expect(ready({ ...NEEDED, ServiceReady: blocked, AgentReady: FINE }, inputs())).toEqual(blocked);
  });

  it.each([
    ['the spec', inputs({ bmc: serving({ ipmi: { enabled: false } }) }), 'IPMI is off (spec.ipmi.enabled: false)'],
    [
      'the installation',
      inputs({ bmc: serving(), bmcDefaults: { ...BMC_DEFAULTS, ipmi: false } }),
      "IPMI is off (the installation's bmc.defaults.ipmi: false",
    ],
  ])('names, as AgentReady does, the protocols that answer if %s disables IPMI', (_, given, off) => {
    for (const result of [ready(NEEDED, given), agentReady(given)]) {
      expect(result.status).toBe('True');
      expect(result.message).toContain(off);
      expect(result.message).toContain('the BMC answers Redfish alone.');
    }
  });
});

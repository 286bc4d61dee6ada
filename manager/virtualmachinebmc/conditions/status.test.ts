import { describe, expect, it } from 'vitest';
import { BMC_DEFAULTS, type Condition } from '../../../api/index.ts';
import { findCondition } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import { aBmc, aPod, certificate, children, inputs, IMAGE, type BmcFields } from '../testing/builders.ts';
import { statusOf, ready, type NeededForReady } from './status.ts';
import { agentReady } from './agent.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0, 500);
const evaluated = (given: Partial<Inputs> = {}) => statusOf(inputs(given), NOW);
const readyOf = (given: Partial<Inputs> = {}) => findCondition(evaluated(given).conditions, 'Ready');

describe('the status of a BMC', () => {
  it('has every condition with the generation from which it was computed', () => {
    const { conditions } = evaluated();
    expect(conditions?.map(({ type, status, observedGeneration }) => [type, status, observedGeneration])).toEqual([
      ['VirtualMachineAvailable', 'True', 1],
      ['SecretAvailable', 'True', 1],
      ['ServiceReady', 'True', 1],
      ['AgentReady', 'True', 1],
      ['CertificateReady', 'True', 1],
      ['Ready', 'True', 1],
      ['UpToDate', 'True', 1],
    ]);
  });

  it('has the active agent, its image, the address and the generation', () => {
    expect(evaluated()).toMatchObject({
      phase: 'Ready',
      observedGeneration: 1,
      clusterIP: '10.43.7.9',
      endpoints: { ipmi: '10.43.7.9:623', redfish: 'https://10.43.7.9' },
      agent: { name: 'agent-1', image: IMAGE },
    });
  });

  it('omits the fields that the agent writes', () => {
    const bmc = aBmc({ status: { powerState: 'On', agent: { name: 'agent-1', observedGeneration: 1 } } });
    const status = evaluated({ bmc });
    expect(status).not.toHaveProperty('powerState');
    expect(status.agent).not.toHaveProperty('observedGeneration');
  });

  it('is stable when it is evaluated again', () => {
    const status = evaluated();
    const bmc = aBmc({ status: { ...status, agent: { ...status.agent, observedGeneration: 1 } } });
    expect(statusOf(inputs({ bmc }), NOW + 60_000)).toEqual(status);
  });

  it('changes the transition time of a condition only with its status', () => {
    const status = evaluated();
    const bmc = aBmc({ status: { ...status, agent: { ...status.agent, observedGeneration: 1 } } });
    const lost = statusOf(inputs({ bmc, virtualMachine: 'Missing' }), NOW + 60_000);
    expect(findCondition(lost.conditions, 'VirtualMachineAvailable')?.lastTransitionTime).toBe('2026-01-01T12:01:00Z');
    expect(findCondition(lost.conditions, 'ServiceReady')?.lastTransitionTime).toBe('2026-01-01T12:00:00Z');
  });

  it('is Ready only if all required conditions are', () => {
    expect(readyOf({ virtualMachine: 'Missing' })).toMatchObject({ status: 'False', reason: 'VirtualMachineNotFound' });
    expect(readyOf({ virtualMachine: 'KubeVirtAbsent' })?.message).toContain('KubeVirt is not installed');
    expect(readyOf({ pods: [] })).toMatchObject({ status: 'False', reason: 'AgentPending' });
  });

  it("is Ready only if the agent reports that power requests are accepted; that condition is the agent's", () => {
    const refused: Condition = {
      type: 'PowerControlAvailable',
      status: 'False',
      reason: 'PowerControlForbidden',
      message: 'Forbidden.',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const before = { phase: 'Ready', agent: { name: 'agent-1', observedGeneration: 1 } } as const;
    const status = evaluated({ bmc: aBmc({ status: { ...before, conditions: [refused] } }) });
    expect(findCondition(status.conditions, 'Ready')).toMatchObject({
      ...{ status: 'False', reason: 'PowerControlForbidden', message: 'Forbidden.' },
    });
    expect(status.phase).toBe('Degraded');
    expect(findCondition(status.conditions, 'PowerControlAvailable')).toBeUndefined();
    const taken: Condition = { ...refused, status: 'True' };
    expect(evaluated({ bmc: aBmc({ status: { ...before, conditions: [taken] } }) }).phase).toBe('Ready');
  });

  it('is Ready with a certificate other than the requested one, but not without any', () => {
    const named = { name: 'cert', state: 'Missing' } as const;
    const other = evaluated({ certificate: certificate({ named }) });
    expect(findCondition(other.conditions, 'CertificateReady')).toMatchObject({ reason: 'CertificateNotFound' });
    expect(findCondition(other.conditions, 'Ready')?.status).toBe('True');
    const none = certificate({ named, held: { standing: 'Absent' } });
    expect(readyOf({ certificate: none })).toMatchObject({ status: 'False', reason: 'CertificateNotFound' });
  });

  it('keeps the address if the virtual machine or the Secret is deleted', () => {
    const secret = { name: 'creds', generated: false, state: 'Missing' } as const;
    expect(evaluated({ virtualMachine: 'Missing', secret }).clusterIP).toBe('10.43.7.9');
  });
});

describe('the phase of a BMC', () => {
  const fresh = aBmc();
  const second = { bmc: fresh, claimants: [aBmc({ name: 'first', created: '2025-01-01T00:00:00Z' }), fresh] };
  it.each<[string, string, Partial<Inputs>]>([
    ['Pending', 'the virtual machine has never been there', { bmc: fresh, virtualMachine: 'Missing' }],
    ['Pending', 'KubeVirt is not installed', { bmc: fresh, virtualMachine: 'KubeVirtAbsent' }],
    ['Provisioning', 'the agent is starting', { bmc: fresh, pods: [aPod('agent-1', fresh, { ready: false })] }],
    ['Ready', 'all conditions are True', {}],
    ['Degraded', 'a BMC that was Ready has lost its virtual machine', { virtualMachine: 'Missing' }],
    ['Degraded', 'a BMC that was Ready has lost its agent', { pods: [] }],
    ['Failed', 'another BMC has the virtual machine', second],
    [
      'Failed',
      'the API server refuses the Service',
      { bmc: fresh, refusals: [{ child: 'service', object: 'Service web-virtbmc', message: 'no' }] },
    ],
  ])('is %s if %s', (phase, _, given) => {
    expect(evaluated(given).phase).toBe(phase);
  });

  it('does not mention children that a second BMC does not have', () => {
    const status = evaluated({
      ...second,
      children: { ...children(fresh), service: { standing: 'Absent' } },
      pods: [],
    });
    expect(status).not.toHaveProperty('clusterIP');
    expect(status).not.toHaveProperty('agent');
    const reasons = status.conditions?.map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(['VirtualMachineTaken']));
  });

  it('gives the full message about a second BMC in two conditions only', () => {
    const long = evaluated({ ...second, pods: [] }).conditions?.filter(({ message }) => !message.startsWith('See '));
    expect(long?.map(({ type }) => type)).toEqual(['VirtualMachineAvailable', 'Ready']);
  });
});

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

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { painter, wantsColour } from '../paint.ts';
import { evaluate } from './evaluate.ts';
import type { Inputs } from './inputs.ts';
import { evaluateMachine } from './machine.ts';
import { renderMachine } from './render-machine.ts';
import { render } from './render.ts';
import {
  aBmc,
  aCluster,
  aDeployment,
  anEvent,
  aStatefulSet,
  bmcAgent,
  condition,
  secondsAgo,
  sharedPod,
} from './testing/builders.ts';

const plain = { width: 80, wide: false, paint: painter(false) };
const screen = (changes: Partial<Inputs> = {}, style = plain) => render(evaluate(aCluster(changes)), style);
const machine = (changes: Partial<Inputs> = {}, name = 'web') => {
  const status = evaluateMachine(aCluster(changes), { namespace: 'vms', name });
  return status === undefined ? undefined : renderMachine(status, plain);
};
const LONG = 'a-machine-with-a-very-long-name-that-somebody-chose';

describe('the status screen', () => {
  it('has a table for each kind, and the verdict', () => {
    expect(screen().split('\n')).toEqual([
      'NAMESPACE          MANAGERS  LEADER                RENEWED  WEBHOOK',
      'groundcrew-system  1/1       groundcrew-manager-x  2s ago   answers',
      '',
      'NAMESPACE          ROLL-OUT  WAVE  UPDATED  READY  FAILING  HELD',
      'groundcrew-system  Complete  0     3/3      3/3    0        0',
      '',
      'NAMESPACE  NAME  VM   POWER  PHASE  AGENT  IPMI',
      'vms        web   web  Off    Ready  Ready  10.0.0.1:623',
      '',
      'NAMESPACE  POOL  NETWORK       USED  BOUND  RESTING  TOTAL  AGENTS  PHASE',
      'vms        prod  vms/prod-net  2     1      3        11     2/2     Ready',
      '',
      'NAMESPACE  VM   ADDRESS   MAC                STATE  SEEN',
      'vms        web  10.0.0.9  52:54:00:00:00:01  Bound  30s ago',
      '',
      'All is as it should be.',
      '',
    ]);
  });

  it('has the pod that acts and the BMCs of a shared agent, of how many it may get', () => {
    const own = { pods: [...aCluster().pods, sharedPod(0, false), sharedPod(1, true)], statefulSets: [aStatefulSet()] };
    const bmcs = [...aCluster().bmcs, aBmc('db', { agent: { name: 'virtbmc-shared-0' } })];
    expect(screen({ ...own, bmcs })).toMatch(/^vms +virtbmc-shared-0 +virtbmc-shared-0-1 +2\/2 +1\/250$/m);
  });

  it('does not say that no pod acts while a shared agent has no BMCs yet', () => {
    const reasons = evaluate(aCluster({ statefulSets: [aStatefulSet()] })).problems.map(({ reason }) => reason);
    expect(reasons).not.toContain('NotActing');
  });

  it('fits 80 columns with long names and long sentences, and says what to do', () => {
    const message = `There is no Secret creds in namespace vms. ${'Create it. '.repeat(12)}`;
    const bmcs = [aBmc(LONG, { conditions: [condition('SecretAvailable', 'False', 'SecretNotFound', message)] })];
    const deployments = [...aCluster().deployments, aDeployment(`${LONG}-virtbmc`, { replicas: 0 })];
    const text = screen({ bmcs, deployments, pods: aCluster().pods.slice(0, 1) });
    const tooLong = text.split('\n').filter((line) => line.length > 80);
    expect(tooLong.filter((line) => !line.includes(LONG))).toEqual([]);
    expect(text).toContain('SecretNotFound\n    There is no Secret creds in namespace vms. Create it.');
    expect(text).toContain('--replicas=1');
  });

  it('cuts nothing and shows more with -o wide', () => {
    const events = [anEvent('uid-web', secondsAgo(600), 'PowerOn')];
    const text = screen({ events }, { ...plain, width: Infinity, wide: true });
    expect(text).toMatch(/groundcrew-manager-x_1 .* groundcrew-manager$/m);
    expect(text).toMatch(/web-virtbmc-x +PowerOn 10m ago$/m);
  });

  it('has colours only on request, and the same text with them', () => {
    const bmcs = [aBmc('web', { observedGeneration: 1 })];
    const coloured = screen({ bmcs }, { ...plain, paint: painter(true) });
    expect(coloured).toContain('\x1b[31m');
    expect(stripVTControlCharacters(coloured)).toBe(screen({ bmcs }));
    expect(wantsColour({ isTTY: true }, {})).toBe(true);
    expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColour({}, {})).toBe(false);
  });
});

describe('the status of one machine', () => {
  it('shows the chain from the BMC to the guest', () => {
    const bootOverride = { mode: 'Oneshot', target: 'Pxe' } as const;
    const virtualMedia = [{ slot: 'Cd', phase: 'Importing', image: 'http://a/b.iso', progress: '42.0%' } as const];
    const bmcs = [aBmc('web', { bootOverride, virtualMedia })];
    const events = [anEvent('uid-web', secondsAgo(600), 'PowerOn')];
    const instances = [
      {
        ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance' },
        ...{ metadata: { name: 'web', namespace: 'vms' }, spec: { domain: { devices: {} } } },
        status: { phase: 'Running' as const, nodeName: 'node-1' },
      },
    ];
    expect(machine({ bmcs, events, instances })?.split('\n')).toEqual([
      'VirtualMachine vms/web',
      'BMC        web: Ready',
      'IPMI       10.0.0.1:623',
      'Redfish    https://10.0.0.1',
      'Service    web-virtbmc: ClusterIP 10.0.0.1, ports 623/UDP, 443/TCP',
      'Agent      web-virtbmc-x: Ready, restarts 0, node node-1, image groundcrew:1',
      'VM         power On, run strategy Manual, KubeVirt says -',
      'VMI        Running on node node-1',
      'Next boot  Pxe, Oneshot',
      'Media Cd   Importing: http://a/b.iso, 42.0%',
      '',
      'INTERFACE  NETWORK       MAC                ADDRESS   LEASE  SEEN',
      'lan        vms/prod-net  52:54:00:00:00:01  10.0.0.9  Bound  30s ago',
      '',
      'LAST ACTIONS',
      '10m ago: PowerOn: by admin',
      '',
      'All is as it should be.',
      '',
    ]);
  });

  it('lists the problems on the way to it, and not those of other machines', () => {
    const crashed = bmcAgent({ phase: 'Failed', reason: 'Evicted', message: 'disk pressure' });
    const bmcs = [aBmc(), aBmc('db', { observedGeneration: 1 })];
    const deployments = [aDeployment('web-virtbmc')];
    const text = machine({ bmcs, pods: [crashed], elections: [], webhooks: [], deployments });
    expect(text).toContain('2 problems:\n  Deployment groundcrew-manager: NoManager\n');
    expect(text).toContain('  VirtualMachineBMC vms/web: Evicted\n');
  });

  it('is found by the name of its BMC, without a BMC, and without a VM', () => {
    const bmcs = [{ ...aBmc(), metadata: { ...aBmc().metadata, name: 'web-bmc' } }];
    expect(machine({ bmcs }, 'web-bmc')).toContain('VirtualMachine vms/web\nBMC        web-bmc: Ready\n');
    expect(machine({ bmcs: [] })).toContain('BMC        none\n');
    expect(machine({ virtualMachines: [] })).toContain('VM         missing\n');
    expect(machine({}, 'nothing')).toBeUndefined();
  });
});

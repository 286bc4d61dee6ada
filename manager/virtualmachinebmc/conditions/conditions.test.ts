import { describe, expect, it } from 'vitest';
import type { Deployment, Pod } from '@groundcrew/controller-runtime';
import type { ConditionResult } from '../../conditions.ts';
import type { Inputs, SecretFact } from '../inputs.ts';
import { aBmc, aPod, certificate, children, inputs, running, secret, withService } from '../testing/builders.ts';
import { agentReady, upToDate } from './agent.ts';
import { certificateReady } from './certificate-ready.ts';
import { secretAvailable } from './secret-available.ts';
import { serviceReady } from './service-ready.ts';
import { virtualMachineAvailable } from './virtual-machine.ts';

/** The case, the changed inputs, the expected status and reason, and a part of the message. */
type Row = [what: string, given: Partial<Inputs>, expected: string, part?: RegExp | string];

function check({ status, reason, message }: ConditionResult, expected: string, part: RegExp | string = ''): void {
  expect(`${status} ${reason}`).toBe(expected);
  expect(message).toMatch(part);
}

/** A BMC whose condition was True before. */
const wasTrue = (type: string) => {
  const condition = { type, status: 'True', reason: 'Fine', message: 'Fine.' } as const;
  return aBmc({ status: { conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }] } });
};
const refused = (child: Inputs['refusals'][number]['child'], object: string) => ({
  refusals: [{ child, object, message: 'quota exceeded' }],
});

describe('VirtualMachineAvailable', () => {
  it.each<Row>([
    ['the virtual machine exists', {}, 'True VirtualMachineFound'],
    [
      'the virtual machine is missing',
      { virtualMachine: 'Missing' },
      'False VirtualMachineNotFound',
      /no VirtualMachine web in namespace vms.*Create it/,
    ],
    [
      'KubeVirt is not installed',
      { virtualMachine: 'KubeVirtAbsent' },
      'False KubeVirtNotInstalled',
      'KubeVirt is not installed',
    ],
    [
      'virtual machines have not been read: a restart of the manager changes nothing',
      { bmc: wasTrue('VirtualMachineAvailable'), virtualMachine: 'Unread' },
      'True Fine',
    ],
    [
      'virtual machines have not been read for a new BMC',
      { bmc: aBmc(), virtualMachine: 'Unread' },
      'Unknown VirtualMachineUnread',
    ],
  ])('if %s', (_what, given, expected, part) => {
    check(virtualMachineAvailable(inputs(given)), expected, part);
  });
});

describe('SecretAvailable', () => {
  const found = (data: Record<string, string>): SecretFact => ({
    name: 'creds',
    generated: false,
    state: 'Found',
    data,
  });
  const withKey = (kg: string): SecretFact => ({
    ...secret('admin', 'secret'),
    data: { ...secret('admin', 'secret').data, kg: Buffer.from(kg).toString('base64') },
  });

  it.each<Row>([
    ['IPMI supports the username and the password', {}, 'True SecretFound'],
    ['both have the maximum length', { secret: secret('u'.repeat(16), 'p'.repeat(20)) }, 'True SecretFound'],
    [
      'the Secret is missing',
      { secret: { name: 'creds', generated: false, state: 'Missing' } },
      'False SecretNotFound',
      'Secret creds',
    ],
    [
      'Groundcrew has not generated the Secret yet',
      { secret: { name: 'web-bmc-credentials', generated: true, state: 'Missing' } },
      'False SecretPending',
    ],
    ['the Secret has no keys', { secret: found({}) }, 'False SecretIncomplete', 'no username and no password'],
    ['it has no password', { secret: found({ username: 'YQ==' }) }, 'False SecretIncomplete', 'no password'],
    [
      'its username is empty',
      { secret: found({ username: '', password: 'YQ==' }) },
      'False SecretIncomplete',
      'no username',
    ],
    [
      'the password is too long',
      { secret: secret('admin', 'p'.repeat(21)) },
      'False CredentialsUnfitForIPMI',
      /IPMI is off: the password.*21 bytes and IPMI allows 20/,
    ],
    [
      'the username is too long',
      { secret: secret('u'.repeat(17), 'secret') },
      'False CredentialsUnfitForIPMI',
      /IPMI is off: the username.*17 bytes and IPMI allows 16/,
    ],
    [
      'the password is too long in bytes',
      { secret: secret('admin', 'ä'.repeat(11)) },
      'False CredentialsUnfitForIPMI',
      /IPMI is off: the password.*22 bytes and IPMI allows 20/,
    ],
    ['the key of the BMC has the maximum length', { secret: withKey('k'.repeat(20)) }, 'True SecretFound'],
    [
      'the key of the BMC is too long',
      { secret: withKey('k'.repeat(21)) },
      'False CredentialsUnfitForIPMI',
      'the kg in Secret creds has 21 bytes and IPMI allows 20',
    ],
    [
      'the password is too long, and IPMI is disabled',
      { bmc: aBmc({ ipmi: { enabled: false } }), secret: secret('admin', 'p'.repeat(30)) },
      'True SecretFound',
    ],
    [
      'the username ends in a line break',
      { secret: secret('admin\n', 'secret') },
      'True SecretFound',
      'Its username ends in a line break',
    ],
    [
      'the password ends in a line break',
      { secret: secret('admin', 'secret\r\n') },
      'True SecretFound',
      'Its password ends in a line break',
    ],
    [
      'both end in a line break',
      { secret: secret('admin\n', 'secret\n') },
      'True SecretFound',
      'Its username and password end in a line break',
    ],
    ['the API server rejects the Secret', refused('credentials', 'Secret x'), 'False Refused', 'quota exceeded'],
  ])('if %s', (_what, given, expected, part) => {
    check(secretAvailable(inputs(given)), expected, part);
  });

  it('never includes the credentials', () => {
    const { message } = secretAvailable(inputs({ secret: secret('admin', 'p4ssw0rd-p4ssw0rd-p4ssw0rd') }));
    expect(message).not.toContain('p4ssw0rd');
  });
});

describe('CertificateReady', () => {
  it.each<Row>([
    [
      'a certificate was issued',
      {},
      'True CertificateReady',
      /^Secret web-bmc-tls holds the certificate, issued by Groundcrew\.$/,
    ],
    [
      'a Redfish client has set another one',
      { bmc: aBmc({ status: { clientCertificateExpiresAt: '2026-06-01T00:00:00.000Z' } }) },
      'True CertificateReady',
      /^Until 2026-06-01T00:00:00\.000Z, Redfish shows the certificate that a client has set, from Secret web-bmc-state\. Secret web-bmc-tls/,
    ],
    [
      'the spec names a host that the CA does not sign',
      { bmc: aBmc({ redfish: { tls: { dnsNames: ['login.bank.example'] } } }) },
      'False NamesNotAllowed',
      /is issued without names .*: login\.bank\.example is not under a domain of the chart's bmc\.allowedDNSSuffixes\. /,
    ],
    [
      'there is no certificate yet',
      { certificate: certificate({ held: { standing: 'Absent' } }) },
      'False CertificatePending',
    ],
    [
      'the named Secret is missing',
      { certificate: certificate({ named: { name: 'cert', state: 'Missing' } }) },
      'False CertificateNotFound',
      /^There is no Secret cert\. Create it .+ Until then the BMC shows the one in Secret web-bmc-tls\.$/,
    ],
    [
      'the named Secret is not usable',
      { certificate: certificate({ named: { name: 'cert', state: 'Found', data: {} } }) },
      'False CertificateUnfit',
      'Secret cert has no tls.crt and no tls.key. Correct it.',
    ],
    [
      'the named Secret of a new BMC has not been read',
      { certificate: certificate({ named: { name: 'cert', state: 'Unread' } }) },
      'Unknown SecretUnread',
    ],
    [
      'the named Secret has not been read: a restart of the manager changes nothing',
      {
        bmc: wasTrue('CertificateReady'),
        certificate: certificate({ named: { name: 'cert', state: 'Unread' } }),
      },
      'True Fine',
    ],
    [
      'the Secret belongs to another owner',
      { certificate: certificate({ held: { standing: 'Theirs', owner: 'no BMC' } }) },
      'False NotOwned',
      'Secret web-bmc-tls belongs to no BMC',
    ],
    [
      'the API server rejects the Secret',
      refused('certificate', 'Secret web-bmc-tls'),
      'False Refused',
      /^The API server refused Secret web-bmc-tls: quota exceeded$/,
    ],
  ])('if %s', (_what, given, expected, part) => {
    check(certificateReady(inputs(given), Date.UTC(2026, 0, 1)), expected, part);
  });
});

describe('ServiceReady', () => {
  const clusterIP = '10.43.7.9';
  const ports = [{ name: 'ipmi', port: 623, protocol: 'UDP', nodePort: 30623 }];
  const balanced = { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } };
  const all = children(aBmc());
  if (all.service.standing !== 'Ours') throw new Error('the builder makes it ours');
  const theirs = { standing: 'Theirs', object: all.service.object, owner: 'no BMC' } as const;

  it.each<Row>([
    ['the Service has a cluster IP', {}, 'True ServiceReady'],
    ['there is no Service', { children: { ...all, service: { standing: 'Absent' } } }, 'False ServiceNotReady'],
    ['it has no cluster IP', withService({ type: 'ClusterIP' }, undefined), 'False ServiceNotReady'],
    [
      'it has no node port',
      withService({ type: 'NodePort', clusterIP, ports: [{ port: 623 }] }, undefined),
      'False ServiceNotReady',
    ],
    [
      'it has no load balancer',
      withService({ type: 'LoadBalancer', clusterIP, ports }, undefined),
      'False ServiceNotReady',
    ],
    [
      'its load balancer has a host name',
      withService({ type: 'LoadBalancer', clusterIP, ports }, balanced),
      'True ServiceReady',
    ],
    [
      'the Service belongs to another owner',
      { children: { ...all, service: theirs } },
      'False NotOwned',
      'Service web-virtbmc already exists and belongs to no BMC',
    ],
    ['the API server rejects it', refused('service', 'Service web-virtbmc'), 'False Refused', 'quota exceeded'],
  ])('if %s', (_what, given, expected, part) => {
    check(serviceReady(inputs(given)), expected, part);
  });
});

const fresh = aBmc();
const starting = aPod('agent-1', fresh, { ready: false });

describe('AgentReady', () => {
  const bmc = aBmc({ generation: 2, status: { agent: { name: 'agent-1', observedGeneration: 2 } } });
  const all = children(bmc);
  if (all.role.standing !== 'Ours') throw new Error('the builder makes it ours');
  const role = { standing: 'Theirs', object: all.role.object, owner: 'HelmRelease x' } as const;
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' };
  const podWith = (status: Pod['status']): Pick<Inputs, 'bmc' | 'pods'> => ({
    bmc,
    pods: [{ ...aPod('agent-1', bmc), status }],
  });

  it.each<Row>([
    ['the agent is Ready and has confirmed the generation', { bmc }, 'True AgentReady'],
    [
      'the agent uses an earlier generation',
      { bmc: aBmc({ generation: 3, status: { agent: { name: 'agent-1', observedGeneration: 2 } } }) },
      'False AgentBehind',
    ],
    [
      'the agent has confirmed no generation',
      { bmc: aBmc({ generation: 3, status: { agent: { name: 'agent-1' } } }) },
      'False AgentBehind',
      'generation 3',
    ],
    [
      'its image cannot be pulled',
      podWith({
        containerStatuses: [
          { name: 'agent', image: 'x', imageID: '', ready: false, restartCount: 0, state: { waiting } },
        ],
      }),
      'False AgentNotReady',
      'ImagePullBackOff: Back-off pulling image "x"',
    ],
    [
      'its pod is not scheduled',
      podWith({
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
      }),
      'False AgentNotReady',
      'Unschedulable: 0/3 nodes',
    ],
    [
      'no pod can be created',
      {
        ...withDeployment(bmc, {
          conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }],
        }),
        pods: [],
      },
      'False AgentNotReady',
      'exceeded quota',
    ],
    ['the agent starts', { bmc: fresh, pods: [starting] }, 'False AgentNotReady', /^Agent agent-1 starts\.$/],
    [
      'the agent runs but is not ready',
      { bmc: fresh, pods: [running(starting)] },
      'False AgentNotReady',
      /^Agent agent-1 runs but is not ready\.$/,
    ],
    [
      'the Role belongs to another owner',
      { bmc, children: { ...all, role } },
      'False NotOwned',
      'Role web-virtbmc already exists and belongs to HelmRelease x',
    ],
  ])('if %s', (_what, given, expected, part) => {
    check(agentReady(inputs(given)), expected, part);
  });

  it('names unsuitable credentials as the reason why a running agent does not serve', () => {
    const pods = [running(aPod('agent-1', bmc, { ready: false }))];
    const missing = { name: 'creds', generated: false, state: 'Missing' } as const;
    for (const unfit of [missing, secret('admin', 'p'.repeat(21))])
      for (const name of ['agent-1', undefined])
        expect(agentReady(inputs({ bmc: aBmc({ status: { agent: { name } } }), pods, secret: unfit }))).toEqual({
          status: 'False',
          reason: 'AgentNotReady',
          message: 'Agent agent-1 runs but cannot serve yet: see SecretAvailable.',
        });
  });
});

describe('UpToDate', () => {
  const bmc = aBmc({ status: { agent: { name: 'agent-1', observedGeneration: 1 } } });
  const last = aPod('agent-1', bmc, { hash: 'old' });
  const conditions = [
    { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' },
  ];

  it.each<Row>([
    ['the agent has the newest template and no other agent remains', { bmc }, 'True UpToDate'],
    ['the pod shows it before the status of the Deployment', withDeployment(bmc, {}), 'True UpToDate'],
    ['the Deployment has not been observed', { ...withDeployment(bmc, {}), pods: [last] }, 'False Updating'],
    [
      'the Deployment has not been rolled out',
      { ...withDeployment(bmc, { observedGeneration: 1, updatedReplicas: 0 }), pods: [last] },
      'False Updating',
    ],
    ['the first agent starts', { bmc: fresh, pods: [starting] }, 'False Updating', /^The agent has not started yet\.$/],
    [
      'the first agent runs but has not been Ready',
      { bmc: fresh, pods: [running(starting)] },
      'False Updating',
      /^Agent agent-1 runs but has not been ready yet: see AgentReady\.$/,
    ],
    ['the old agent is active', { bmc, pods: [last] }, 'False Updating', 'until the next one is ready'],
    ['the old agent drains', { bmc, pods: [last, aPod('agent-2', bmc)] }, 'False Updating', 'lets its sessions end'],
    [
      'the roll-out makes no progress',
      { ...withDeployment(bmc, { observedGeneration: 1, updatedReplicas: 0, conditions }), pods: [last] },
      'False RollOutStuck',
    ],
    [
      'the installation does not allow the image of the spec',
      withImage('evil.example/run-me'),
      'False ImageNotAllowed',
      'spec.agent.image evil.example/run-me is not allowed',
    ],
  ])('if %s', (_what, given, expected, part) => {
    check(upToDate(inputs(given)), expected, part);
  });
});

function withImage(image: string): Pick<Inputs, 'bmc' | 'pods'> {
  const bmc = aBmc({ agent: { image }, status: { agent: { name: 'agent-1', observedGeneration: 1 } } });
  return { bmc, pods: [aPod('agent-1', bmc)] };
}

function withDeployment(bmc: Inputs['bmc'], status: Deployment['status']): Pick<Inputs, 'bmc' | 'children'> {
  const all = children(bmc);
  if (all.deployment.standing !== 'Ours') throw new Error('the builder makes it ours');
  const object = { ...all.deployment.object, status };
  return { bmc, children: { ...all, deployment: { standing: 'Ours', object } } };
}

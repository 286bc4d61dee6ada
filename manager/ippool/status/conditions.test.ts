import { describe, expect, it } from 'vitest';
import { standingOf } from '../../../api/index.ts';
import { anAgent, inputs, aLease, aPool } from '../testing/builders.ts';
import { resultsOf, type ConditionResults } from './conditions.ts';
import type { PoolInputs } from './inputs.ts';
import { phaseOf } from './status.ts';

const SILENT = { ready: false } as const;
const paused = aPool({ paused: true });
const older = aPool({ name: 'older', namespace: 'far', created: '2025-01-01T00:00:00Z' });
const refusal = { object: 'Deployment vms/lan-dhcp-0', message: 'already exists and was not created for it.' };
const well = inputs();
const usage = (given: Partial<NonNullable<PoolInputs['usage']>>): Partial<PoolInputs> => ({
  usage: {
    ...{ used: 0, available: 1, total: 1, resting: 0, nextFree: undefined },
    ...{ allocated: {}, truncated: false, declined: [], quarantined: [], outside: [] },
    ...given,
  },
});

/** [condition, case, changed inputs, expected status and reason, part of the message] */
const table: [keyof ConditionResults, string, Partial<PoolInputs>, string, string][] = [
  ['Registered', 'all conditions are True', {}, 'True Registered', 'vms/lan'],
  [
    'Registered',
    'the spec makes no sense',
    { problems: [{ field: 'spec.ipv4Config.pool.start', value: '10.1.0.1', message: 'is not in 10.0.0.0/24' }] },
    'False SpecInvalid',
    'spec.ipv4Config.pool.start 10.1.0.1 is not in 10.0.0.0/24',
  ],
  [
    'Registered',
    'an older pool has the addresses',
    { standing: standingOf(aPool(), [older]) },
    'False AddressesTaken',
    'spec.ipv4Config.pool 10.0.0.10-10.0.0.19 overlaps IPPool far/older',
  ],
  [
    'Registered',
    'the owner of the network does not allow the namespace',
    { isAllowed: false, standing: { holds: false } },
    'False NamespaceNotAllowed',
    'network.harvesterhci.io/allowed-pool-namespaces',
  ],
  ['Registered', 'Multus is missing', { attachment: 'MultusAbsent' }, 'False MultusNotInstalled', 'Install Multus'],
  ['Registered', 'the network is missing', { attachment: 'Missing' }, 'False NetworkNotFound', 'vms/lan'],
  [
    'Registered',
    'the network gives agents no address',
    { attachmentProblem: { reason: 'NetworkNotSupported', message: 'is of CNI type x.' } },
    'False NetworkNotSupported',
    'NetworkAttachmentDefinition vms/lan is of CNI type x.',
  ],
  [
    'Registered',
    'the network has IPAM of its own',
    { attachmentProblem: { reason: 'NetworkHasIPAM', message: 'has IPAM of its own (dhcp).' } },
    'False NetworkHasIPAM',
    'NetworkAttachmentDefinition vms/lan has IPAM of its own (dhcp).',
  ],
  ['CacheReady', 'all conditions are True', {}, 'True CacheReady', ''],
  ['CacheReady', 'leases are unread', { leasesRead: false }, 'False LeasesUnread', ''],
  ['CacheReady', 'there are no addresses', { usage: undefined }, 'False NoAddresses', ''],
  [
    'CacheReady',
    'leased addresses were excluded',
    usage({ outside: [aLease('10.0.0.7')] }),
    'True LeasesOutsidePool',
    '10.0.0.7 (52:54:00:00:00:07)',
  ],
  ['AgentReady', 'all conditions are True', {}, 'True AgentReady', 'Agent agent-2 answers as 10.0.0.2'],
  [
    'AgentReady',
    'one of two is silent',
    { agents: [anAgent(), anAgent({ serverIP: '10.0.0.3', ...SILENT })] },
    'True AgentsDegraded',
    '1 of 2 agents answer. Agent agent-3 for 10.0.0.3',
  ],
  [
    'AgentReady',
    'one of two is rolled, and the other is to be',
    { agents: [anAgent(SILENT), anAgent({ serverIP: '10.0.0.3' })], report: { refusals: [], held: [1] } },
    'True AgentsDegraded',
    'The others are changed when it answers.',
  ],
  ['AgentReady', 'its pod starts', { agents: [anAgent(SILENT)] }, 'False AgentNotReady', 'starts, or does not answer'],
  [
    'AgentReady',
    'its pod was started before the pool was made',
    { agents: [anAgent({ ...SILENT, pod: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } })] },
    'False AgentNotReady',
    "does not know this pool's address yet",
  ],
  [
    'AgentReady',
    'its image cannot be pulled',
    {
      agents: [
        anAgent({
          ...SILENT,
          pod: {
            status: {
              containerStatuses: [
                {
                  ...{ name: 'agent', image: 'x', imageID: '', ready: false, restartCount: 0 },
                  state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } },
                },
              ],
            },
          },
        }),
      ],
    },
    'False AgentNotReady',
    'ImagePullBackOff: Back-off pulling image "x"',
  ],
  [
    'AgentReady',
    'no node has the network',
    {
      agents: [
        anAgent({
          ...SILENT,
          pod: {
            status: {
              conditions: [
                { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
              ],
            },
          },
        }),
      ],
    },
    'False AgentNotReady',
    'Unschedulable: 0/3 nodes are available',
  ],
  [
    'AgentReady',
    'its pod cannot be made',
    {
      agents: [
        anAgent({
          ...SILENT,
          pod: 'none',
          deployment: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }] },
        }),
      ],
    },
    'False AgentPending',
    'cannot be made: exceeded quota',
  ],
  ['AgentReady', 'it is being made', { agents: [anAgent({ ...SILENT, pod: 'none' })] }, 'False AgentPending', 'made'],
  [
    'AgentReady',
    'something is in the way',
    { agents: [anAgent({ ...SILENT, pod: 'none' })], report: { refusals: [refusal], held: [] } },
    'False AgentRefused',
    'Deployment vms/lan-dhcp-0 already exists',
  ],
  [
    'AgentReady',
    'there is no network',
    { attachment: 'Missing', agents: [anAgent(SILENT)] },
    'False NotServed',
    'See Registered',
  ],
  ['AgentReady', 'the network went and it answers', { attachment: 'Missing' }, 'True AgentReady', ''],
  ['AgentReady', 'the pool is paused', { pool: paused, agents: [anAgent(SILENT)] }, 'False Paused', ''],
  ['Stopped', 'all conditions are True', {}, 'False NotPaused', ''],
  ['Stopped', 'the pool is paused', { pool: paused }, 'True Paused', 'all leases are kept'],
  ['Ready', 'all conditions are True', {}, 'True Ready', ''],
  ['Ready', 'the pool is paused', { pool: paused }, 'False Paused', 'Take spec.paused off'],
  ['Ready', 'Multus is missing', { attachment: 'MultusAbsent' }, 'False MultusNotInstalled', 'Install Multus'],
  ['Ready', 'no agent answers', { agents: [anAgent(SILENT)] }, 'False AgentNotReady', 'agent-2'],
  ['Exhausted', 'there are addresses', {}, 'False AddressesAvailable', ''],
  ['Exhausted', 'there are none', usage({ available: 0, total: 7 }), 'True Exhausted', 'All 7 addresses are taken'],
  [
    'Exhausted',
    'addresses of deleted VMs rest',
    usage({ available: 0, total: 2, resting: 2, nextFree: '2027-01-01T00:00:00Z' }),
    'True Exhausted',
    '0 are leased, and 2 rest: their VMs need them no longer, but the leases of their clients have not expired (the first at 2027-01-01T00:00:00Z). Widen spec.ipv4Config.pool, or delete the IPLeases in state Resting',
  ],
  ['ConflictDetected', 'there is none', {}, 'False NoConflict', ''],
  [
    'Ready',
    'another controller undoes the writes',
    { isContested: true },
    'False Contested',
    'If vm-dhcp-controller runs, stop it',
  ],
  [
    'ConflictDetected',
    'an address is in use',
    usage({ declined: Array.from({ length: 7 }, (_, at) => aLease(`10.0.0.1${at}`)) }),
    'True AddressInUse',
    '10.0.0.14 (52:54:00:00:00:0e) and 2 more',
  ],
  [
    'ConflictDetected',
    'the other machine is known',
    usage({ declined: [aLease('10.0.0.7', { state: 'Declined', conflictingMAC: '52:54:00:00:00:99' })] }),
    'True AddressInUse',
    'uses 10.0.0.7 (52:54:00:00:00:07, in conflict with 52:54:00:00:00:99)',
  ],
  [
    'ConflictDetected',
    'an address is in quarantine',
    usage({ quarantined: [aLease('10.0.0.7', { released: true, state: 'Declined' })] }),
    'True AddressInUse',
    'To end a quarantine: kubectl delete iplease -n vms pool.10.0.0.7',
  ],
];

describe('the conditions of a pool', () => {
  it.each(table)('%s, if %s', (type, _what, given, expected, part) => {
    const result = resultsOf(inputs(given))[type];
    expect(`${result?.status ?? ''} ${result?.reason ?? ''}`).toBe(expected);
    expect(result?.message).toContain(part);
  });
});

describe('the phase of a pool', () => {
  it.each<[string, Partial<PoolInputs>, Parameters<typeof phaseOf>[1], string]>([
    ['all conditions are True', {}, undefined, 'Ready'],
    ['an agent is missing', { agents: [anAgent(), anAgent(SILENT)] }, 'Ready', 'Degraded'],
    ['agents are made', { agents: [anAgent(SILENT)] }, 'Provisioning', 'Provisioning'],
    ['agents are lost', { agents: [anAgent(SILENT)] }, 'Ready', 'Degraded'],
    ['the network is awaited', { attachment: 'Missing' }, undefined, 'Pending'],
    ['an older pool has the addresses', { standing: standingOf(aPool(), [older]) }, 'Ready', 'Failed'],
    ['it is paused', { pool: paused, attachment: 'Missing' }, 'Ready', 'Paused'],
  ])('%s', (_what, given, before, expected) => {
    expect(phaseOf(resultsOf({ ...well, ...given }), before)).toBe(expected);
  });
});

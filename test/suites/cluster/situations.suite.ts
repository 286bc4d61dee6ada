import { beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT_ROLLOUTS,
  IP_LEASES,
  IP_POOLS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  keyOf,
  LEASES,
  PODS,
  refOf,
  SERVICES,
  STATEFUL_SETS,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { evaluate } from '../../../cli/status/evaluate.ts';
import { loadInputs, type Inputs } from '../../../cli/status/inputs.ts';
import { objectOf } from '../../../cli/status/problem.ts';
import { aCluster, aged, NOW } from '../../../cli/status/testing/builders.ts';
import { SITUATIONS } from '../../../cli/status/testing/situations.ts';
import { cluster, eventually } from '../../harness/index.ts';

const c = await cluster();
const [machines, home] = [await c.namespace(), await c.namespace()];

const LISTS = [
  ['bmcs', VIRTUAL_MACHINE_BMCS],
  ['virtualMachines', VIRTUAL_MACHINES],
  ['pools', IP_POOLS],
  ['leases', IP_LEASES],
  ['networkConfigs', VIRTUAL_MACHINE_NETWORK_CONFIGS],
  ['services', SERVICES],
  ['pods', PODS],
  ['deployments', DEPLOYMENTS],
  ['statefulSets', STATEFUL_SETS],
  ['elections', LEASES],
  ['rollouts', AGENT_ROLLOUTS],
] as const;

/** The namespaces of this cluster in place of those of the made-up one. */
function here(text: string): string {
  return text.replaceAll('groundcrew-system', home).replaceAll(/\bvms\b/g, machines);
}

/** Times, so that what was a minute ago then is a minute ago now. */
function today(text: string): string {
  // The API server tells its time in whole seconds, so that it may be a second behind.
  const later = Date.now() - NOW - 1_000;
  return text.replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (_, time: string) =>
    JSON.stringify(new Date(Date.parse(time) + later).toISOString()),
  );
}

interface Placed {
  kind: Kind<KubeObject>;
  object: KubeObject;
  /** The object with the times of the made-up cluster. */
  text: string;
}

/** What is in the cluster, by kind, namespace and name. */
const present = new Map<string, Placed>();

/** Makes the cluster have the objects of `inputs`. Writes only what differs. */
async function become(inputs: Inputs): Promise<void> {
  const wanted = new Map<string, Placed>();
  for (const [list, kind] of LISTS)
    for (const one of inputs[list]) {
      const text = here(JSON.stringify(one));
      // It was a KubeObject.
      const object = JSON.parse(today(text)) as KubeObject;
      wanted.set(`${kind.kind} ${keyOf(object.metadata)}`, { kind, object, text });
    }
  for (const [key, { kind, object, text }] of present) {
    // A leader renews its Lease.
    if (wanted.get(key)?.text === text && kind.kind !== LEASES.kind) continue;
    await c.client.delete(kind, refOf(object), { gracePeriodSeconds: 0 });
    await eventually(async () => {
      expect(await c.client.find(kind, refOf(object))).toBeUndefined();
    });
    present.delete(key);
  }
  for (const [key, placed] of wanted) {
    if (present.has(key)) continue;
    await create(placed);
    present.set(key, placed);
  }
}

async function create({ kind, object }: Placed): Promise<void> {
  const { status, ...draft } = object as KubeObject & {
    status?: object;
    spec?: { clusterIP?: string; renewTime?: string };
  };
  delete draft.spec?.clusterIP;
  // core/v1 MicroTime has six digits.
  if (draft.spec?.renewTime !== undefined) draft.spec.renewTime = draft.spec.renewTime.replace('Z', '000Z');
  const { namespace, name, labels } = object.metadata;
  await c.client.create(kind, { ...draft, metadata: { namespace, name, labels } });
  // The manager has seen generation 2, or 1.
  if (kind.kind === VIRTUAL_MACHINE_BMCS.kind)
    await c.client.patch(kind, refOf(object), 'merge', { spec: { redfish: { legacyProperties: false } } });
  if (status !== undefined) await c.client.patch(kind, refOf(object), 'merge', { status }, { subresource: 'status' });
}

/** Not beside the managers of other tests; and what needs a pod that should have ended minutes ago. */
const NOT_HERE = ['no manager is installed', 'the node of the agent is lost'];
/** Those that objects make. */
const made = SITUATIONS.filter(
  ([what, { webhooks = [], unread, absent }]) =>
    !NOT_HERE.includes(what) && webhooks.length === 0 && unread === undefined && absent === undefined,
);

describe('the status of a cluster with broken objects', () => {
  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt'] });
  });

  it('is tested with at least 20 situations', () => {
    expect(made.length).toBeGreaterThanOrEqual(20);
  });

  it.each(made)('says so if %s', async (_what, change, object, sentence, todo) => {
    await become(aCluster(change));
    const { problems, healthy } = evaluate(aged(await loadInputs(c.client, { namespace: machines })));
    expect(healthy).toBe(false);
    const found = problems.find((problem) => `${objectOf(problem)}: ${problem.reason}` === here(object));
    expect(found?.what).toBe(here(sentence));
    expect(found?.todo ?? '').toContain(here(todo));
  });
});

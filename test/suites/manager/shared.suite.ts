import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ANNOTATIONS,
  agentName,
  certificateSecretName,
  LABELS,
  readMember,
  sharedAgentName,
  sharedAgentPorts,
  VIRTUAL_MACHINE_BMCS,
} from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  LEASES,
  NAMESPACES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  STATEFUL_SETS,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const OWN: Kind<KubeObject>[] = [SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS, DEPLOYMENTS];
const SHARED: Kind<KubeObject>[] = [
  ...[SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS, STATEFUL_SETS, POD_DISRUPTION_BUDGETS, SECRETS, LEASES],
];
const AGENT = sharedAgentName(0);

describe('a shared BMC', () => {
  let manager: Awaited<ReturnType<typeof c.manager>>;
  let scene: Scene;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    manager = await c.manager({ args: ['--shared-agent-capacity=2'] });
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createSecret();
  });
  afterAll(() => manager.close());

  const create = async (vm: string, spec: object = { placement: 'Shared' }) => {
    await scene.createVirtualMachine(vm);
    await scene.createBmc(`${vm}-bmc`, { virtualMachineRef: { name: vm }, ...spec });
  };
  const kindsOf = async (kinds: readonly Kind<KubeObject>[], name: string): Promise<string[]> => {
    const found = await Promise.all(kinds.map((kind) => c.client.find(kind, scene.ref(name))));
    return found.flatMap((object, index) => (object === undefined ? [] : (kinds[index]?.kind ?? [])));
  };
  const placeOf = async (vm: string) => {
    const { spec } = await scene.service(vm);
    return [spec?.selector?.[LABELS.sharedAgent], ...(spec?.ports ?? []).map(({ targetPort }) => targetPort)];
  };
  const places = (index: number, slot: number) => {
    const { ipmi, redfish } = sharedAgentPorts(slot);
    return [sharedAgentName(index), ipmi, redfish];
  };
  const membersOf = async (agent: string) => {
    const { data = {} } = await scene.secret(agent);
    return Object.fromEntries(
      Object.entries(data).map(([name, text]) => [name, readMember(Buffer.from(text, 'base64').toString())]),
    );
  };

  /** The virtual machines that the agent may start. */
  const startable = async (agent: string) => {
    const { rules = [] } = await c.client.get(ROLES, scene.ref(agent));
    return rules
      .filter(({ resources }) => resources?.includes('virtualmachines/start'))
      .map((rule) => rule.resourceNames);
  };

  it('has only a Service, which leads to the acting pod of an agent that has all it needs', async () => {
    await create('web');
    const { status } = await scene.untilPhase('Ready', 'web-bmc');
    const { spec } = await scene.service();
    expect(status).toMatchObject({ agent: { name: AGENT }, endpoints: { ipmi: `${spec?.clusterIP}:623` } });
    expect(spec?.selector).toEqual({ [LABELS.sharedAgent]: AGENT, [LABELS.acting]: 'true' });
    expect(await placeOf('web')).toEqual(places(0, 0));
    expect(await kindsOf(OWN, agentName('web'))).toEqual([]);
    expect(await kindsOf(SHARED, AGENT)).toEqual(SHARED.map(({ kind }) => kind));
    const credentials = await scene.secret('creds');
    const certificate = await scene.secret(certificateSecretName('web-bmc'));
    const { uid } = (await scene.bmc()).metadata;
    await eventually(async () => {
      expect((await membersOf(AGENT))['web-bmc']).toMatchObject({
        ...{ uid, slot: 0 },
        credentials: { name: 'creds', data: credentials.data },
        certificate: certificate.metadata.resourceVersion,
      });
    });
    for (const { status: value, message } of status?.conditions ?? []) expect(value, message).toBe('True');
  });

  it('stays in its slot when others come and go, and after a restart of the manager', async () => {
    for (const vm of ['a', 'b', 'c']) {
      await create(vm);
      await scene.untilPhase('Ready', `${vm}-bmc`);
    }
    expect([await placeOf('a'), await placeOf('b'), await placeOf('c')]).toEqual([
      places(0, 0),
      places(0, 1),
      places(1, 0),
    ]);
    expect(await startable(AGENT)).toEqual([['a', 'b']]);
    await manager.stop('SIGKILL');
    await scene.deleteBmc('a-bmc');
    await manager.start();
    await eventually(async () => {
      // As garbage collection does.
      await c.client.delete(SERVICES, scene.ref(agentName('a')));
      expect(Object.keys(await membersOf(AGENT))).toEqual(['b-bmc']);
      expect(await startable(AGENT)).toEqual([['b']]);
    });
    expect(await startable(sharedAgentName(1))).toEqual([['c']]);
    await create('d');
    await scene.untilPhase('Ready', 'd-bmc');
    expect([await placeOf('b'), await placeOf('c'), await placeOf('d')]).toEqual([
      places(0, 1),
      places(1, 0),
      places(0, 0),
    ]);
    expect(await startable(AGENT)).toEqual([['b', 'd']]);
  });

  it('moves to an agent of its own and back with its Service, address and certificate', async () => {
    await create('web');
    await scene.untilPhase('Ready');
    const before = await scene.service();
    const certificate = (await scene.secret(certificateSecretName('web-bmc'))).metadata.resourceVersion;
    const isKept = async () => {
      const { metadata, spec } = await scene.service();
      expect([metadata.uid, spec?.clusterIP]).toEqual([before.metadata.uid, before.spec?.clusterIP]);
      expect((await scene.secret(certificateSecretName('web-bmc'))).metadata.resourceVersion).toBe(certificate);
    };

    // The Service leads to the shared agent until its own agent answers.
    scene.agents.answers = ({ metadata }) => metadata.labels?.[LABELS.sharedAgent] !== undefined;
    await scene.patchBmc({ placement: 'Dedicated' });
    await scene.untilMessage('UpToDate', 'moves to an agent of its own');
    await eventually(async () => {
      expect(await kindsOf(OWN, agentName('web'))).toHaveLength(OWN.length);
    });
    expect(await placeOf('web')).toEqual(places(0, 0));
    scene.agents.answers = () => true;
    await eventually(async () => {
      expect((await placeOf('web'))[0]).toBeUndefined();
    });
    await eventually(
      async () => {
        expect(await kindsOf(SHARED, AGENT)).toEqual([]);
      },
      { timeout: 15_000 },
    );
    await scene.untilCondition('UpToDate', 'UpToDate');
    await isKept();

    // And to its own agent until the shared one has confirmed the spec.
    scene.agents.confirming = false;
    await scene.patchBmc({ placement: 'Shared' });
    await eventually(async () => {
      const { name, observedGeneration = 0 } = (await scene.bmc()).status?.agent ?? {};
      expect([name, observedGeneration]).toEqual([AGENT, 0]);
    });
    expect(await kindsOf(OWN, agentName('web'))).toHaveLength(OWN.length);
    expect((await placeOf('web'))[0]).toBeUndefined();
    scene.agents.confirming = true;
    await eventually(async () => {
      expect(await placeOf('web')).toEqual(places(0, 0));
      expect(await kindsOf(OWN, agentName('web'))).toEqual([]);
    });
    await scene.untilPhase('Ready');
    await scene.untilEvent('Moved');
    await isKept();
  });

  it('is placed by the annotation of its namespace', async () => {
    const annotate = (placement: string) =>
      c.client.patch(NAMESPACES, { name: scene.namespace }, 'merge', {
        metadata: { annotations: { [ANNOTATIONS.placement]: placement } },
      });
    await annotate('Shared');
    await create('web', {});
    await scene.untilPhase('Ready');
    expect(await placeOf('web')).toEqual(places(0, 0));
    await annotate('Dedicated');
    await eventually(async () => {
      expect((await placeOf('web'))[0]).toBeUndefined();
    });
  });

  it('keeps its conditions while one pod takes over from the other', async () => {
    await create('web');
    const { metadata } = await scene.untilPhase('Ready');
    await scene.untilCondition('UpToDate', 'UpToDate');
    const acting = async () =>
      (await c.client.list(PODS, { namespace: scene.namespace, labelSelector: `${LABELS.acting}=true` })).items[0]
        ?.metadata;
    const before = await acting();
    await c.client.delete(PODS, scene.ref(before?.name ?? ''), { gracePeriodSeconds: 0 });
    await eventually(async () => {
      const after = await acting();
      expect(after?.uid).toBeDefined();
      expect(after?.uid).not.toBe(before?.uid);
    });
    const { status } = await scene.bmc();
    expect(status?.phase).toBe('Ready');
    expect(metadata.generation).toBe(1);
    expect(await scene.events('AgentNotReady')).toEqual([]);
    const { message } = await scene.untilEvent('TookOver', AGENT);
    expect(message).toContain(`Pod ${(await acting())?.name} of shared agent ${AGENT} has taken over`);
  });

  it('is served again with what a client has deleted of its agent', async () => {
    await create('web');
    await scene.untilPhase('Ready');
    for (const kind of SHARED.filter(({ kind: name }) => name !== 'Lease')) {
      const { metadata } = await c.client.get(kind, scene.ref(AGENT));
      await c.client.delete(kind, scene.ref(AGENT));
      await eventually(async () => {
        expect((await c.client.get(kind, scene.ref(AGENT))).metadata.uid).not.toBe(metadata.uid);
      });
    }
    await eventually(async () => {
      expect(Object.keys(await membersOf(AGENT))).toEqual(['web-bmc']);
    });
  });

  it('says which object is in the way of its agent', async () => {
    const draft = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: scene.ref(AGENT) };
    await c.client.create(SERVICE_ACCOUNTS, draft);
    await create('web');
    const { message } = await scene.untilCondition('AgentReady', 'NotOwned');
    expect(message).toContain(`ServiceAccount ${AGENT} already exists`);
  });

  it('leaves nothing behind when the last one is deleted', async () => {
    await create('web');
    await scene.untilPhase('Ready');
    await scene.deleteBmc();
    await eventually(
      async () => {
        expect(await c.client.find(VIRTUAL_MACHINE_BMCS, scene.ref('web-bmc'))).toBeUndefined();
        expect(await kindsOf([...SHARED, SERVICES], AGENT)).toEqual([]);
      },
      { timeout: 15_000 },
    );
  });
});

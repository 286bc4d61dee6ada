import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_SHARED_AGENTS, sharedAgentName } from '../../api/index.ts';
import { collectionPath, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import { cluster, eventually, renderChart } from '../harness/index.ts';

const { client, ...scene } = await cluster();
const [home, watched, other] = [await scene.namespace(), await scene.namespace(), await scene.namespace()];

const rbac = (kind: string, plural: string, namespaced: boolean): Kind<KubeObject> => ({
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced },
});
const KINDS = [
  rbac('ClusterRole', 'clusterroles', false),
  rbac('Role', 'roles', true),
  rbac('ClusterRoleBinding', 'clusterrolebindings', false),
  rbac('RoleBinding', 'rolebindings', true),
];
const created: { kind: Kind<KubeObject>; object: KubeObject }[] = [];

/** Creates the permissions of an installation, with names of its own: files share the cluster. */
async function install(name: string, set: readonly string[]): Promise<void> {
  const objects = await renderChart({ namespace: home, set: [`fullnameOverride=${name}`, ...set] });
  for (const kind of KINDS)
    for (const object of objects.filter((one) => one.kind === kind.kind)) {
      const path = collectionPath(kind, kind.namespaced ? object.metadata.namespace : undefined);
      const headers = { 'content-type': 'application/json' };
      await client.request({ method: 'POST', path, headers, body: JSON.stringify(object) });
      created.push({ kind, object });
    }
}

/** Whether an account may do `<verb> <plural>[.<group>][/<subresource>][ <name>]` in a namespace; '': in the cluster. */
async function may(user: string, action: string, namespace: string): Promise<boolean> {
  const [, verb = '', resource = '', group = '', subresource = '', name = ''] =
    /^(\S+) ([^.\s/]+)(?:\.([^\s/]+))?(?:\/(\S+))?(?: (\S+))?$/.exec(action) ?? expect.fail(`what is ${action}?`);
  const body = {
    ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' },
    spec: { user, resourceAttributes: { namespace, verb, group, resource, subresource, name } },
  };
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const headers = { 'content-type': 'application/json' };
  const answer = await client.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  // authorization.k8s.io/v1 SubjectAccessReview; the server sets the status.
  return (answer as { status: { allowed: boolean } }).status.allowed;
}

const account = (name: string) => `system:serviceaccount:${home}:${name}`;
const names = { everywhere: `everywhere-${home}`, watching: `watching-${home}` };

beforeAll(async () => {
  await install(names.everywhere, []);
  await install(names.watching, [`watchNamespaces={${watched}}`]);
  // The authorizer follows the roles by watches.
  for (const name of Object.values(names))
    await eventually(async () => {
      expect(await may(account(name), 'get secrets', watched)).toBe(true);
      expect(await may(account(name), 'get secrets groundcrew-ca', home)).toBe(true);
    });
});
afterAll(async () => {
  for (const { kind, object } of created.reverse()) await client.delete(kind, object.metadata);
});

describe('the manager', () => {
  /** What it may do where its BMCs and pools are. */
  const work = [
    'create deployments.apps',
    'patch virtualmachinebmcs.bmc.kubevirt.io/status',
    'create ipleases.network.harvesterhci.io',
    'patch virtualmachines.kubevirt.io',
    'create roles.rbac.authorization.k8s.io',
    'get secrets',
    'create events',
    // Granted to agents.
    'get virtualmachineinstances.subresources.kubevirt.io/vnc',
    'get virtualmachineinstances.subresources.kubevirt.io/vnc/screenshot',
  ];
  it.each(work)('may %s where it works, and only there', async (action) => {
    const { everywhere, watching } = names;
    expect([await may(account(everywhere), action, watched), await may(account(everywhere), action, other)]).toEqual([
      ...[true, true],
    ]);
    expect([await may(account(watching), action, watched), await may(account(watching), action, other)]).toEqual([
      ...[true, false],
    ]);
  });

  it('with watchNamespaces reads and writes in its own namespace only what has its names', async () => {
    const own = ['get secrets groundcrew-ca', 'update leases.coordination.k8s.io groundcrew-manager'];
    const others = ['get secrets', 'get secrets other', 'delete secrets groundcrew-ca', 'create deployments.apps'];
    const mayAtHome = (action: string) => may(account(names.watching), action, home);
    expect(await Promise.all(own.map(mayAtHome))).toEqual(own.map(() => true));
    expect(await Promise.all(others.map(mayAtHome))).toEqual(others.map(() => false));
  });

  it('reads namespaces, and with watchNamespaces only those, by name', async () => {
    const { everywhere, watching } = names;
    const all = [everywhere, watching].map((name) => may(account(name), 'watch namespaces', ''));
    expect(await Promise.all(all)).toEqual([true, false]);
    const byName = [watched, other].map((name) => may(account(watching), `watch namespaces ${name}`, ''));
    expect(await Promise.all(byName)).toEqual([true, false]);
  });

  it('may grant shared agents their own pods and Leases, and write their disruption budgets, and no others', async () => {
    const last = sharedAgentName(MOST_SHARED_AGENTS - 1);
    const granted = [
      `patch pods ${last}-1`,
      `update leases.coordination.k8s.io ${last}`,
      `patch poddisruptionbudgets.policy ${last}`,
    ];
    const more = sharedAgentName(MOST_SHARED_AGENTS);
    const others = [
      `patch pods ${last}-2`,
      `patch pods ${more}-0`,
      `update leases.coordination.k8s.io ${more}`,
      `delete poddisruptionbudgets.policy ${more}`,
    ];
    for (const name of Object.values(names)) {
      const allowed = (action: string) => may(account(name), action, watched);
      expect(await Promise.all(granted.map(allowed))).toEqual(granted.map(() => true));
      expect(await Promise.all(others.map(allowed))).toEqual(others.map(() => false));
    }
  });

  /** What would make its token worth more than its work, in each mode. */
  const denied = [
    // More permissions than it has, or those of another account.
    'bind clusterroles.rbac.authorization.k8s.io cluster-admin',
    'escalate roles.rbac.authorization.k8s.io',
    'create clusterroles.rbac.authorization.k8s.io',
    'create clusterrolebindings.rbac.authorization.k8s.io',
    'impersonate serviceaccounts',
    'impersonate users',
    'impersonate groups system:masters',
    'create serviceaccounts/token',
    'approve signers.certificates.k8s.io',
    // Pods and nodes, past what its Deployments say.
    'create pods',
    'create pods/exec',
    'create pods/ephemeralcontainers',
    'get nodes/proxy',
    'list nodes',
    // What limits or serves it.
    'patch customresourcedefinitions.apiextensions.k8s.io',
    'delete validatingadmissionpolicies.admissionregistration.k8s.io',
    'patch validatingwebhookconfigurations.admissionregistration.k8s.io other',
    'delete validatingwebhookconfigurations.admissionregistration.k8s.io',
    'delete namespaces',
    'patch namespaces',
    // Only those of shared agents.
    'patch pods',
    'get pods web-0',
    'update leases.coordination.k8s.io web-0',
    // The machines themselves.
    'create virtualmachines.kubevirt.io',
    'delete virtualmachines.kubevirt.io',
    'patch virtualmachineinstances.kubevirt.io',
    'get virtualmachineinstances.subresources.kubevirt.io/portforward',
    'get virtualmachineinstances.subresources.kubevirt.io/usbredir',
    'delete persistentvolumeclaims',
    'patch kubevirts.kubevirt.io',
    // What belongs to users.
    'patch ippools.network.harvesterhci.io',
    'patch agentrollouts.bmc.kubevirt.io agents',
    'get leases.coordination.k8s.io other',
  ];
  it.each(denied)('may not %s, wherever it works', async (action) => {
    const asked = Object.values(names).flatMap((name) =>
      ['', home, watched, other].map(async (where) => ({ name, where, may: await may(account(name), action, where) })),
    );
    expect((await Promise.all(asked)).filter((one) => one.may)).toEqual([]);
  });
});

describe('a user with the aggregated role', () => {
  const user = 'jane';
  const table: readonly [role: string, may: readonly string[], mayNot: readonly string[]][] = [
    [
      'view',
      ['list virtualmachinebmcs.bmc.kubevirt.io', 'get ipleases.network.harvesterhci.io'],
      ['create virtualmachinebmcs.bmc.kubevirt.io', 'patch agentrollouts.bmc.kubevirt.io', 'get secrets'],
    ],
    [
      'edit',
      [
        'create virtualmachinebmcs.bmc.kubevirt.io',
        'delete ippools.network.harvesterhci.io',
        'patch virtualmachinenetworkconfigs.network.harvesterhci.io',
        'patch agentrollouts.bmc.kubevirt.io',
      ],
      [
        'patch virtualmachinebmcs.bmc.kubevirt.io/status',
        'patch ippools.network.harvesterhci.io/status',
        'create ipleases.network.harvesterhci.io',
        'patch ipleases.network.harvesterhci.io',
        'delete ipleases.network.harvesterhci.io',
        'create agentrollouts.bmc.kubevirt.io',
        'delete agentrollouts.bmc.kubevirt.io',
      ],
    ],
  ];
  it.each(table)('%s of the chart in a namespace has these permissions there, and none elsewhere', async (...row) => {
    const [role, allowed, refused] = row;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${names.everywhere}-${role}` };
    const subject = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `${user}-${role}` };
    const kind = KINDS.find((one) => one.kind === 'RoleBinding') ?? expect.fail();
    await client.create(kind, {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' },
      ...{ metadata: { namespace: watched, name: role }, roleRef, subjects: [subject] },
    });
    const answers = (actions: readonly string[], where: string) =>
      Promise.all(actions.map((action) => may(subject.name, action, where)));
    await eventually(async () => {
      expect(await answers(allowed, watched)).toEqual(allowed.map(() => true));
    });
    expect(await answers(refused, watched)).toEqual(refused.map(() => false));
    expect(await answers(allowed, other)).toEqual(allowed.map(() => false));
  });
});

import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  CONFIG_MAPS,
  KubeClient,
  NAMESPACES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICES,
  systemClock,
  type KubeObject,
  type ObjectRef,
  type Role,
} from '@groundcrew/controller-runtime';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { agentName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { startWeb } from '../../../cli/web/start-web.ts';
import { ConsoleBench, PASSWORD } from '../../../protocols/redfish/testing/console-bench.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { grantRole, serviceAccountToken } from '../../harness/service-accounts.ts';
import { Browser } from './browser.ts';

const c = await cluster();

/** An address that is not loopback: kube-apiserver connects to no endpoints on loopback. */
const ADDRESS =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.internal === false && one.family === 'IPv4')?.address ?? '127.0.0.1';
/** Namespace of the manager. */
const HOME = 'groundcrew-system';
const AUTHORITY = { namespace: HOME, name: 'groundcrew-ca' };
const VM = 'web';
const REDFISH: NonNullable<Role['rules']> = [
  { apiGroups: ['bmc.kubevirt.io'], resources: ['virtualmachinebmcs'], verbs: ['get'] },
];
const PROXY: NonNullable<Role['rules']> = [
  {
    ...{ apiGroups: [''], resources: ['services/proxy'], resourceNames: [`https:${agentName(VM)}:redfish`] },
    verbs: ['get', 'create', 'update', 'patch', 'delete'],
  },
];

describe('a BMC in groundcrew web', () => {
  const bench = new ConsoleBench();
  let bmc: Server;
  let namespace: string;
  /** Roles in the manager's namespace. */
  const granted: Required<ObjectRef>[] = [];
  /** Whether there was an `X-Forwarded-For` in each request to the BMC: kube-apiserver's proxy adds it. */
  let forwarded: boolean[] = [];

  beforeAll(async () => {
    const { ca, ...certificate } = await issueServerCertificate({ names: [ADDRESS], now: Date.now() });
    const { service } = bench;
    bmc = createServer({ ...certificate, shouldUpgradeCallback: (request) => service.accepts(request) });
    bmc.on('request', (request, response) => {
      forwarded.push(request.headers['x-forwarded-for'] !== undefined);
      service.handler(request, response);
    });
    bmc.on('upgrade', (request, socket, head) => {
      forwarded.push(request.headers['x-forwarded-for'] !== undefined);
      socket.on('error', () => undefined);
      void service.upgrade(request, socket, head);
    });
    await once(bmc.listen(0, ADDRESS), 'listening');
    const { port } = bmc.address() as AddressInfo;
    namespace = await c.namespace();
    const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOME } };
    await c.client.apply(NAMESPACES, home, { force: true });
    const metadata = { namespace, name: agentName(VM) };
    const ports = [{ name: 'redfish', port: 443 }];
    await c.client.create(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } });
    // kube-apiserver's proxy connects to addresses of pods alone, by Endpoints, which a controller makes in a whole cluster.
    const spec = { containers: [{ name: 'agent', image: 'groundcrew' }] };
    await eventually(() => c.client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec }));
    const running = { phase: 'Running', podIP: ADDRESS, podIPs: [{ ip: ADDRESS }] };
    await c.client.patch(PODS, metadata, 'merge', { status: running }, { subresource: 'status' });
    const addresses = [{ ip: ADDRESS, targetRef: { kind: 'Pod', ...metadata } }];
    const subsets = [{ addresses, ports: [{ name: 'redfish', port }] }];
    // The embedded API server has neither Endpoints nor the proxy.
    const body = { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets };
    await c.http('POST', `/api/v1/namespaces/${namespace}/endpoints`, { body });
    await c.client.create(VIRTUAL_MACHINE_BMCS, {
      ...{ apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', metadata: { namespace, name: 'web-bmc' } },
      spec: { virtualMachineRef: { name: VM } },
    });
    const status = { endpoints: { redfish: `https://${ADDRESS}:${port}` } };
    await c.client.patch(
      VIRTUAL_MACHINE_BMCS,
      { namespace, name: 'web-bmc' },
      'merge',
      { status },
      { subresource: 'status' },
    );
    await c.client.apply(CONFIG_MAPS, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: AUTHORITY },
      data: { 'ca.crt': ca },
    });
  });
  beforeEach(() => {
    forwarded = [];
  });
  afterAll(async () => {
    bmc.closeAllConnections();
    bmc.close();
    await bench.close();
    await c.client.delete(CONFIG_MAPS, AUTHORITY);
    for (const kind of [ROLES, ROLE_BINDINGS]) for (const ref of granted) await c.client.delete<KubeObject>(kind, ref);
  });

  /** Whether permissions are checked; the embedded API server has neither them nor a proxy. */
  async function isLimited(client: KubeClient): Promise<boolean> {
    const answer = await client.list(SECRETS).catch((error: unknown) => error);
    return answer instanceof ApiError && answer.status === 403;
  }

  it.each([
    ['the API server’s proxy', true],
    ['its own endpoint', false],
  ])('is reached through %s with the rights of the user, and its console with it', async (_way, mayProxy) => {
    const account = { namespace, name: mayProxy ? 'proxy' : 'direct' };
    await grantRole(c.client, account, mayProxy ? [...REDFISH, ...PROXY] : REDFISH);
    await allowAuthority(account);
    const access = { server: c.server, ca: c.ca, token: await serviceAccountToken(c.client, account) };
    const transport = undiciTransport(access);
    const client = new KubeClient({ transport, fieldManager: 'test' });
    await using parts = new AsyncDisposableStack();
    parts.defer(() => client.close());
    const web = await startWeb({
      ...{ client, transport, access, port: 0, clock: systemClock, random: randomBytes, logger: silentLogger },
      onLink: () => undefined,
    });
    parts.defer(() => web.close());
    const browser = await Browser.open(web.link);

    const sessions = `/bmc/${namespace}/web-bmc/redfish/v1/SessionService/Sessions`;
    const opened = await eventually(async () => {
      const answer = await browser.ask('POST', sessions, { UserName: 'operator', Password: PASSWORD });
      expect(answer.status, await answer.clone().text()).toBe(201);
      return answer;
    });
    const token = opened.headers.get('x-auth-token') ?? '';
    const uri = opened.headers.get('location') ?? '';
    expect(uri).toMatch(/^\/redfish\/v1\/SessionService\/Sessions\/\w+$/);
    const shown = await browser.ask('GET', `/bmc/${namespace}/web-bmc${uri}`, undefined, { 'x-auth-token': token });
    expect(await shown.json()).toMatchObject({ UserName: 'operator' });

    const events = await browser.ask('GET', `/bmc/${namespace}/web-bmc/redfish/v1/EventService/SSE`, undefined, {
      ...{ 'x-auth-token': token, accept: 'text/event-stream' },
    });
    expect(events.status).toBe(200);
    const reader = events.body?.getReader();
    const chunk = (await reader?.read())?.value as Uint8Array | undefined;
    expect(chunk?.length).toBeGreaterThan(0);
    await reader?.cancel();

    const webSocket = browser.webSocket(`/bmc/${namespace}/web-bmc/console0`, token);
    await once(webSocket, 'open');
    expect(webSocket.protocol).toBe('binary');
    webSocket.close();

    const isProxied = mayProxy && (await isLimited(client));
    expect(new Set(forwarded)).toEqual(new Set([isProxied]));
  });

  /** Lets the account read the installation's authority, which is public. */
  async function allowAuthority(account: Required<ObjectRef>): Promise<void> {
    const group = 'rbac.authorization.k8s.io';
    const apiVersion = `${group}/v1`;
    const metadata = { namespace: HOME, name: `${namespace}-${account.name}` };
    const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['groundcrew-ca'], verbs: ['get'] }];
    await c.client.create(ROLES, { apiVersion, kind: 'Role', metadata, rules });
    await c.client.create(ROLE_BINDINGS, {
      ...{ apiVersion, kind: 'RoleBinding', metadata },
      roleRef: { apiGroup: group, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    });
    granted.push(metadata);
  }
});

import { ApiError, isConflict, PODS, type KubeClient, type ObjectRef, type Pod } from '@groundcrew/controller-runtime';
import { screenRefusal } from '../console/index.ts';
import { guestAgentInfo } from '../guest/index.ts';
import { CREATED_BY, LAUNCHER_SELECTOR, launcherOf } from '../instances/launcher-pod.ts';
import { isTrue } from '../kubevirt/conditions.ts';
import { withImpliedDevices, type PodBinding } from '../kubevirt/defaults.ts';
import { InstancetypeError, withInstancetype } from '../kubevirt/instancetypes.ts';
import { assertReachable, unreachable, type Nodes } from '../kubevirt/nodes.ts';
import {
  MIGRATIONS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import {
  afterGuestRequest,
  assertGuestTakes,
  parseRequestOptions,
  takesOptions,
  type GuestRequest,
} from './guest-requests.ts';
import { LIFECYCLE, type LifecycleChange } from './lifecycle.ts';

export interface SubresourceContext {
  client: KubeClient;
  nodes: Pick<Nodes, 'isReachable'>;
  now: () => number;
  /** Binding of the default interface. */
  podBinding: () => PodBinding;
  /** The picture of a running guest, PNG. */
  screenshot: (vmi: VirtualMachineInstance) => Buffer;
  /** Called when the guest must act. */
  onGuestRequest: (request: GuestRequest, ref: ObjectRef) => void;
}

export interface SubresourceRequest {
  ref: ObjectRef & { namespace: string };
  body: string;
}

/** A successful answer. */
export interface SubresourceAnswer {
  status: number;
  type?: string;
  body?: string | Buffer;
}

/** Handles one request. @throws StatusError */
export type Subresource = (request: SubresourceRequest, context: SubresourceContext) => Promise<SubresourceAnswer>;

/** One route of virt-api (`api.go`). */
export interface SubresourceRoute {
  method: 'GET' | 'PUT';
  handle: Subresource;
}

/** By `<resource>/<subresource>`. */
export const SUBRESOURCE_ROUTES: Readonly<Record<string, SubresourceRoute>> = {
  'virtualmachines/start': put((request, context) => lifecycle('start', request, context)),
  'virtualmachines/stop': put((request, context) => lifecycle('stop', request, context)),
  'virtualmachines/restart': put((request, context) => lifecycle('restart', request, context)),
  'virtualmachines/migrate': put(migrate),
  'virtualmachines/expand-spec': { method: 'GET', handle: expandSpec },
  'virtualmachineinstances/pause': put((request, context) => guest('pause', request, context)),
  'virtualmachineinstances/unpause': put((request, context) => guest('unpause', request, context)),
  'virtualmachineinstances/softreboot': put((request, context) => guest('softreboot', request, context)),
  'virtualmachineinstances/reset': put((request, context) => guest('reset', request, context)),
  'virtualmachineinstances/guestosinfo': { method: 'GET', handle: agentInfo },
  'virtualmachineinstances/vnc/screenshot': { method: 'GET', handle: takeScreenshot },
};

function put(handle: Subresource): SubresourceRoute {
  return { method: 'PUT', handle };
}

async function lifecycle(
  action: keyof typeof LIFECYCLE,
  { ref, body }: SubresourceRequest,
  { client }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const vm = await client.find(VIRTUAL_MACHINES, ref);
  if (vm === undefined) throw StatusError.notFound('virtualmachine', ref.name);
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  const change = LIFECYCLE[action]({ vm, vmi, body });
  await orInternalError(() => write(client, ref, change));
  // Also in a dry run.
  if (change.deletePod === true && vmi !== undefined) {
    await orInternalError(() => deletePod(client, vmi));
  }
  return { status: 202 };
}

async function write(client: KubeClient, ref: ObjectRef, change: LifecycleChange): Promise<void> {
  const { dryRun, instance, refusal, virtualMachine } = change;
  if (instance !== undefined) await client.patch(VIRTUAL_MACHINE_INSTANCES, ref, 'json', instance, { dryRun });
  if (refusal !== undefined) throw refusal;
  const { subresource, patch } = virtualMachine;
  const options = subresource === undefined ? { dryRun } : { dryRun, subresource };
  await client.patch(VIRTUAL_MACHINES, ref, 'json', patch, options);
}

/** KubeVirt up to 1.8 forces a restart in this way (`findPod`); KubeVirt 1.9 shortens the instance's grace period. */
async function deletePod(client: KubeClient, vmi: VirtualMachineInstance): Promise<void> {
  const { namespace = '', uid = '' } = vmi.metadata;
  const pod = launcherOf(vmi, await runningPods(client, namespace, uid));
  if (pod !== undefined) await client.delete(PODS, pod.metadata, { gracePeriodSeconds: 1 });
}

async function runningPods(client: KubeClient, namespace: string, uid: string): Promise<Pod[]> {
  const labelSelector = `${LAUNCHER_SELECTOR},${CREATED_BY}=${uid}`;
  return (await client.list(PODS, { namespace, labelSelector, fieldSelector: 'status.phase=Running' })).items;
}

async function migrate({ ref, body }: SubresourceRequest, { client }: SubresourceContext): Promise<SubresourceAnswer> {
  const { dryRun } = parseRequestOptions(body);
  if ((await client.find(VIRTUAL_MACHINES, ref)) === undefined) throw StatusError.notFound('virtualmachine', ref.name);
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  if (vmi === undefined) throw StatusError.notFound('virtualmachineinstance', ref.name);
  if (vmi.status?.phase !== 'Running') throw StatusError.conflict('virtualmachine', ref.name, 'VM is not running');
  const metadata = { generateName: 'kubevirt-migrate-vm-', namespace: ref.namespace };
  const migration = { apiVersion: 'kubevirt.io/v1', kind: MIGRATIONS.kind, metadata, spec: { vmiName: ref.name } };
  await orInternalError(() => client.create(MIGRATIONS, migration, { dryRun }));
  return { status: 202 };
}

/** Attempts to write the instance after conflicts. */
const ATTEMPTS = 10;

async function guest(
  request: GuestRequest,
  { ref, body }: SubresourceRequest,
  { client, nodes, now, onGuestRequest }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const dryRun = takesOptions(request) && parseRequestOptions(body).dryRun;
  for (let attempt = 1; ; attempt += 1) {
    const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
    if (vmi === undefined) throw StatusError.notFound('virtualmachineinstance', ref.name);
    assertGuestTakes(request, vmi);
    if (dryRun) return { status: 200 };
    assertReachable('Put', vmi, request, nodes);
    try {
      const next = afterGuestRequest(request, vmi, now());
      if (next !== vmi) await client.replace(VIRTUAL_MACHINE_INSTANCES, next);
      onGuestRequest(request, ref);
      return { status: 200 };
    } catch (error) {
      if (isConflict(error) && attempt < ATTEMPTS) continue;
      if (error instanceof ApiError) throw StatusError.internal(error.serverMessage);
      throw error;
    }
  }
}

/** The data of the guest agent; each failure is a 500 in plain text (`httpGetRequestHandler`). */
async function agentInfo(
  { ref }: SubresourceRequest,
  { client, nodes }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  if (vmi === undefined) return failure(StatusError.notFound('virtualmachineinstance', ref.name).message);
  const conflict = (why: string): string => StatusError.conflict('virtualmachineinstance', ref.name, why).message;
  if (vmi.status?.phase !== 'Running') return failure(conflict('VMI is not running'));
  if (!isTrue(vmi.status.conditions, 'AgentConnected')) {
    return failure(conflict('VMI does not have guest agent connected'));
  }
  const why = unreachable('Get', vmi, 'guestosinfo', nodes);
  return why === undefined ? json(guestAgentInfo(vmi)) : failure(why);
}

/** A picture of the screen; each failure is a 500 in plain text (`httpGetRequestBinaryHandler`). */
async function takeScreenshot(
  { ref }: SubresourceRequest,
  { client, nodes, screenshot }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  if (vmi === undefined) return failure(StatusError.notFound('virtualmachineinstance', ref.name).message);
  const why = screenRefusal(vmi)?.message ?? unreachable('Get', vmi, 'vnc/screenshot', nodes);
  return why === undefined ? { status: 200, type: 'image/png', body: screenshot(vmi) } : failure(why);
}

function failure(body: string): SubresourceAnswer {
  return { status: 500, type: 'text/plain; charset=utf-8', body };
}

/** The VM with its instance type applied (`ExpandSpecVMRequestHandler`); unchanged without one. */
async function expandSpec(
  { ref }: SubresourceRequest,
  { client, podBinding }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const vm = await client.find(VIRTUAL_MACHINES, ref);
  if (vm === undefined) throw StatusError.notFound('virtualmachine', ref.name);
  const { instancetype, preference, template, ...spec } = vm.spec;
  if ((instancetype === undefined && preference === undefined) || template === undefined) return json(vm);
  try {
    const { guest, annotations } = await withInstancetype(vm, withImpliedDevices(template.spec, podBinding()), client);
    const metadata = { ...template.metadata, annotations: { ...template.metadata?.annotations, ...annotations } };
    return json({ ...vm, spec: { ...spec, template: { ...template, metadata, spec: guest } } });
  } catch (error) {
    if (error instanceof InstancetypeError) throw StatusError.internal(error.message);
    throw error;
  }
}

function json(body: object): SubresourceAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(body) };
}

/** A conflict is an internal error with the API server's message, as in virt-api with Kubernetes 1.34. */
async function orInternalError(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ApiError) throw StatusError.internal(error.serverMessage);
    throw error;
  }
}

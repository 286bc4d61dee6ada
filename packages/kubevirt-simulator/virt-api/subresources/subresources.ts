import { ApiError, isConflict, PODS, type KubeClient, type ObjectRef, type Pod } from '@groundcrew/controller-runtime';
import type { PodBinding } from '../../defaults/index.ts';
import { CREATED_BY, launcherOf, LAUNCHER_SELECTOR } from '../../launchers/index.ts';
import { assertReachable, type Nodes } from '../../nodes/index.ts';
import {
  MIGRATIONS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachineInstance,
} from '../../kubevirt/objects.ts';
import { StatusError } from '../../kubevirt/status-error.ts';
import type { MediaTypes } from '../media-types.ts';
import { expandSpec } from './expand-spec.ts';
import { afterGuestRequest, assertGuestTakes, takesOptions, type GuestRequest } from './guest-control.ts';
import { agentInfo, screenshot } from './guest-reading.ts';
import { checkBody, LIFECYCLE, type LifecycleChange } from './lifecycle.ts';
import { parseRequestOptions } from './request-options.ts';

export interface SubresourceContext {
  client: KubeClient;
  nodes: Pick<Nodes, 'isReachable'>;
  now: () => number;
  /** Of the interface that a template does not name. */
  podBinding: () => PodBinding;
  /** Told of what a guest was made to do. */
  onGuestRequest: (request: GuestRequest, ref: ObjectRef) => void;
}

export interface SubresourceRequest {
  ref: ObjectRef & { namespace: string };
  body: string;
}

/** An answer that is no refusal; without a body unless it names its type. */
export interface SubresourceAnswer {
  status: number;
  type?: string;
  body?: string | Buffer;
}

/** Carries out one request; throws StatusError for a refusal. */
export type Subresource = (request: SubresourceRequest, context: SubresourceContext) => Promise<SubresourceAnswer>;

/** One route of virt-api (`api.go`); each of its paths has one method. */
export interface SubresourceRoute extends MediaTypes {
  method: 'GET' | 'PUT';
  handle: Subresource;
}

/** By `<resource>/<subresource>`. */
export const SUBRESOURCE_ROUTES: Readonly<Record<string, SubresourceRoute>> = {
  'virtualmachines/start': put((request, context) => lifecycle('start', request, context)),
  'virtualmachines/stop': put((request, context) => lifecycle('stop', request, context)),
  'virtualmachines/restart': put((request, context) => lifecycle('restart', request, context)),
  'virtualmachines/migrate': put(migrate),
  'virtualmachines/expand-spec': { method: 'GET', produces: ['application/json'], handle: expandSpec },
  'virtualmachineinstances/pause': put((request, context) => guest('pause', request, context)),
  'virtualmachineinstances/unpause': put((request, context) => guest('unpause', request, context)),
  'virtualmachineinstances/softreboot': put((request, context) => guest('softreboot', request, context)),
  'virtualmachineinstances/reset': put((request, context) => guest('reset', request, context)),
  'virtualmachineinstances/freeze': put((request, context) => guest('freeze', request, context)),
  'virtualmachineinstances/unfreeze': put((request, context) => guest('unfreeze', request, context)),
  'virtualmachineinstances/guestosinfo': json((request, context) => agentInfo('guestosinfo', request.ref, context)),
  'virtualmachineinstances/userlist': json((request, context) => agentInfo('userlist', request.ref, context)),
  'virtualmachineinstances/filesystemlist': json(({ ref }, context) => agentInfo('filesystemlist', ref, context)),
  'virtualmachineinstances/vnc/screenshot': {
    method: 'GET',
    handle: (request, context) => screenshot(request.ref, context),
  },
  'virtualmachines/addvolume': put(() => noHotplug()),
  'virtualmachines/removevolume': put(() => noHotplug()),
  'virtualmachineinstances/addvolume': put(() => noHotplug()),
  'virtualmachineinstances/removevolume': put(() => noHotplug()),
};

/** Declares no `Produces`, and as `Consumes` nothing or any type. */
function put(handle: Subresource): SubresourceRoute {
  return { method: 'PUT', handle };
}

/** Declares JSON for both. */
function json(handle: Subresource): SubresourceRoute {
  return { method: 'GET', consumes: ['application/json'], produces: ['application/json'], handle };
}

async function lifecycle(
  action: keyof typeof LIFECYCLE,
  { ref, body }: SubresourceRequest,
  { client }: SubresourceContext,
): Promise<SubresourceAnswer> {
  checkBody(action, body);
  const vm = await client.find(VIRTUAL_MACHINES, ref);
  if (vm === undefined) throw StatusError.notFound('virtualmachine', ref.name);
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  const change = LIFECYCLE[action]({ vm, vmi, body });
  await orInternalError(() => write(client, ref, change));
  // The pod is deleted at a dry run too.
  if (change.deletePod === true && vmi !== undefined) {
    await orInternalError(() => deletePod(client, vmi));
  }
  return { status: 202 };
}

async function write(client: KubeClient, ref: ObjectRef, change: LifecycleChange): Promise<void> {
  const { subresource, patch } = change.virtualMachine;
  if (change.instance !== undefined) {
    const dryRun = parseDryRun('PatchOptions', change.dryRun);
    await client.patch(VIRTUAL_MACHINE_INSTANCES, ref, 'json', change.instance, { dryRun });
  }
  if (change.refusal !== undefined) throw change.refusal;
  const dryRun = parseDryRun('PatchOptions', change.dryRun);
  const options = subresource === undefined ? { dryRun } : { dryRun, subresource };
  await client.patch(VIRTUAL_MACHINES, ref, 'json', patch, options);
}

/**
 * Whether a write is a dry run. virt-api passes the values on, and wraps the API server's refusal.
 *
 * @throws StatusError 500 for values that the API server does not know.
 */
function parseDryRun(kind: 'PatchOptions' | 'CreateOptions', values: readonly string[]): boolean {
  if (values.every((value) => value === 'All')) return values.length > 0;
  const unsupported = `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`;
  throw StatusError.internal(`${kind}.meta.k8s.io "" is invalid: dryRun: ${unsupported}`);
}

/** As KubeVirt up to 1.8 forces a restart (`findPod`); from 1.9 on it shortens the instance's own grace. */
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
  const { dryRun } = parseRequestOptions('MigrateOptions', body);
  if ((await client.find(VIRTUAL_MACHINES, ref)) === undefined) throw StatusError.notFound('virtualmachine', ref.name);
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  if (vmi === undefined) throw StatusError.notFound('virtualmachineinstance', ref.name);
  if (vmi.status?.phase !== 'Running') throw StatusError.conflict('virtualmachine', ref.name, 'VM is not running');
  const metadata = { generateName: 'kubevirt-migrate-vm-', namespace: ref.namespace };
  const migration = { apiVersion: 'kubevirt.io/v1', kind: MIGRATIONS.kind, metadata, spec: { vmiName: ref.name } };
  const options = { dryRun: parseDryRun('CreateOptions', dryRun) };
  await orInternalError(() => client.create(MIGRATIONS, migration, options));
  return { status: 202 };
}

/** Attempts to write the instance while others write it too. */
const ATTEMPTS = 10;

async function guest(
  request: GuestRequest,
  { ref, body }: SubresourceRequest,
  { client, nodes, now, onGuestRequest }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const struct = request === 'pause' ? 'PauseOptions' : 'UnpauseOptions';
  // Only the first value counts, and one that is not known is no dry run.
  const dryRun = takesOptions(request) && parseRequestOptions(struct, body).dryRun[0] === 'All';
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

/** KubeVirt 1.8 with both feature gates as they are by default: off. */
function noHotplug(): Promise<never> {
  const why = 'Enable DeclarativeHotplugVolumes or HotplugVolumes feature gate to use this API.';
  return Promise.reject(StatusError.badRequest(why));
}

/** A lost race reads as an internal error with the API server's words, as it does from virt-api beside 1.34. */
async function orInternalError(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ApiError) throw StatusError.internal(error.serverMessage);
    throw error;
  }
}

import { isDeepStrictEqual } from 'node:util';
import type { KubeClient, Status } from '@groundcrew/controller-runtime';
import { DECLARATIVE_HOTPLUG, type FeatureGates } from '../hotplug/index.ts';
import { hasCompleted } from '../instances/migration-decision.ts';
import { conditionOf } from '../kubevirt/conditions.ts';
import { DEFAULT_ARCHITECTURE, firmwareFor, type RandomBytes } from '../kubevirt/defaults.ts';
import {
  isFinal,
  MIGRATED_INSTANCE,
  MIGRATION_FINALIZER,
  MIGRATIONS,
  VIRTUAL_MACHINE_INSTANCES,
  type Migration,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';
import { faultInNewInstance, faultInVirtualMachine } from './validation.ts';

/** admission.k8s.io/v1 AdmissionReview, the part that is read. */
export interface AdmissionReview {
  apiVersion: string;
  kind: string;
  request: AdmissionRequest;
}

export interface AdmissionRequest {
  uid: string;
  operation: string;
  object?: unknown;
  oldObject?: unknown;
  options?: { fieldManager?: string } | null;
}

export interface AdmissionResponse {
  allowed: boolean;
  status?: Omit<Status, 'kind' | 'apiVersion'>;
  /** Base64 of a JSON patch. */
  patch?: string;
  patchType?: 'JSONPatch';
}

export interface AdmissionContext {
  client: KubeClient;
  random: RandomBytes;
  gates: Pick<FeatureGates, 'isOpen'>;
  /** Field manager of the simulator; only it can change the spec of an instance. */
  fieldManager: string;
}

/** Answers one review. The API server has checked the object's shape against the CRD before it asks. */
export type Webhook = (
  request: AdmissionRequest,
  context: AdmissionContext,
) => AdmissionResponse | Promise<AdmissionResponse>;

/** KubeVirt's webhooks by path. */
export const WEBHOOKS: Readonly<Record<string, Webhook>> = {
  '/virtualmachines-mutate': (request, { random }) => {
    const vm = request.object as VirtualMachine;
    const { template } = vm.spec;
    if (template === undefined || vm.metadata.deletionTimestamp !== undefined) return { allowed: true };
    const patch = [];
    if (template.spec.architecture === undefined) {
      patch.push({ op: 'add', path: '/spec/template/spec/architecture', value: DEFAULT_ARCHITECTURE });
    }
    const firmware = request.operation === 'CREATE' ? firmwareFor(vm, random) : undefined;
    if (firmware !== undefined) patch.push({ op: 'add', path: '/spec/template/spec/domain/firmware', value: firmware });
    if (patch.length === 0) return { allowed: true };
    return {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
  },

  '/virtualmachines-validate': (request, { gates }) => {
    const vm = request.object as VirtualMachine;
    // Finalizers of a deleted VM must be removable.
    if (vm.metadata.deletionTimestamp !== undefined) return { allowed: true };
    return answer(faultInVirtualMachine(vm.spec, gates.isOpen(DECLARATIVE_HOTPLUG)));
  },

  '/virtualmachineinstances-validate-create': (request, { gates }) => {
    const { spec } = request.object as VirtualMachineInstance;
    return answer(faultInNewInstance(spec, gates.isOpen(DECLARATIVE_HOTPLUG)));
  },

  '/virtualmachineinstances-validate-update': (request, { fieldManager }) => {
    const next = request.object as VirtualMachineInstance;
    const old = request.oldObject as VirtualMachineInstance;
    if (isDeepStrictEqual(next.spec, old.spec) || request.options?.fieldManager === fieldManager) {
      return { allowed: true };
    }
    return answer('update of VMI object is restricted');
  },

  '/migration-mutate-create': (request) => {
    const { metadata, spec } = request.object as Migration;
    const labels = { ...metadata.labels, [MIGRATED_INSTANCE]: spec.vmiName };
    const finalizers = [...(metadata.finalizers ?? []), MIGRATION_FINALIZER];
    const patch = [
      { op: 'add', path: '/metadata/labels', value: labels },
      { op: 'add', path: '/metadata/finalizers', value: finalizers },
    ];
    return {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
  },

  '/migration-validate-create': async (request, { client }) => {
    const { metadata, spec } = request.object as Migration;
    const { namespace = '' } = metadata;
    const name = spec.vmiName;
    const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, { namespace, name });
    if (vmi === undefined) return refused(`the VMI "${namespace}/${name}" does not exist`);
    if (isFinal(vmi)) return refused('Cannot migrate VMI in finalized state.');
    const migratable = conditionOf(vmi.status?.conditions, 'LiveMigratable');
    if (migratable?.status === 'False') {
      const { reason = '', message = '' } = migratable;
      return refused(`Cannot migrate VMI, Reason: ${reason}, Message: ${message}`);
    }
    const { items } = await client.list(MIGRATIONS, { namespace, labelSelector: `${MIGRATED_INSTANCE} in (${name})` });
    const active = items.find((migration) => !hasCompleted(migration));
    if (active === undefined) return { allowed: true };
    const uid = active.metadata.uid ?? '';
    return refused(
      `in-flight migration detected. Active migration job (${uid}) is currently already in progress for VMI ${name}.`,
    );
  },

  '/migration-validate-update': (request) => {
    const [next, old] = [request.object as Migration, request.oldObject as Migration];
    return answer(
      isDeepStrictEqual(next.spec, old.spec) ? undefined : "update of Migration object's spec is restricted",
    );
  },
};

function answer(fault: string | undefined): AdmissionResponse {
  if (fault === undefined) return { allowed: true };
  return { allowed: false, status: { message: fault, reason: 'Invalid', code: 422 } };
}

function refused(message: string): AdmissionResponse {
  return { allowed: false, status: { message, code: 400 } };
}

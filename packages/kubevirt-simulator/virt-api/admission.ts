import { isDeepStrictEqual } from 'node:util';
import type { KubeClient, Status } from '@groundcrew/controller-runtime';
import { DEFAULT_ARCHITECTURE, firmwareFor, type RandomBytes } from '../defaults/index.ts';
import { DECLARATIVE_HOTPLUG, validateDrives, validateTemplates, type FeatureGates } from '../hotplug/index.ts';
import { MIGRATION_WEBHOOKS } from '../migration/index.ts';
import type { VirtualMachine, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { validateInstance, validateVirtualMachine, type Cause } from './validation.ts';

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
  /** Field manager of the stand-in's own writes; it alone may change an instance's spec. */
  fieldManager: string;
}

/** Answers one review. The API server has checked the object's shape against the CRD before it asks. */
export type Webhook = (
  request: AdmissionRequest,
  context: AdmissionContext,
) => AdmissionResponse | Promise<AdmissionResponse>;

/** KubeVirt's webhooks by path; the paths and what they refuse are its own. */
export const WEBHOOKS: Readonly<Record<string, Webhook>> = {
  ...MIGRATION_WEBHOOKS,

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
    // What is on its way out is left alone, so that its finalizers can be taken off.
    if (vm.metadata.deletionTimestamp !== undefined) return { allowed: true };
    const template = vm.spec.template?.spec;
    const mayBeEmpty = gates.isOpen(DECLARATIVE_HOTPLUG);
    const drives = template === undefined ? [] : validateDrives('spec.template.spec', template, mayBeEmpty);
    return answer([...drives, ...validateTemplates(vm.spec), ...validateVirtualMachine(vm.spec)]);
  },

  '/virtualmachineinstances-validate-create': (request, { gates }) => {
    const { spec } = request.object as VirtualMachineInstance;
    const drives = validateDrives('spec', spec, gates.isOpen(DECLARATIVE_HOTPLUG));
    return answer([...drives, ...validateInstance('spec', spec)]);
  },

  '/virtualmachineinstances-validate-update': (request, { fieldManager }) => {
    const next = request.object as VirtualMachineInstance;
    const old = request.oldObject as VirtualMachineInstance;
    if (isDeepStrictEqual(next.spec, old.spec) || request.options?.fieldManager === fieldManager) {
      return { allowed: true };
    }
    return answer([{ reason: 'FieldValueNotSupported', message: 'update of VMI object is restricted' }]);
  },
};

/** The most causes that KubeVirt names in one refusal. */
const MAX_CAUSES = 10;

function answer(causes: readonly Cause[]): AdmissionResponse {
  if (causes.length === 0) return { allowed: true };
  const named = causes.slice(0, MAX_CAUSES);
  const more = causes.length - named.length;
  const message = named.map((cause) => cause.message).join(', ');
  return {
    allowed: false,
    status: {
      message: more > 0 ? `${message}, and ${more} more validation errors` : message,
      reason: 'Invalid',
      code: 422,
      details: { causes: named },
    },
  };
}

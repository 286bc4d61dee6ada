import { RUN_STRATEGIES, type InstanceSpec, type VirtualMachineSpec } from '../kubevirt/objects.ts';

/** One thing wrong with an object (metav1.StatusCause). */
export interface Cause {
  reason: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueDuplicate' | 'FieldValueNotSupported';
  message: string;
  field?: string;
}

/** What KubeVirt's validating webhook refuses in a VM, in its words (`vms-admitter.go`), as far as the stand-in goes. */
export function validateVirtualMachine(spec: VirtualMachineSpec): Cause[] {
  if (spec.template === undefined) {
    const message = 'missing virtual machine template.';
    return [{ reason: 'FieldValueRequired', message, field: 'spec.template' }];
  }
  return [...validateInstance('spec.template.spec', spec.template.spec), ...validateRunStrategy(spec)];
}

function validateRunStrategy({ running, runStrategy }: VirtualMachineSpec): Cause[] {
  const causes: Cause[] = [];
  if (running !== undefined && runStrategy !== undefined) {
    const hint = 'Note that Running is deprecated, please use RunStrategy instead';
    causes.push(invalid('spec.running', `Running and RunStrategy are mutually exclusive. ${hint}`));
  }
  if (running === undefined && runStrategy === undefined) {
    causes.push(invalid('spec.running', 'RunStrategy must be specified'));
  }
  if (runStrategy === undefined || RUN_STRATEGIES.some((known) => known === runStrategy)) return causes;
  const gate = ', DecentralizedLiveMigration feature gate is not enabled in kubevirt resource';
  const why = runStrategy === 'WaitAsReceiver' ? gate : '';
  return [...causes, invalid('spec.runStrategy', `Invalid RunStrategy (${runStrategy})${why}`)];
}

/** What it refuses in an instance's spec, found at `path`: boot orders, and firmware that cannot be. */
export function validateInstance(path: string, spec: InstanceSpec): Cause[] {
  const causes: Cause[] = [];
  const taken = new Set<number>();
  const { disks = [], interfaces = [] } = spec.domain.devices ?? {};
  const devices = [...indexed('disks', disks), ...indexed('interfaces', interfaces)];
  for (const { kind, index, order } of devices) {
    if (order === undefined) continue;
    const field = `${path}.domain.devices.${kind}[${index}].bootOrder`;
    if (order < 1) {
      // KubeVirt leaves the device's path out of this message for interfaces.
      const place = kind === 'interfaces' ? `${path}[${index}]` : `${path}.domain.devices.disks[${index}]`;
      causes.push(invalid(`${place}.bootOrder`, `${place} must have a boot order > 0, if supplied`));
    } else if (taken.has(order)) {
      causes.push(invalid(field, `Boot order for ${field} already set for a different device.`));
    }
    taken.add(order);
  }
  return [...causes, ...validateStart(path, spec), ...validateFirmware(`${path}.domain`, spec.domain)];
}

/** What has a liveness probe cannot be paused (`validateStartStrategy`). */
function validateStart(path: string, { startStrategy, livenessProbe }: InstanceSpec): Cause[] {
  if (startStrategy === undefined) return [];
  const field = `${path}.startStrategy`;
  if (startStrategy !== 'Paused') {
    return [invalid(field, `${field} is set with an unrecognized option: ${startStrategy}`)];
  }
  if (livenessProbe === undefined) return [];
  const why = 'Pausing VMI with LivenessProbe is not supported';
  return [invalid(field, `either ${field} or ${path}.livenessProbe should be provided.${why}`)];
}

/** Secure boot, which EFI has unless told otherwise, needs system management mode. */
function validateFirmware(path: string, { firmware, features }: InstanceSpec['domain']): Cause[] {
  const { bios, efi } = firmware?.bootloader ?? {};
  if (efi === undefined) return [];
  const causes: Cause[] = [];
  if (bios !== undefined) {
    const field = `${path}.firmware.bootloader`;
    causes.push(invalid(field, `${field} has both EFI and BIOS configured, but they are mutually exclusive.`));
  }
  const hasSmm = features?.smm !== undefined && features.smm.enabled !== false;
  if (efi.secureBoot !== false && !hasSmm) {
    const why = 'SecureBoot requires SMM, which is currently disabled.';
    causes.push(invalid(path, `${path} has EFI SecureBoot enabled. ${why}`));
  }
  return causes;
}

function indexed(
  kind: 'disks' | 'interfaces',
  devices: readonly { bootOrder?: number }[],
): { kind: string; index: number; order: number | undefined }[] {
  return devices.map(({ bootOrder }, index) => ({ kind, index, order: bootOrder }));
}

function invalid(field: string, message: string): Cause {
  return { reason: 'FieldValueInvalid', message, field };
}

import {
  certificateSecretName,
  credentialsSecretName,
  eventLogName,
  MEDIA_SLOTS,
  mediaSecretName,
  mediaVolumeNames,
  stateSecretName,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import type { ObjectRef } from '@groundcrew/controller-runtime';

/** The names of the objects that the agent of a BMC uses, by which its permissions are limited. */
export interface ObjectNames {
  vm: string;
  bmc: string;
  /** The Secret with its credentials. */
  credentials: string;
  /** Whether the manager makes that Secret; a Secret that the user named is only read. */
  isGenerated: boolean;
  certificate: string;
  /** Empty if the user has named that Secret. */
  state: string[];
  log: string;
  images: string[];
  logins: string[];
  caBundles: string[];
}

export function objectNames({ metadata: { name }, spec }: VirtualMachineBMC): ObjectNames {
  const named = spec.authSecretRef?.name;
  const { virtualMedia, events } = spec.redfish ?? {};
  const caBundles = [virtualMedia, events].flatMap((part) => part?.tls?.caBundleConfigMapRef?.name ?? []);
  return {
    vm: spec.virtualMachineRef.name,
    bmc: name,
    credentials: named ?? credentialsSecretName(name),
    isGenerated: named === undefined,
    certificate: certificateSecretName(name),
    state: [stateSecretName(name)].filter((each) => each !== named),
    log: eventLogName(name),
    images: MEDIA_SLOTS.flatMap((slot) => mediaVolumeNames(name, slot)),
    logins: MEDIA_SLOTS.map((slot) => mediaSecretName(name, slot)).filter((each) => each !== named),
    caBundles: [...new Set(caBundles)],
  };
}

/** The Secret with the credentials: named in the spec, else generated. */
export function credentialsOf(bmc: VirtualMachineBMC): Required<ObjectRef> {
  return { namespace: bmc.metadata.namespace ?? '', name: objectNames(bmc).credentials };
}

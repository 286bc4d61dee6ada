import {
  ANNOTATIONS,
  HTTP_BOOT_ANNOTATION,
  type Domain,
  type IPLease,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../api/index.ts';
import { identityOf } from '@groundcrew/controller-runtime';

/**
 * A VirtualMachine with only the fields that the manager needs: the rest of 20,000 VMs would take hundreds of megabytes.
 * Kept are interfaces, boot order, networks, run strategy, annotations for a BMC, addresses and boot, and whether it runs.
 */
export function trimmedVirtualMachine({ apiVersion, kind, metadata, spec, status }: VirtualMachine): VirtualMachine {
  const { runStrategy, running, template } = spec;
  const { networks, domain } = template.spec;
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, annotations: trimmedAnnotations(metadata.annotations) },
    spec: {
      ...(runStrategy === undefined ? {} : { runStrategy }),
      ...(running === undefined ? {} : { running }),
      template: {
        ...httpBoot(template.metadata),
        spec: {
          domain: trimmedDomain(domain),
          ...(networks === undefined ? {} : { networks }),
        },
      },
    },
    ...(status === undefined ? {} : { status: status.created === undefined ? {} : { created: status.created } }),
  };
}

/** A VirtualMachineInstance with only its identity, interfaces, boot settings and phase. */
export function trimmedInstance({
  apiVersion,
  kind,
  metadata,
  spec,
  status,
}: VirtualMachineInstance): VirtualMachineInstance {
  const { ownerReferences, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...identityOf(metadata),
      ...httpBoot(metadata).metadata,
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: {
      domain: trimmedDomain(spec.domain),
      ...(spec.networks === undefined ? {} : { networks: spec.networks }),
    },
    ...(status === undefined
      ? {}
      : {
          status: {
            ...(status.phase === undefined ? {} : { phase: status.phase }),
            ...(status.interfaces === undefined ? {} : { interfaces: status.interfaces }),
          },
        }),
  };
}

/** An IPLease without its owner, which is the pool in its label. Leases are not packed: counts read all of a pool. */
export function trimmedLease(lease: IPLease): IPLease {
  const { ownerReferences: _, ...metadata } = lease.metadata;
  return { ...lease, metadata };
}

function trimmedDomain({ devices: { interfaces = [], disks = [] } }: Domain): Domain {
  const ordered = disks.flatMap(({ name, bootOrder }) => (bootOrder === undefined ? [] : [{ name, bootOrder }]));
  return { devices: { interfaces, ...(ordered.length === 0 ? {} : { disks: ordered }) } };
}

/** Most VMs have none. */
function httpBoot(metadata: VirtualMachine['spec']['template']['metadata']): {
  metadata?: { annotations: Record<string, string> };
} {
  const note = metadata?.annotations?.[HTTP_BOOT_ANNOTATION];
  return note === undefined ? {} : { metadata: { annotations: { [HTTP_BOOT_ANNOTATION]: note } } };
}

function trimmedAnnotations(annotations: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => KEPT.has(name) || name.startsWith(ANNOTATIONS.staticIpPrefix)),
  );
}

const KEPT: ReadonlySet<string> = new Set([ANNOTATIONS.harvesterMac, ANNOTATIONS.bmcEnabled]);

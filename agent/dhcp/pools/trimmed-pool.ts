import type { IPPool } from '../../../api/index.ts';

/** A pool without what agents do not read: its view of leases changes with each of them, and may have thousands. */
export function trimmedPool({ apiVersion, kind, metadata, spec, status }: IPPool): IPPool {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { agent: _, ipv4Config, ...rest } = spec;
  const { ntpServers, available } = status?.ipv4 ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { ...rest, ...(ipv4Config === undefined ? {} : { ipv4Config: withoutReservations(ipv4Config) }) },
    status: {
      ipv4: {
        ...(ntpServers === undefined ? {} : { ntpServers }),
        ...(available === undefined ? {} : { available }),
      },
    },
  };
}

type Ipv4Config = NonNullable<IPPool['spec']['ipv4Config']>;

function withoutReservations({ reservations: _, ...rest }: Ipv4Config): Ipv4Config {
  return rest;
}

import type { EventRecorder, Logger } from '@groundcrew/controller-runtime';
import { formatIpv4 } from '../../api/index.ts';
import type { DhcpObserver, Lease } from '../../protocols/dhcp/index.ts';
import type { AddressConflicts } from './conflicts/address-conflicts.ts';
import type { RogueServers } from './conflicts/rogue-servers.ts';
import type { DhcpMetrics } from './dhcp-metrics.ts';
import { macText } from './mac-number.ts';
import type { SampledLog } from './reports.ts';
import type { Happening } from './status/observation.ts';
import type { LeaseStatusWriter } from './status/lease-status-writer.ts';
import type { LeaseTable } from './store/lease-table.ts';
import type { PoolTable } from './pools/pool-table.ts';

export interface ObservedParts {
  leases: LeaseTable;
  pools: PoolTable;
  status: LeaseStatusWriter;
  conflicts: AddressConflicts;
  rogues: RogueServers;
  metrics: DhcpMetrics;
  events: EventRecorder;
  sampled: SampledLog;
  logger: Logger;
}

/** Connects the server's events to lease status, metrics, Kubernetes Events and logs. */
export function observeDhcp(parts: ObservedParts): DhcpObserver {
  const { leases, pools, status, conflicts, rogues, metrics, events, sampled, logger } = parts;
  const note = (lease: Lease, happening: Happening): void => {
    const record = leases.recordOf(lease);
    if (record !== undefined) status.note(record, happening);
  };
  return {
    handled(type, outcome) {
      metrics.handled(type, outcome);
    },
    acknowledged(lease, _, inputs) {
      note(lease, { is: 'acknowledged', leaseTime: lease.settings.leaseTime, inputs });
    },
    seen(lease) {
      note(lease, { is: 'seen' });
    },
    released(lease) {
      note(lease, { is: 'released' });
      const record = leases.recordOf(lease);
      if (record === undefined) return;
      const message = `${macText(lease.macAddress)} released ${formatIpv4(lease.ipAddress)}; the address stays reserved for it`;
      events.event(record.object, 'Normal', 'AddressReleased', message);
    },
    declined(lease) {
      const record = leases.recordOf(lease);
      if (record !== undefined) conflicts.declined(record, lease);
    },
    refused(lease, asked) {
      sampled.line('refused', (held) => {
        const fields = { mac: macText(lease.macAddress), lease: formatIpv4(lease.ipAddress), held };
        logger.info(asked === undefined ? fields : { ...fields, asked: formatIpv4(asked) }, 'refused an address');
      });
    },
    otherServer(lease, server, now) {
      metrics.otherServer();
      const record = leases.recordOf(lease);
      const pool = record === undefined ? undefined : pools.pools.get(record.pool);
      if (pool !== undefined) rogues.met(pool, lease, server, now);
    },
    bootConsumed(lease) {
      if (lease.boot?.uid !== undefined) note(lease, { is: 'boot consumed', uid: lease.boot.uid });
      leases.consumeBoot(lease);
    },
    dropped(outcome, macAddress, detail) {
      sampled.line(outcome, (held) => {
        const client = macAddress === undefined ? {} : { mac: macText(macAddress) };
        logger.info({ outcome, ...client, detail, held }, 'dropped a datagram');
      });
    },
    failed(error, activity) {
      metrics.failed();
      sampled.line('failed', (held) => {
        logger.error({ err: error, activity, held }, 'the DHCP server failed to handle a packet');
      });
    },
  };
}

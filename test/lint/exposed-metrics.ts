import { BmcMetrics } from '../../agent/bmc/index.ts';
import { DhcpMetrics } from '../../agent/dhcp/dhcp-metrics.ts';
import { processMetrics } from '../../agent/process/index.ts';

/** `/metrics` of a BMC agent that has counted something in each metric. */
export function exposedByBmcAgent(): string {
  const metrics = new BmcMetrics(() => ({
    sessions: { ipmi: 1, redfish: 1 },
    bmcs: { served: 1, failing: 0 },
    certificateExpires: 1,
  }));
  metrics.answered('ipmi', 'Get Device ID', 0);
  metrics.dropped('Malformed');
  metrics.called('start', '202', 0.1);
  return processMetrics({ component: 'bmc-agent', version: '1.2.3' }, () => metrics.families())
    .parts()
    .join('');
}

/** Likewise of a DHCP agent. */
export function exposedByDhcpAgent(): string {
  const metrics = new DhcpMetrics(() => ({
    leases: new Map([['vms/lan', 3]]),
    available: new Map([['vms/lan', 7]]),
    cacheAge: 0,
    isFresh: true,
    snapshotAge: 0,
    backlog: 0,
  }));
  metrics.handled('Discover', 'Offer');
  return processMetrics({ component: 'dhcp-agent', version: '1.2.3' }, () => metrics.families())
    .parts()
    .join('');
}

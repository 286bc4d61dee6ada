import { describe, expect, it } from 'vitest';
import { type DhcpGauges, DhcpMetrics } from './dhcp-metrics.ts';
import { exposition } from '../process/index.ts';

const GAUGES: DhcpGauges = {
  leases: new Map([['default/prod', 3]]),
  available: new Map([['default/prod', 188]]),
  cacheAge: 1500,
  isFresh: true,
  snapshotAge: undefined,
  backlog: 2,
};

function lines(metrics: DhcpMetrics): string[] {
  return exposition(metrics.families())
    .split('\n')
    .filter((line) => !line.startsWith('#') && line !== '');
}

describe('the metrics', () => {
  it('count packets by type and outcome', () => {
    const metrics = new DhcpMetrics(() => GAUGES);
    for (let times = 0; times < 3; times += 1) metrics.handled('Request', 'Ack');
    metrics.handled('Discover', 'UnknownClient');
    expect(lines(metrics)).toEqual(
      expect.arrayContaining([
        'groundcrew_dhcp_packets_total{type="Request",outcome="Ack"} 3',
        'groundcrew_dhcp_packets_total{type="Discover",outcome="UnknownClient"} 1',
      ]),
    );
  });

  it('count times in cumulative buckets', () => {
    const metrics = new DhcpMetrics(() => GAUGES);
    for (const milliseconds of [0.02, 0.04, 0.04, 3, 70]) metrics.took(milliseconds);
    const buckets = lines(metrics).filter((line) => line.startsWith('groundcrew_dhcp_handling'));
    expect(buckets.map((line) => line.replace('groundcrew_dhcp_handling_seconds', ''))).toEqual([
      '_bucket{le="0.000025"} 1',
      '_bucket{le="0.00005"} 3',
      '_bucket{le="0.0001"} 3',
      '_bucket{le="0.00025"} 3',
      '_bucket{le="0.0005"} 3',
      '_bucket{le="0.001"} 3',
      '_bucket{le="0.0025"} 3',
      '_bucket{le="0.005"} 4',
      '_bucket{le="0.01"} 4',
      '_bucket{le="0.05"} 4',
      '_bucket{le="+Inf"} 5',
      expect.stringMatching(/^_sum 0\.0731/),
      '_count 5',
    ]);
  });

  it('contain the state of the agent', () => {
    const metrics = new DhcpMetrics(() => GAUGES);
    metrics.otherServer();
    expect(lines(metrics)).toEqual(
      expect.arrayContaining([
        'groundcrew_dhcp_other_server_total 1',
        'groundcrew_dhcp_leases{pool="default/prod"} 3',
        'groundcrew_dhcp_pool_available_addresses{pool="default/prod"} 188',
        'groundcrew_dhcp_cache_age_seconds 1.5',
        'groundcrew_dhcp_cache_fresh 1',
        'groundcrew_dhcp_snapshot_age_seconds NaN',
        'groundcrew_dhcp_status_backlog 2',
      ]),
    );
  });
});

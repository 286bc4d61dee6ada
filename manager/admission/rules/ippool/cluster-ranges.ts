import { overlap, parseIpv4Cidr } from '../../../../api/index.ts';
import { CONFIG, type ClusterRange, type PoolRule } from './inputs.ts';

/** Warns about a pool that overlaps addresses of the cluster: agents or VMs could not reach the cluster there. */
export const clusterRanges: PoolRule = ({ spec }, _old, inputs) => {
  const text = spec.ipv4Config?.cidr ?? '';
  const cidr = parseIpv4Cidr(text);
  if (cidr === undefined) return {};
  return {
    warnings: inputs.clusterRanges
      .filter((range) => overlap(range, cidr) && !inputs.clusterRanges.some((other) => covers(other, range)))
      .map((range) => `${CONFIG}.cidr: ${text} overlaps ${range.text}, which the cluster uses itself`),
  };
};

/** Whether a wider range includes this one. */
function covers(wider: ClusterRange, { first, last, prefix }: ClusterRange): boolean {
  return wider.prefix < prefix && wider.first <= first && last <= wider.last;
}

import { addressSpaceOf, isExcluded, isReserved, type AddressSpace, type Ipv4Range } from '../../../../api/index.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** The range must have at least one address that can be leased. */
export const room: PoolRule = ({ spec }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined || countOf(space) > 0) return {};
  const { start, end } = spec.ipv4Config?.pool ?? {};
  return {
    warnings: [
      `${CONFIG}.pool: nothing is left to lease from ${start ?? ''} to ${end ?? ''} without servers, router and excluded addresses`,
    ],
  };
};

function countOf(space: AddressSpace): number {
  const { cidr, range, excluded, servers, router } = space;
  const own = [cidr.first, cidr.last, ...servers, ...(router === undefined ? [] : [router])];
  const reserved = [...new Set(own)].filter(
    (address) =>
      address >= range.first && address <= range.last && isReserved(space, address) && !isExcluded(space, address),
  );
  return range.last - range.first + 1 - covered(range, excluded) - reserved.length;
}

/** Number of addresses of the range that are in any of the other ranges. */
function covered({ first, last }: Ipv4Range, ranges: readonly Ipv4Range[]): number {
  let count = 0;
  let next = first;
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const from = Math.max(range.first, next);
    const to = Math.min(range.last, last);
    if (to < from) continue;
    count += to - from + 1;
    next = to + 1;
  }
  return count;
}

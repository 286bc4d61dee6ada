import { addressSpaceOf, standingOf, type IPPool } from '../../../../api/index.ts';
import { invalid } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** No other pool of the network may lease the same addresses or use them for its servers. */
export const rivals: PoolRule = (pool, _old, { others }) => {
  const { start, end } = pool.spec.ipv4Config?.pool ?? {};
  // Treat this pool as the youngest, so that it conflicts with every existing pool.
  const youngest = { ...pool, metadata: { ...pool.metadata, creationTimestamp: '9999', uid: '' } };
  const standing = standingOf(youngest, others);
  if (!standing.holds && standing.rival !== undefined)
    return { errors: [invalid(`${CONFIG}.pool`, `${start ?? ''}-${end ?? ''}`, `overlaps ${nameOf(standing.rival)}`)] };
  return serversInRanges(pool, others);
};

function serversInRanges(pool: IPPool, others: readonly IPPool[]) {
  const { space } = addressSpaceOf(pool.spec);
  if (space === undefined) return {};
  const servers = pool.spec.ipv4Config?.serverIPs ?? [pool.spec.ipv4Config?.serverIP ?? ''];
  const errors = others.flatMap((other) => {
    const { space: theirs } = addressSpaceOf(other.spec);
    if (theirs === undefined) return [];
    return space.servers.flatMap((server, index) => {
      const isLeasedThere =
        server >= theirs.range.first &&
        server <= theirs.range.last &&
        !theirs.servers.includes(server) &&
        !theirs.excluded.some(({ first, last }) => server >= first && server <= last) &&
        server !== theirs.router;
      if (!isLeasedThere) return [];
      const field = index === 0 ? 'serverIP' : `serverIPs[${index}]`;
      return [invalid(`${CONFIG}.${field}`, servers[index], `may be leased by ${nameOf(other)}: exclude it there`)];
    });
  });
  return { errors };
}

function nameOf({ metadata, spec }: IPPool): string {
  const { start = '', end = '' } = spec.ipv4Config?.pool ?? {};
  return `IPPool ${metadata.namespace ?? ''}/${metadata.name} (${start}-${end}) of the same network`;
}

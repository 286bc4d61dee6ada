import type { Overview } from './overview.ts';

/** Says how many BMCs and pools are being made, for a status without problems: `2 objects are not ready yet.`. Empty if all are ready or paused. */
export function unready({ bmcs, pools }: Pick<Overview, 'bmcs' | 'pools'>): string {
  const { length } = [...bmcs, ...pools].filter(({ phase }) => phase !== 'Ready' && phase !== 'Paused');
  if (length === 0) return '';
  return length === 1 ? '1 object is not ready yet.' : `${length} objects are not ready yet.`;
}

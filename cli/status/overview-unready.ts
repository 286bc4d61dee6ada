import type { Overview } from './overview.ts';

/** What a status without problems says of BMCs and pools that are being made, such as `2 objects are not ready yet.`; '' if there are none. */
export function unready({ bmcs, pools }: Pick<Overview, 'bmcs' | 'pools'>): string {
  const { length } = [...bmcs, ...pools].filter(({ phase }) => phase !== 'Ready' && phase !== 'Paused');
  if (length === 0) return '';
  return length === 1 ? '1 object is not ready yet.' : `${length} objects are not ready yet.`;
}

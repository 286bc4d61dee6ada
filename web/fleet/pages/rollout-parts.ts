import type { RolloutStatus } from '../../../cli/status/overview.ts';
import type { Part } from '../parts/usage-bar.tsx';

/** The agents by how far the roll-out is with them. Parts that are rare are left out if they are 0. */
export function rolloutParts({ total, updated, failing, held }: RolloutStatus): Part[] {
  const parts: Part[] = [
    { name: 'up to date', count: Math.max(0, updated - failing), look: 'good' },
    { name: 'failing', count: failing, look: 'bad' },
    { name: 'held', count: held, look: 'warn' },
    { name: 'to update', count: Math.max(0, total - updated - held), look: 'free' },
  ];
  return parts.filter(({ name, count }) => count > 0 || name === 'up to date');
}

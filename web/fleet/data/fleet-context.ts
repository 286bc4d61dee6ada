import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { Overview } from '../../../cli/status/overview.ts';
import { troublesIn, type Troubles } from './troubles.ts';

/** What the pages show. */
export interface Shown {
  readonly overview: Overview;
  readonly troubles: Troubles;
}

/** Undefined outside of the pages. */
const FleetContext = createContext<Shown | undefined>(undefined);

export const FleetProvider = FleetContext.Provider;

export function useShown(overview: Overview | undefined): Shown | undefined {
  const troubles = useMemo(() => overview && troublesIn(overview), [overview?.problems]);
  return useMemo(() => overview && troubles && { overview, troubles }, [overview, troubles]);
}

/** @throws Error outside of the pages */
export function useFleet(): Shown {
  const shown = useContext(FleetContext);
  if (shown === undefined) throw new Error('useFleet() outside of a FleetProvider');
  return shown;
}

import type { AgentRolloutStatus } from '../../api/index.ts';
import type { FleetSettings, Revision } from './gate.ts';

/** The name of the revision that these settings are with this manager: another version may make other Deployments of them. */
export type NameRevision = (settings: FleetSettings) => string;

type Stored = NonNullable<AgentRolloutStatus['revisions']>[number];

/** As many as the schema allows. */
const LIMIT = 16;

/** The stored revisions by name. */
export function readRevisions(stored: readonly Stored[] = [], current: FleetSettings): Map<string, FleetSettings> {
  return new Map(
    stored.flatMap(({ name, settings }): [string, FleetSettings][] => {
      const parsed = parse(settings);
      if (parsed === undefined) return [];
      // What images resources may name is a matter of the present.
      const { bmc, dhcp } = parsed;
      const allowed = ({ allowedImages }: FleetSettings['bmc']) =>
        allowedImages === undefined ? {} : { allowedImages };
      return [[name, { bmc: { ...bmc, ...allowed(current.bmc) }, dhcp: { ...dhcp, ...allowed(current.dhcp) } }]];
    }),
  );
}

/** The revisions as stored, sorted by name; `needed` first if there are too many. */
export function writeRevisions(revisions: readonly Revision[]): Stored[] {
  return revisions
    .filter(({ name }, at) => revisions.findIndex((other) => other.name === name) === at)
    .slice(0, LIMIT)
    .map(({ name, settings: { bmc, dhcp } }) => {
      const [forBmc, forDhcp] = [bmc, dhcp].map(({ allowedImages: _, ...rest }) => rest);
      return { name, settings: JSON.stringify({ bmc: forBmc, dhcp: forDhcp }) };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function parse(text: string): FleetSettings | undefined {
  try {
    const settings = JSON.parse(text) as FleetSettings;
    return [settings.bmc, settings.dhcp].every(({ image }) => typeof image === 'string') ? settings : undefined;
  } catch {
    return undefined; // changed by another client
  }
}

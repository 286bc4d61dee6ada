import type { AgentOverrides } from './agent-settings.ts';

type Written = Record<string, Record<string, string>>;

/** Resources with quantities as strings, as the API server stores them; a spec may have numbers. */
export function writtenResources(resources: AgentOverrides['resources']): Written | undefined {
  if (resources === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(resources).map(([kind, quantities]) => [
      kind,
      Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)])),
    ]),
  );
}

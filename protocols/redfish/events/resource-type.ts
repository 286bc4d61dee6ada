/** Collections by the last segment of their URI, and the schema of their members. */
const MEMBERS: Readonly<Record<string, string>> = {
  Systems: 'ComputerSystem',
  Managers: 'Manager',
  Chassis: 'Chassis',
  VirtualMedia: 'VirtualMedia',
  Sessions: 'Session',
  Accounts: 'ManagerAccount',
  Subscriptions: 'EventDestination',
  Tasks: 'Task',
  Entries: 'LogEntry',
};

/** Schemas that a subscription can select. */
export const RESOURCE_TYPES: readonly string[] = Object.values(MEMBERS);

/** The schema of the resource at a URI, if it is one of {@link RESOURCE_TYPES}. */
export function resourceTypeOf(uri: string): string | undefined {
  return MEMBERS[uri.split('/').at(-2) ?? ''];
}

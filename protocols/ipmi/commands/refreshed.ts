import type { Machine } from '../../machine/index.ts';
import type { CommandResult } from './command.ts';

/** Refreshes the machine's power state if it is too old, then answers with `read`; synchronously if no refresh is needed. */
export function refreshed(machine: Pick<Machine, 'refresh'>, read: () => Buffer): CommandResult {
  return machine.refresh()?.then(read) ?? read();
}

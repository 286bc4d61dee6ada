import type { Machine } from '../../machine/index.ts';
import type { CommandResult } from './command.ts';

/** Answers with what `read` tells of the machine's power, once that is not too old; at once, without a promise, if it is not. */
export function refreshed(machine: Pick<Machine, 'refresh'>, read: () => Buffer): CommandResult {
  return machine.refresh()?.then(read) ?? read();
}

import type { Bmc } from '../command.ts';

/** Whether serial over LAN is on, and was not taken from an account. */
export function mayHaveSol({ solConfiguration, accounts }: Bmc, id: number): boolean {
  const account = accounts.list().find((candidate) => candidate.id === id);
  return solConfiguration.parameters.enabled && account?.serialOverLan === true;
}

/** Ends it where whoever has it may not have it any more. */
export function endForbiddenSol(bmc: Bmc): void {
  const { sol } = bmc;
  if (sol?.owner !== undefined && !mayHaveSol(bmc, sol.owner.account.id)) sol.revoke();
}

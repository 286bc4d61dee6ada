import type { Bmc } from '../command.ts';

/** Whether SOL is enabled for the BMC and the account. */
export function mayHaveSol({ solConfiguration, accounts }: Bmc, id: number): boolean {
  const account = accounts.list().find((candidate) => candidate.id === id);
  return solConfiguration.parameters.enabled && account?.serialOverLan === true;
}

/** Ends SOL if its owner's access was revoked. */
export function endForbiddenSol(bmc: Bmc): void {
  const { sol } = bmc;
  if (sol?.owner !== undefined && !mayHaveSol(bmc, sol.owner.account.id)) sol.revoke();
}

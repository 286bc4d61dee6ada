/** In the order in which they run: what fails soonest and says most comes first. */
export const TIERS = ['static', 'unit', 'embedded', 'kubernetes', 'e2e'] as const;
export type Tier = (typeof TIERS)[number];

/** A tier that is a project of vitest.config.ts. */
export type Project = Exclude<Tier, 'static'>;

const QUICK: readonly Tier[] = ['static', 'unit'];

/** The tiers that a command line names: none for all of them, `--quick` for all but the slow ones. */
export function parseTiers(args: readonly string[]): Tier[] {
  if (args.length === 0) return [...TIERS];
  const unknown = args.find((arg) => arg !== '--quick' && !TIERS.some((tier) => tier === arg));
  if (unknown !== undefined) {
    throw new Error(
      `There is no tier '${unknown}'; there are: ${TIERS.join(', ')}; --quick runs all but the slow ones.`,
    );
  }
  return TIERS.filter((tier) => args.includes(tier) || (args.includes('--quick') && QUICK.includes(tier)));
}

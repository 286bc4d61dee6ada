/** In the order in which they run: what fails soonest and says most comes first. */
export const TIERS = ['static', 'unit', 'embedded', 'kubernetes', 'kubevirt', 'e2e', 'bare'] as const;
export type Tier = (typeof TIERS)[number];

/** A tier that is a project of vitest.config.ts. */
export type Project = Exclude<Tier, 'static' | 'bare'>;

const QUICK: readonly Tier[] = ['static', 'unit'];
const OPTIONS = ['--quick', '--full'];

export interface Plan {
  tiers: Tier[];
  /** Files and folders; none: all that a tier has. */
  files: string[];
}

/**
 * What a command line names: tiers, `--quick` for all but the slow ones, and the files and folders to which they are limited.
 * No tier: all of them. The bare tier runs other tiers again, and so only in CI or where it is named.
 */
export function parsePlan(args: readonly string[], options: { continuousIntegration: boolean }): Plan {
  const files = args.filter((arg) => arg.includes('/'));
  const words = args.filter((arg) => !arg.includes('/'));
  const unknown = words.find((arg) => !OPTIONS.includes(arg) && !TIERS.some((tier) => tier === arg));
  if (unknown !== undefined) {
    throw new Error(
      `There is no tier '${unknown}'; there are: ${TIERS.join(', ')}; --quick runs all but the slow ones.`,
    );
  }
  const named = TIERS.filter((tier) => words.includes(tier) || (words.includes('--quick') && QUICK.includes(tier)));
  const all = TIERS.filter((tier) => tier !== 'bare' || options.continuousIntegration);
  return { tiers: named.length === 0 ? all : named, files };
}

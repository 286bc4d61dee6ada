/** In the order in which they run: what fails soonest and says most comes first. */
export const TIERS = ['static', 'unit', 'embedded', 'kubernetes', 'kubevirt', 'e2e', 'bare'] as const;
export type Tier = (typeof TIERS)[number];

/** A tier that is a project of vitest.config.ts. */
export type Project = Exclude<Tier, 'static' | 'bare'>;

const QUICK: readonly Tier[] = ['static', 'unit'];
const OPTIONS = ['--quick', '--full'];

export interface Plan {
  tiers: Tier[];
  /** Whether the tiers were named. */
  isNamed: boolean;
  /** Files and folders; none: all that a tier has. */
  files: string[];
  /** Also the suites that need not run again. */
  isFull: boolean;
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
  const isNamed = named.length > 0;
  return { tiers: isNamed ? named : all, isNamed, files, isFull: words.includes('--full') };
}

/**
 * The files and folders that a tier runs, all of them where the list is empty; undefined where it has nothing to run. Each suite runs on
 * one server, the real one where the machine has it. The suites of `packages/`, which prove that the embedded cluster agrees
 * with the real one, run on both, and only after a change there.
 */
export function filesOf(
  tier: Project,
  { isNamed, files, isFull }: Plan,
  facts: { hasRealServers: boolean; packagesChanged: boolean },
): readonly string[] | undefined {
  const isSuites = tier === 'embedded' || tier === 'kubernetes' || tier === 'kubevirt';
  if (isNamed || isFull || files.length > 0 || !isSuites) return files;
  if (tier === 'embedded' && facts.hasRealServers) return facts.packagesChanged ? ['packages/'] : undefined;
  return facts.packagesChanged ? [] : ['test/'];
}

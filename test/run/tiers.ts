/** In the order of the run: fast and specific tiers first. */
export const TIERS = ['static', 'unit', 'embedded', 'kubernetes', 'kubevirt', 'e2e', 'bare'] as const;
export type Tier = (typeof TIERS)[number];

/** A tier that is a project of vitest.config.ts. */
export type Project = Exclude<Tier, 'static' | 'bare'>;

const QUICK: readonly Tier[] = ['static', 'unit'];
const OPTIONS = ['--quick', '--full'];

export interface Plan {
  tiers: Tier[];
  /** Whether the command line named the tiers. */
  isNamed: boolean;
  /** Files and folders; empty: all of the tier. */
  files: string[];
  /** Whether suites run that are unaffected by changes. */
  isFull: boolean;
}

/**
 * Parses the command line: tiers, `--quick` for all except the slow ones, and files and folders that limit them.
 * Default: all tiers. The bare tier repeats other tiers, so it runs only in CI or if named.
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
 * The files and folders that a tier runs; an empty list means all; undefined means nothing to run. Each suite runs on
 * one server, the real one if the machine has it. The suites of `packages/`, which verify that the embedded cluster
 * behaves like the real one, run on both, and only after a change there.
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

/** Functions of a real API server's rules that this one does not have. */
export const MISSING_FUNCTIONS: ReadonlySet<string> = new Set(['semver', 'isSemver']);

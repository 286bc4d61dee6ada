import type { ToolName } from './catalogue.ts';
import { findTool } from './find.ts';
import { howToInstall } from './install.ts';

/** A missing requirement of tests on this machine. */
export interface Lack {
  /** Name of the program or other requirement. */
  what: string;
  /** Command that installs it, or an instruction. */
  remedy: string;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test is skipped. `npm test` prints a table of these at its end. */
    lacks?: readonly Lack[];
  }
}

/** Options of a test or a suite. */
export interface Needs {
  skip?: true;
  meta?: { lacks: readonly Lack[] };
}

/**
 * Options of a test or a suite that needs programs: if one is missing, the test is skipped and counted.
 *
 * @example describe('a BMC', needs('ipmitool', 'curl'), () => { … });
 */
export function needs(...names: readonly ToolName[]): Needs {
  return skippedFor(lackingTools(names));
}

/** Like `needs`, for requirements that are not programs. */
export function skippedFor(lacks: readonly Lack[]): Needs {
  return lacks.length === 0 ? {} : { skip: true, meta: { lacks } };
}

export function lackingTools(names: readonly ToolName[]): Lack[] {
  return names
    .filter((name) => findTool(name) === undefined)
    .map((name) => ({ what: name, remedy: howToInstall(name) }));
}

/** Like `needs`, for a test that requires root. */
export function needsRoot(): Needs {
  return skippedFor(process.getuid?.() === 0 ? [] : [{ what: 'root', remedy: 'sudo npm test' }]);
}

import type { ToolName } from './catalogue.ts';
import { findTool } from './find.ts';
import { howToInstall } from './install.ts';

/** Something that tests need and this machine does not have. */
export interface Lack {
  /** Name of the program, or of what else it is. */
  what: string;
  /** The line that installs it, or what to do. */
  remedy: string;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test is skipped. `npm test` counts these in the table at its end. */
    lacks?: readonly Lack[];
  }
}

/** Options of a test or a suite. */
export interface Needs {
  skip?: true;
  meta?: { lacks: readonly Lack[] };
}

/**
 * Options of a test or a suite that needs programs: where one is missing it is skipped, and counted.
 *
 * @example describe('a BMC', needs('ipmitool', 'curl'), () => { … });
 */
export function needs(...names: readonly ToolName[]): Needs {
  return skippedFor(lackingTools(names));
}

/** As `needs`, for what is no program. */
export function skippedFor(lacks: readonly Lack[]): Needs {
  return lacks.length === 0 ? {} : { skip: true, meta: { lacks } };
}

export function lackingTools(names: readonly ToolName[]): Lack[] {
  return names
    .filter((name) => findTool(name) === undefined)
    .map((name) => ({ what: name, remedy: howToInstall(name) }));
}

/** As `needs`, for a test that only root can run. */
export function needsRoot(): Needs {
  return skippedFor(process.getuid?.() === 0 ? [] : [{ what: 'root', remedy: 'sudo npm test' }]);
}

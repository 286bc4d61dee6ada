import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TOOLS, type ToolName } from './catalogue.ts';

/** Folder of the Go module that pins a set of programs. */
export function moduleDirectory(module: string): string {
  return join(import.meta.dirname, module);
}

/** `$XDG_CACHE_HOME/groundcrew`: the folder for what the tests keep between runs. */
export function cacheRoot(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'groundcrew');
}

/**
 * Cache folder of a module's programs: `$XDG_CACHE_HOME/groundcrew/<module>-<hash>`. The hash covers the inputs of the
 * build, so that a changed version is rebuilt and two checkouts share equal programs.
 */
export function cacheDirectory(module: string, environment: NodeJS.ProcessEnv = process.env): string {
  const hash = createHash('sha256');
  const directory = moduleDirectory(module);
  for (const file of readdirSync(directory).toSorted()) hash.update(readFileSync(join(directory, file)));
  hash.update(JSON.stringify(toolsOf(module).map((name) => TOOLS[name])));
  return join(cacheRoot(environment), `${module}-${hash.digest('hex').slice(0, 12)}`);
}

/** The programs that a module builds. */
export function toolsOf(module: string): ToolName[] {
  return (Object.keys(TOOLS) as ToolName[]).filter((name) => {
    const source = TOOLS[name];
    return 'module' in source && source.module === module;
  });
}

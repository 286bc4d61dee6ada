import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { repository } from '../../harness/repository.ts';
import { findTool, type ToolName } from '../../tools/index.ts';
import { runProgram } from '../clients/run-program.ts';

/**
 * A document of docs/recipes whose code a test runs. A block of `yaml` begins with a comment that is its file name. The blocks of
 * `sh` are one script. Blocks of other languages, such as `console`, are not run.
 */
export interface Recipe {
  files: Readonly<Record<string, string>>;
  script: string;
}

/** @param replacements what the test has in place of a text of the document, such as a port; each must be in the document */
export function readRecipe(name: string, replacements: Readonly<Record<string, string>>): Recipe {
  const document = readFileSync(join(repository, `docs/recipes/${name}.md`), 'utf8');
  const lacking = Object.keys(replacements).filter((text) => !document.includes(text));
  if (lacking.length > 0) throw new Error(`docs/recipes/${name}.md does not contain ${lacking.join(', ')}`);
  const blocks = [...document.matchAll(/^```(\w+)\n(.+?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text: Object.entries(replacements).reduce((result, [from, to]) => result.replaceAll(from, to), text),
  }));
  const texts = (wanted: string): string[] =>
    blocks.filter(({ language }) => language === wanted).map(({ text }) => text);
  const files = Object.fromEntries(
    texts('yaml').map((text) => {
      const file = /^# (\S+\.yaml)\n/.exec(text)?.[1];
      if (file === undefined) throw new Error(`docs/recipes/${name}.md has a block of yaml without a file name`);
      return [file, text];
    }),
  );
  return { files, script: texts('sh').join('\n') };
}

/**
 * Runs the script with its files in `folder`. Throws if a command fails, with all commands and their errors.
 * @returns standard output
 */
export async function runRecipe({ files, script }: Recipe, options: RecipeOptions): Promise<string> {
  const { folder, kubeconfig, tools } = options;
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const programs = tools.map((name) => dirname(findTool(name) ?? ''));
  const { code, stdout, stderr } = await runProgram('bash', ['-euxo', 'pipefail', '-c', `cd ${folder}\n${script}`], {
    ...{ HOME: folder, KUBECONFIG: kubeconfig, LC_ALL: 'C.UTF-8', ...options.env },
    PATH: [...programs, process.env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(delimiter),
  });
  if (code !== 0) throw new Error(`the recipe failed:\n${stdout}\n${stderr}`);
  return stdout;
}

export interface RecipeOptions {
  /** An existing folder, also HOME. */
  folder: string;
  kubeconfig: string;
  /** Programs that the script calls. */
  tools: readonly ToolName[];
  /** Added to the environment. */
  env?: NodeJS.ProcessEnv;
}

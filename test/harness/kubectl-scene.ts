import { expect } from 'vitest';
import type { Kubectl, KubectlAnswer, KubectlOptions } from './kubectl.ts';

/** kubectl in one namespace, with normalised output for comparison. */
export interface KubectlScene {
  /** Standard output of a command that must succeed, without the final newline and with all ages replaced by AGE. */
  readonly run: (args: string, options?: KubectlOptions) => Promise<string>;
  /** Standard error of a command that must fail. */
  readonly fail: (args: string, options?: KubectlOptions) => Promise<string>;
  /** The result of a command that may succeed or fail. */
  readonly attempt: (args: string, options?: KubectlOptions) => Promise<KubectlAnswer>;
}

/** `args` are split at spaces; single quotes keep words together. */
export function kubectlScene(kubectl: Kubectl, namespace: () => string): KubectlScene {
  const attempt = (args: string, options?: KubectlOptions) =>
    kubectl(['--namespace', namespace(), ...words(args)], options);
  return {
    attempt,
    run: async (args, options) => {
      const { code, stdout, stderr } = await attempt(args, options);
      expect({ code, stderr: code === 0 ? '' : stderr }, `kubectl ${args}`).toEqual({ code: 0, stderr: '' });
      return tidy(stdout);
    },
    fail: async (args, options) => {
      const { code, stdout, stderr } = await attempt(args, options);
      expect({ code, stdout }, `kubectl ${args}`).toEqual({ code: 1, stdout: '' });
      return tidy(stderr);
    },
  };
}

function words(args: string): string[] {
  return [...args.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

/**
 * Replaces ages that are separate words, and trims line ends. Only some versions of kubectl print the namespace of
 * deleted objects, or two empty lines in a row.
 */
function tidy(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/(?<=\s|^)(?:\d+[smhd])+(?=\s|$)/g, 'AGE')
    .replaceAll(/(?<=" deleted) from \S+ namespace/g, '')
    .replaceAll(/ +$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n');
}

/** A table with one bar between cells, regardless of column widths. */
export function cells(table: string): string[] {
  return table.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
}

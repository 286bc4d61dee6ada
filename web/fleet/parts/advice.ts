/** What to do, split into words and a command that can be copied. */
export interface Advice {
  readonly before: string;
  readonly command: string | undefined;
  readonly after: string;
}

const COMMAND = /\b(?:kubectl|helm|groundcrew) [^;]+/;

/** Finds the command in a sentence such as `See its pods: kubectl get pods -n vms; and their log.` */
export function adviceOf(todo: string): Advice {
  const found = COMMAND.exec(todo);
  if (found === null) return { before: todo, command: undefined, after: '' };
  const [text] = found;
  // The full stop ends the sentence, not the command.
  const command = text.trimEnd().replace(/(?<=\w)\.$/, '');
  return { before: todo.slice(0, found.index), command, after: todo.slice(found.index + text.length) };
}

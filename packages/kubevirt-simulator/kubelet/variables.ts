/**
 * Replaces `$(NAME)` by the variable's value, as kubelet does in `args`, `command` and `env`: a name that is not
 * defined stays as it stands, and `$$` is a `$` that begins nothing.
 */
export function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? match) : match;
  });
}

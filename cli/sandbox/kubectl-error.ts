import type { ApiError } from '@groundcrew/controller-runtime';

/**
 * The server's error as kubectl prints it (cmd/util/helpers.go, StandardErrorMessage and checkErr): an Invalid error
 * lists its causes under the name of the object; any other error is prefixed with its reason and the operation.
 */
export function kubectlError(error: ApiError, doing: string): string {
  const details = error.body?.details;
  if (error.reason === 'Invalid' && details !== undefined) {
    const causes = (details.causes ?? []).map((cause) => `${cause.field ?? ''}: ${cause.message ?? ''}`);
    const head = `The ${details.kind ?? 'object'} "${details.name ?? ''}" is invalid`;
    return causes.length > 1
      ? `${head}: \n${causes.map((cause) => `* ${cause}`).join('\n')}`
      : `${head}: ${causes[0] ?? error.serverMessage}`;
  }
  const server = error.reason === '' ? 'Error from server' : `Error from server (${error.reason})`;
  return `${server}: ${doing}: ${error.serverMessage}`;
}

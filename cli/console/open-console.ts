import { CONSOLE_PROTOCOL, consolePath } from '../../api/index.ts';
import { ApiError, TransportError, type ObjectRef } from '@groundcrew/controller-runtime';
import type { ClusterAccess } from '@groundcrew/controller-runtime/kubeconfig';
import { openWebSocket, type WebSocket } from '@groundcrew/controller-runtime/websocket';
import { ConsoleError } from './console-error.ts';

/**
 * Opens the serial console of a running VM.
 *
 * @throws ConsoleError with the cluster's error message if the request fails
 */
export async function openConsole(access: ClusterAccess, { namespace, name }: Required<ObjectRef>): Promise<WebSocket> {
  if (access.proxy !== undefined)
    throw new ConsoleError(
      'This kubeconfig goes through a proxy, which groundcrew console does not; virtctl console does.',
    );
  try {
    return await openWebSocket(access, consolePath(namespace, name), CONSOLE_PROTOCOL);
  } catch (error) {
    if (error instanceof ApiError) throw refused(error.serverMessage, error);
    if (error instanceof TransportError) throw refused(reasonOf(error), error);
    throw error;
  }
}

/** Node's error message without the request. */
function reasonOf(error: TransportError): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function refused(reason: string, cause: Error): ConsoleError {
  return new ConsoleError(`There is no console: ${reason}`, { cause });
}

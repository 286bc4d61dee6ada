import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { AggregatorIdentity } from '../registration/index.ts';

/** Whether the API server sent the request; it has let its caller through. Undefined: the API server does not say who it is. */
export function isAggregator({ socket }: IncomingMessage, aggregator: AggregatorIdentity | undefined): boolean {
  if (aggregator === undefined) return true;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const name = socket.getPeerCertificate().subject.CN;
  return aggregator.names.length === 0 || aggregator.names.some((allowed) => allowed === name);
}

/** Why a path cannot be authorized (`authorizer.go` `generateAccessReview`), or undefined. */
export function unauthorizedPath(path: string): string | undefined {
  const parts = path.split('/');
  const resource = parts[6] ?? '';
  if (parts.length >= 9) return SUBRESOURCED.includes(resource) ? undefined : `unknown resource type ${resource}`;
  if (parts.length === 7) return resource === 'expand-vm-spec' ? undefined : `unknown resource type ${resource}`;
  return `unknown api endpoint: ${path}`;
}

const SUBRESOURCED: readonly string[] = ['virtualmachines', 'virtualmachineinstances'];

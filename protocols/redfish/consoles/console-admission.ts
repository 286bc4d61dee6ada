import type { IncomingMessage } from 'node:http';
import type { Access } from '../access/access.ts';
import { base, RedfishError } from '../messages.ts';
import { ROLE_PRIVILEGES } from '../privileges.ts';
import type { Caller } from '../resource.ts';
import { checkPassword } from '../service/access-check.ts';
import { checkOrigin, checkSite } from '../service/origin-of.ts';
import type { ConsoleKind } from './console-register.ts';

/** The sub-protocol that is selected if a client offers it: frames of bytes. */
export const BINARY = 'binary';
/** A sub-protocol that carries the token: pages cannot set headers of a WebSocket. It is never selected, so never sent back. */
const TOKEN_PREFIX = 'groundcrew.token.';

/** Who may open a console. */
export interface Admitted {
  readonly caller: Caller;
  /** Of the session; undefined: Basic authentication. */
  readonly token?: string;
  /** Whether keys and pointer reach the machine. */
  readonly canType: boolean;
}

/**
 * Checks a request for a WebSocket: site, credentials, role.
 *
 * @throws RedfishError 400, 401, 403, or 429
 */
export function admitToConsole(
  request: IncomingMessage,
  kind: ConsoleKind,
  address: string,
  access: Pick<Access, 'authenticate'>,
): Admitted {
  const { headers } = request;
  checkOrigin(request);
  checkSite(headers);
  const token = headers['x-auth-token'] ?? tokenIn(headers['sec-websocket-protocol']);
  const caller = access.authenticate({ authorization: headers.authorization, 'x-auth-token': token }, address);
  checkPassword(caller);
  const canType = ROLE_PRIVILEGES[caller.account.role].includes('ConfigureComponents');
  if (kind === 'HostConsole' && !canType) throw new RedfishError(403, [base('InsufficientPrivilege')]);
  const isOfSession = caller.session !== undefined && typeof token === 'string';
  return { caller, canType, ...(isOfSession && { token }) };
}

/** The first token among the offered sub-protocols. The size of headers is limited. */
function tokenIn(offer = ''): string | undefined {
  const offered = offer.split(',').map((each) => each.trim());
  return offered.find((each) => each.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length);
}

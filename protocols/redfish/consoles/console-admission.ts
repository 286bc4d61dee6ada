import type { IncomingMessage } from 'node:http';
import type { Access } from '../access/access.ts';
import { ROLE_PRIVILEGES } from '../privileges.ts';
import type { Caller } from '../resource.ts';
import { checkOrigin, checkSite } from '../service/origin-of.ts';
import type { ConsoleKind, ConsoleRefusal } from './console-register.ts';

/** The sub-protocol that is selected if a client offers it: frames of bytes. */
export const BINARY = 'binary';
/** A sub-protocol that carries the token: pages cannot set headers of a WebSocket. It is never selected, so never sent back. */
const TOKEN_PREFIX = 'groundcrew.token.';

/** Who asks for a console. */
export interface Admitted {
  readonly caller: Caller;
  /** Of the session; undefined: Basic authentication. */
  readonly token?: string;
  /** Whether keys and pointer reach the machine. */
  readonly canType: boolean;
  /** Why the caller may not have it. */
  readonly refusal: ConsoleRefusal | undefined;
}

/**
 * Checks a request for a WebSocket: site, credentials, role.
 *
 * @throws RedfishError 400, 401, 403, or 429: there is no caller, or not of this site
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
  const canType = ROLE_PRIVILEGES[caller.account.role].includes('ConfigureComponents');
  const isOfSession = caller.session !== undefined && typeof token === 'string';
  return { caller, canType, refusal: refusalOf(caller, kind === 'KVMIP' || canType), ...(isOfSession && { token }) };
}

function refusalOf({ mustChangePassword, account }: Caller, isAllowed: boolean): ConsoleRefusal | undefined {
  if (mustChangePassword === true) {
    return { why: 'LoggedOut', message: 'your password has to be changed first: log in again' };
  }
  if (isAllowed) return undefined;
  return { why: 'Forbidden', message: `the role ${account.role} may not use the serial console` };
}

/** The first token among the offered sub-protocols. The size of headers is limited. */
function tokenIn(offer = ''): string | undefined {
  const offered = offer.split(',').map((each) => each.trim());
  return offered.find((each) => each.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length);
}

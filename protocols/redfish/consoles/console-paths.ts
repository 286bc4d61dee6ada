import type { IncomingMessage } from 'node:http';
import type { ConsoleKind } from './console-register.ts';

/** Paths of the consoles, as bmcweb has them. */
export const CONSOLE_PATHS = { HostConsole: '/console0', KVMIP: '/kvm/0' } as const satisfies Record<
  ConsoleKind,
  string
>;
const SCREENSHOT_PATH = '/kvm/0/screenshot';

/** What is outside of `/redfish`, beside the pages. */
export type WebPlace = ConsoleKind | 'screenshot';

/** Undefined: a page. */
export function webPlaceOf(path: string): WebPlace | undefined {
  switch (path) {
    case CONSOLE_PATHS.HostConsole:
      return 'HostConsole';
    case CONSOLE_PATHS.KVMIP:
      return 'KVMIP';
    case SCREENSHOT_PATH:
      return 'screenshot';
    default:
      return undefined;
  }
}

/** The path of a request, also of one in absolute form (RFC 9112 §3.2.2). */
export function pathOf({ url = '' }: IncomingMessage): string {
  return /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? '';
}

/** Whether a request asks for a WebSocket to one of the consoles. Others with `Upgrade` are answered as if it were absent. */
export function asksForConsole(request: IncomingMessage): boolean {
  const place = webPlaceOf(pathOf(request));
  return (
    request.method === 'GET' &&
    request.headers.upgrade?.toLowerCase() === 'websocket' &&
    (place === 'HostConsole' || place === 'KVMIP')
  );
}

export function isOfRedfish(path: string): boolean {
  return path === '/redfish' || path.startsWith('/redfish/');
}

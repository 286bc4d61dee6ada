import type { BmcRef } from './bmc-ways.ts';

/** A path below that of a BMC. */
export interface BmcPath {
  readonly ref: BmcRef;
  /** Our path of the BMC, without a slash at the end. */
  readonly base: string;
  /** The path at the BMC, with a slash before it and the query; undefined: there is nothing after the name. */
  readonly rest: string | undefined;
}

const BMC = /^(\/bmc\/([a-z0-9][-a-z0-9]{0,62})\/([a-z0-9][-.a-z0-9]{0,252}))(\/.*)?$/;

/** `/bmc/<namespace>/<name>/…`; undefined: another path. */
export function bmcPathOf(url: string): BmcPath | undefined {
  const [, base, namespace, name, rest] = BMC.exec(url) ?? [];
  if (base === undefined || namespace === undefined || name === undefined) return undefined;
  return { ref: { namespace, name }, base, rest };
}

/** What of a BMC's paths is its own data; all others are our files. */
const DATA = /^\/(redfish(\/[\w.~!$&'()*+,;=:@%-]+)*\/?|console0|kvm\/0|kvm\/0\/screenshot)(\?[^#\s]*)?$/;
/** Encoded dots, slashes, backslashes, percent signs and control characters, by which a server might leave the path. */
const DISGUISED = /%(2e|2f|5c|25|[01][0-9a-f]|7f)/i;

/** Whether a path is forwarded to the BMC. */
export function isData(rest: string): boolean {
  const path = rest.split('?', 1)[0] ?? '';
  return DATA.test(rest) && !DISGUISED.test(path) && !path.split('/').some((part) => part === '.' || part === '..');
}

/** Whether a path is that of a WebSocket. */
export function isConsole(rest: string): boolean {
  return rest === '/console0' || rest === '/kvm/0';
}

import { isIP } from 'node:net';
import { parsed } from './certificates.ts';

/** The extension's OID, 2.5.29.30, in DER. */
const NAME_CONSTRAINTS = Buffer.from('0603551d1e', 'hex');
const OCTET_STRING = 0x04;
const PERMITTED = 0xa0;
const DNS_NAME = 0x82;

/**
 * The domains of the names that an authority may sign (RFC 5280 §4.2.1.10).
 *
 * @param cert PEM
 * @returns undefined: all names
 */
export function permittedDomains(cert: string): string[] | undefined {
  const { raw } = parsed(cert);
  const start = raw.indexOf(NAME_CONSTRAINTS);
  if (start === -1) return undefined;
  const [value] = elementsIn(raw.subarray(start + NAME_CONSTRAINTS.length)).filter(({ tag }) => tag === OCTET_STRING);
  const [constraints] = elementsIn(value?.content ?? Buffer.alloc(0));
  const permitted = elementsIn(constraints?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === PERMITTED);
  if (permitted === undefined) return undefined;
  const names = elementsIn(permitted.content).flatMap(({ content }) => elementsIn(content));
  const domains = names.filter(({ tag }) => tag === DNS_NAME).map(({ content }) => content.toString('latin1'));
  return domains.length === 0 ? undefined : domains;
}

/** Whether an authority with these domains may sign the name; addresses are not constrained. */
export function isPermitted(name: string, domains: readonly string[] | undefined): boolean {
  if (domains === undefined || isIP(name) !== 0) return true;
  return domains.some((domain) => {
    const bare = domain.replace(/^\./, '').toLowerCase();
    return name === bare || name.endsWith(`.${bare}`);
  });
}

interface Element {
  tag: number;
  content: Buffer;
}

/** The elements of DER in a row; ends at the first that is not complete. */
function elementsIn(der: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 2 <= der.length;) {
    const [tag = 0, first = 0] = der.subarray(at, at + 2);
    const lengthBytes = first < 0x80 ? 0 : first - 0x80;
    if (lengthBytes > 2 || at + 2 + lengthBytes > der.length) break;
    const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
    const begin = at + 2 + lengthBytes;
    if (begin + length > der.length) break;
    elements.push({ tag, content: der.subarray(begin, begin + length) });
    at = begin + length;
  }
  return elements;
}

import { InvalidArgumentError } from 'commander';
import { canonicalMac, parseIpv4 } from '../../api/index.ts';

export interface ServerAddress {
  host: string;
  port: number;
}

const SERVER_PORT = 67;

/** A MAC address in any notation, as a number. */
export function hardwareAddress(text: string): number {
  const mac = canonicalMac(text);
  if (mac === undefined) throw new InvalidArgumentError('Give a MAC address such as 52:54:00:12:34:56.');
  return parseInt(mac.replaceAll(':', ''), 16);
}

export function ipv4Address(text: string): number {
  const address = parseIpv4(text);
  if (address === undefined) throw new InvalidArgumentError('Give an IPv4 address such as 10.0.0.1.');
  return address;
}

/** `10.0.0.1` or `10.0.0.1:10067`. */
export function serverAddress(text: string): ServerAddress {
  const [host = '', port = String(SERVER_PORT), ...others] = text.split(':');
  const number = /^\d+$/.test(port) ? Number(port) : 0;
  if (parseIpv4(host) === undefined || number < 1 || number > 65_535 || others.length > 0) {
    throw new InvalidArgumentError('Give an IPv4 address and perhaps a port, such as 10.0.0.1 or 127.0.0.1:10067.');
  }
  return { host, port: number };
}

/** Option codes, separated by commas. */
export function codeList(text: string): number[] {
  const codes = text.split(',').map((code) => (/^\d+$/.test(code) ? Number(code) : 0));
  if (codes.some((code) => code < 1 || code > 254)) {
    throw new InvalidArgumentError('Give numbers from 1 to 254, separated by commas, such as 1,3,6.');
  }
  return codes;
}

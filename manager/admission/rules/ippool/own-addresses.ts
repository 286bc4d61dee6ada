import { addressSpaceOf, contains, parseIpv4, type Ipv4Cidr } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/**
 * The servers and the router must be in the network and different from each other. Neither they nor the ends of the
 * range may be the network address or the broadcast address. They may be inside the range: they are never leased.
 */
export const ownAddresses: PoolRule = ({ spec }) => {
  const config = spec.ipv4Config;
  const { space } = addressSpaceOf(spec);
  if (config === undefined || space === undefined) return {};
  const servers = config.serverIPs ?? [config.serverIP];
  const errors: FieldError[] = [];
  const check = (field: string, value: string, isHost: boolean): void => {
    const detail = problemOf(value, config.cidr, space.cidr, isHost);
    if (detail !== undefined) errors.push(invalid(`${CONFIG}.${field}`, value, detail));
  };
  check('pool.start', config.pool.start, false);
  check('pool.end', config.pool.end, false);
  check('serverIP', config.serverIP, true);
  for (const [index, server] of servers.entries()) if (index > 0) check(`serverIPs[${index}]`, server, true);
  if (config.router !== undefined) {
    check('router', config.router, true);
    const index = servers.indexOf(config.router);
    const field = index > 0 ? `serverIPs[${index}]` : 'serverIP';
    if (index >= 0)
      errors.push(invalid(`${CONFIG}.${field}`, config.router, 'is the router: a server needs an address of its own'));
  }
  return { errors };
};

/** Whether the ends of the range are in the network is checked elsewhere. */
function problemOf(value: string, text: string, cidr: Ipv4Cidr, isHost: boolean): string | undefined {
  const address = parseIpv4(value);
  if (address === undefined) return undefined;
  if (!contains(cidr, address)) return isHost ? `is not in ${text}` : undefined;
  if (address === cidr.first) return `is the network address of ${text}`;
  return address === cidr.last ? `is the broadcast address of ${text}` : undefined;
}
